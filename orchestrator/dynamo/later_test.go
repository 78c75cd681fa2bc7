package dynamo_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/quorate/quorate/orchestrator/dynamo"
	"github.com/quorate/quorate/platform/ddb"
)

// TestWhatALaterVersionWroteIsKept has replicas of two versions, as while one is put in place of the other: one writes a task with an attribute of the other's.
func TestWhatALaterVersionWroteIsKept(t *testing.T) {
	t.Parallel()
	db := tables(t, nil)
	s := dynamo.New(db, dynamo.Options{})
	create(t, s, "a", epoch)
	item := func() ddb.Item {
		answer, err := db.API().Scan(t.Context(), &dynamodb.ScanInput{TableName: db.Table("Tasks"), ConsistentRead: aws.Bool(true)})
		if err != nil || len(answer.Items) != 1 {
			t.Fatalf("Scan() = %v, %v, want the task", answer, err)
		}
		return answer.Items[0]
	}
	if _, err := db.API().UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: db.Table("Tasks"), Key: ddb.Item{"task_key": item()["task_key"]}, UpdateExpression: aws.String("SET of_later = :v"),
		ExpressionAttributeValues: ddb.Item{":v": &types.AttributeValueMemberS{Value: "what it says"}},
	}); err != nil {
		t.Fatal(err)
	}
	settle(t, s, "a", epoch)
	now := item()
	if got := ddb.TextOf(now, "of_later"); got != "what it says" {
		t.Errorf("what a later version wrote is %q after a write of this one, want it kept", got)
	}
	if _, open := now["open_shard"]; open {
		t.Error("the settled task is listed as open")
	}
}
