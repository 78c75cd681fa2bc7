package dynamo_test

import (
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/dynamo"
	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/platform/fault"
)

// TestATaskThatCannotBeReadDoesNotHideTheOthers has a task in a state that only a later version knows.
func TestATaskThatCannotBeReadDoesNotHideTheOthers(t *testing.T) {
	t.Parallel()
	db := tables(t, nil)
	s := dynamo.New(db, dynamo.Options{})
	for i, id := range []string{"a", "b", "c"} {
		create(t, s, id, epoch.Add(time.Duration(i)*time.Minute))
	}
	if _, err := db.API().UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: db.Table("Tasks"), Key: ddb.Item{"task_key": &types.AttributeValueMemberS{Value: "default#b"}}, UpdateExpression: aws.String("SET #s = :v"),
		ExpressionAttributeNames:  map[string]string{"#s": "state"},
		ExpressionAttributeValues: ddb.Item{":v": &types.AttributeValueMemberS{Value: "TASK_STATE_OF_LATER"}},
	}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for after := ""; ; {
		page, next, err := s.Tasks(t.Context(), "default", after, 1)
		if err != nil {
			t.Fatalf("Tasks() = %v", err)
		}
		for _, task := range page {
			got = append(got, task.ID)
			if broken := task.Error != nil && task.Error.Reason == orchestrator.ReasonUnreadable; broken != (task.ID == "b") || !task.CreateTime.Equal(epoch.Add(time.Duration(3-len(got))*time.Minute)) {
				t.Errorf("Tasks() has %+v, want TASK_UNREADABLE for b alone, at its time", task)
			}
		}
		if after = next; after == "" {
			break
		}
	}
	if strings.Join(got, " ") != "c b a" {
		t.Errorf("Tasks() = %v, want c b a", got)
	}
	if _, err := s.Task(t.Context(), key("b")); fault.ReasonOf(err) != orchestrator.ReasonUnreadable {
		t.Errorf("Task() = %v, want %s", err, orchestrator.ReasonUnreadable)
	}
}
