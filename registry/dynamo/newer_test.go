package dynamo_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
	"github.com/quorate/quorate/registry/dynamo"
	"github.com/quorate/quorate/registry/storetest"
)

// While replicas are upgraded one after the other, an older one changes agents that a newer one has written, and takes their beats.
func TestWhatANewerVersionHasWrittenStays(t *testing.T) {
	t.Parallel()
	newer, db := openBoth(t, nil)
	r := storetest.Record("t", "a", "fetch")
	storetest.Put(t, newer, r)
	tables := []string{"AgentMetadata", "AgentStatus"}
	for _, table := range tables {
		_, err := db.API().UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
			TableName: db.Table(table), Key: key("t#a"), UpdateExpression: aws.String("SET budget = :budget"),
			ExpressionAttributeValues: ddb.Item{":budget": &types.AttributeValueMemberS{Value: "7 EUR"}},
		})
		if err != nil {
			t.Fatalf("UpdateItem(%s) = %v, want no error", table, err)
		}
	}
	_, err := db.API().UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: db.Table("AgentMetadata"), Key: key("t#a"), UpdateExpression: aws.String("SET consultation_requirements[0].#deputy = :deputy"),
		ExpressionAttributeNames:  map[string]string{"#deputy": "deputy"},
		ExpressionAttributeValues: ddb.Item{":deputy": &types.AttributeValueMemberS{Value: "auditor"}},
	})
	if err != nil {
		t.Fatalf("UpdateItem() = %v, want no error", err)
	}
	s := dynamo.New(db)
	next := *r
	next.Etag = "e2"
	next.Metadata.ConsultationRequirements = append([]agentcard.ConsultationRequirement{{ID: "first", TargetAgent: "b"}}, r.Metadata.ConsultationRequirements...)
	storetest.Put(t, s, &next)
	for range 2 { // the second one goes by what the first one has written
		err := s.UpdatePulse(t.Context(), r.Key(), func(p registry.Pulse) (registry.Pulse, error) { p.InFlight++; return p, nil })
		if err != nil {
			t.Fatalf("UpdatePulse() = %v, want no error", err)
		}
	}
	for _, table := range tables {
		items, err := db.BatchGet(t.Context(), table, []ddb.Item{key("t#a")})
		if err != nil || len(items) != 1 || ddb.TextOf(items[0], "budget") != "7 EUR" {
			t.Errorf("the item of %s = %v, %v, want what was in it that this version does not know", table, items, err)
			continue
		}
		if list, ok := items[0]["consultation_requirements"].(*types.AttributeValueMemberL); ok {
			last, _ := list.Value[len(list.Value)-1].(*types.AttributeValueMemberM)
			if len(list.Value) != 2 || last == nil || ddb.TextOf(last.Value, "deputy") != "auditor" {
				t.Errorf("the requirements = %v, want the new one, and all that was in the other", list.Value)
			}
		}
	}
}
