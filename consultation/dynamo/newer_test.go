package dynamo_test

import (
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/consultation/dynamo"
	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/platform/dynamotest"
)

// While replicas are upgraded one after the other, an older one records the outcome of a consultation that a newer one has issued.
func TestWhatANewerVersionHasWrittenStays(t *testing.T) {
	t.Parallel()
	db := dynamotest.Open(t, nil)
	if err := db.Apply(t.Context(), dynamo.Tables(), nil); err != nil {
		t.Fatalf("Apply() = %v, want no error", err)
	}
	s := dynamo.New(db, dynamo.Options{Keep: time.Hour})
	err := s.Append(t.Context(), "a", "t", func([]consultation.Entry) (consultation.Consultation, error) {
		return consultation.Consultation{ID: "1", Tenant: "a", TaskID: "t", IssueTime: time.Now()}, nil
	})
	if err != nil {
		t.Fatalf("Append() = %v, want no error", err)
	}
	say := func(s *dynamo.Store, span string) {
		t.Helper()
		err := s.Update(t.Context(), "a", "1", func(e consultation.Entry) (consultation.Entry, error) {
			e.Consultation.Outcome = "approved"
			e.Evidence = append(slices.Clone(e.Evidence), consultation.Evidence{SpanID: span})
			return e, nil
		})
		if err != nil {
			t.Fatalf("Update() = %v, want no error", err)
		}
	}
	say(s, "s1")
	where := ddb.Item{"task_key": &types.AttributeValueMemberS{Value: "a#t"}, "number": &types.AttributeValueMemberN{Value: "0"}}
	_, err = db.API().UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: db.Table("ConsultationEvidence"), Key: where, UpdateExpression: aws.String("SET budget = :budget, evidence[0].budget = :budget"),
		ExpressionAttributeValues: ddb.Item{":budget": &types.AttributeValueMemberS{Value: "7 EUR"}},
	})
	if err != nil {
		t.Fatalf("UpdateItem() = %v, want no error", err)
	}
	say(dynamo.New(db, dynamo.Options{}), "s2")
	items, err := db.BatchGet(t.Context(), "ConsultationEvidence", []ddb.Item{where})
	if err != nil || len(items) != 1 || ddb.TextOf(items[0], "budget") != "7 EUR" || items[0]["ttl"] != nil || ddb.TextOf(items[0], "outcome") != "approved" {
		t.Fatalf("the item = %v, %v, want what this version does not know, and no end of its time any more", items, err)
	}
	evidence, _ := items[0]["evidence"].(*types.AttributeValueMemberL)
	if evidence == nil || len(evidence.Value) != 2 {
		t.Fatalf("the evidence = %v, want two", items[0]["evidence"])
	}
	if first, ok := evidence.Value[0].(*types.AttributeValueMemberM); !ok || ddb.TextOf(first.Value, "budget") != "7 EUR" {
		t.Errorf("the first evidence = %v, want what this version does not know", evidence.Value[0])
	}
}
