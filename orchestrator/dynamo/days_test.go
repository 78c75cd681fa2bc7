package dynamo_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/quorate/quorate/orchestrator/dynamo"
	"github.com/quorate/quorate/platform/ddb"
)

// TestADayIsListedAsLongAsItsTasksAreKept has replicas with another retention enter a day, as they do while the configuration is changed: without its note, no
// list shows the day's tasks.
func TestADayIsListedAsLongAsItsTasksAreKept(t *testing.T) {
	t.Parallel()
	const year = 365 * 24 * time.Hour
	for name, keep := range map[string][]time.Duration{
		"shorter": {year, time.Hour}, "longer": {time.Hour, year}, "no longer for ever": {0, year}, "for ever": {year, 0},
	} {
		db := tables(t, nil)
		for i, k := range keep {
			create(t, dynamo.New(db, dynamo.Options{Keep: k}), string(rune('a'+i)), epoch)
		}
		answer, err := db.API().GetItem(t.Context(), &dynamodb.GetItemInput{TableName: db.Table("TaskBlobs"), ConsistentRead: aws.Bool(true), Key: ddb.Item{
			"task_key": &types.AttributeValueMemberS{Value: "default#%days"}, "record_name": &types.AttributeValueMemberS{Value: epoch.Format("2006-01-02")},
		}})
		if err != nil || len(answer.Item) == 0 {
			t.Fatalf("GetItem(the day) = %v, %v, want a note", answer.Item, err)
		}
		forever := min(keep[0], keep[1]) == 0
		if ddb.Expired(answer.Item, "ttl", epoch.Add(year)) || !ddb.Expired(answer.Item, "ttl", epoch.Add(2*year)) != forever {
			t.Errorf("the note of the day has ttl %v when replicas keep tasks for %v (%s), want the longest", answer.Item["ttl"], keep, name)
		}
	}
}
