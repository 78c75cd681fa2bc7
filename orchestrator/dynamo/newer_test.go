package dynamo_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/dynamo"
	"github.com/quorate/quorate/platform/ddb"
)

// While replicas are upgraded one after the other, some of them find what they do not know yet in the tasks of those that are newer.
func TestWhatANewerVersionHasWrittenStays(t *testing.T) {
	t.Parallel()
	db := tables(t, nil)
	s := dynamo.New(db, dynamo.Options{})
	create(t, s, "a", epoch)
	attempt := func(number int) {
		t.Helper()
		_, err := s.Update(t.Context(), key("a"), func(task *orchestrator.Task) ([]orchestrator.Event, error) {
			task.Attempts = append(slices.Clone(task.Attempts), orchestrator.Attempt{Number: number, Error: &orchestrator.Error{Reason: "R"}})
			return nil, nil
		})
		if err != nil {
			t.Fatalf("Update() = %v, want no error", err)
		}
	}
	attempt(1)
	where := ddb.Item{"task_key": &types.AttributeValueMemberS{Value: "default#a"}}
	text := func(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
	record := ddb.Item{
		"task_key": where["task_key"], "record_name": text("content#newer"),
		"content": &types.AttributeValueMemberM{Value: ddb.Item{"limits": &types.AttributeValueMemberB{Value: []byte(`{"newer":true}`)}}},
	}
	if err := db.Put(t.Context(), types.Put{TableName: db.Table("TaskBlobs"), Item: record}); err != nil {
		t.Fatalf("Put() = %v, want no error", err)
	}
	_, err := db.API().UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: db.Table("Tasks"), Key: where, UpdateExpression: aws.String("SET budget = :budget, content.limits = :record, attempts[0].#e.budget = :budget"),
		ExpressionAttributeNames:  map[string]string{"#e": "Error"},
		ExpressionAttributeValues: ddb.Item{":budget": text("7 EUR"), ":record": text("content#newer")},
	})
	if err != nil {
		t.Fatalf("UpdateItem() = %v, want no error", err)
	}
	task, err := s.Update(t.Context(), key("a"), func(task *orchestrator.Task) ([]orchestrator.Event, error) {
		task.State = a2apb.TaskState_TASK_STATE_WORKING
		return []orchestrator.Event{{Type: orchestrator.EventState}}, nil
	})
	if err != nil || task.Message.GetMessageId() != "a" {
		t.Fatalf("Update() = %+v, %v, want the task with its message", task, err)
	}
	answer, err := db.API().GetItem(t.Context(), &dynamodb.GetItemInput{TableName: db.Table("Tasks"), Key: where, ConsistentRead: aws.Bool(true)})
	if err != nil {
		t.Fatalf("GetItem() = %v, want no error", err)
	}
	content, _ := answer.Item["content"].(*types.AttributeValueMemberM)
	if ddb.TextOf(answer.Item, "budget") != "7 EUR" || content == nil || ddb.TextOf(content.Value, "limits") != "content#newer" {
		t.Errorf("the item after Update() = %v, want what was in it that this version does not know", answer.Item)
	}
	attempt(2)
	settle(t, s, "a", epoch)
	items, err := db.BatchGet(t.Context(), "Tasks", []ddb.Item{where})
	if err != nil || len(items) != 1 || ddb.TextOf(items[0], "budget") != "7 EUR" || items[0]["open_shard"] != nil {
		t.Errorf("the item of the settled task = %v, %v, want it no longer among the open ones, and the same", items, err)
	}
	if got := fmt.Sprint(budgets(items[0]["attempts"])); got != "[7 EUR ]" {
		t.Errorf("the budgets of the attempts = %s, want that of the first one", got)
	}
}

// budgets returns what a newer version has added to the errors of attempts.
func budgets(attempts types.AttributeValue) (found []string) {
	list, _ := attempts.(*types.AttributeValueMemberL)
	for _, e := range list.Value {
		attempt, _ := e.(*types.AttributeValueMemberM)
		why, _ := attempt.Value["Error"].(*types.AttributeValueMemberM)
		found = append(found, ddb.TextOf(why.Value, "budget"))
	}
	return found
}

// The gates of a task are one content, of which each check replaces a part.
func TestWhatANewerVersionHasWrittenInOtherGatesStays(t *testing.T) {
	t.Parallel()
	db := tables(t, nil)
	check := func(s *dynamo.Store, phase orchestrator.Phase) {
		t.Helper()
		_, err := s.Update(t.Context(), key("a"), func(task *orchestrator.Task) ([]orchestrator.Event, error) {
			task.SetGate(orchestrator.Gate{Phase: phase, Allowed: true})
			return nil, nil
		})
		if err != nil {
			t.Fatalf("Update() = %v, want no error", err)
		}
	}
	s := dynamo.New(db, dynamo.Options{})
	create(t, s, "a", epoch)
	check(s, orchestrator.PhasePreExecution)
	gates := func() (record ddb.Item, content *types.AttributeValueMemberM, encoded string) {
		t.Helper()
		answer, err := db.API().Query(t.Context(), &dynamodb.QueryInput{
			TableName: db.Table("TaskBlobs"), ConsistentRead: aws.Bool(true), KeyConditionExpression: aws.String("task_key = :a"), ScanIndexForward: aws.Bool(false),
			ExpressionAttributeValues: ddb.Item{":a": &types.AttributeValueMemberS{Value: "default#a"}},
		})
		if err != nil {
			t.Fatalf("Query() = %v, want no error", err)
		}
		for _, item := range answer.Items { // the newest first
			content, _ := item["content"].(*types.AttributeValueMemberM)
			if content == nil {
				continue
			}
			if b, ok := content.Value["gates"].(*types.AttributeValueMemberB); ok {
				return item, content, string(b.Value)
			}
		}
		t.Fatalf("the records = %v, want one with gates", answer.Items)
		return nil, nil, ""
	}
	record, content, encoded := gates()
	content.Value["gates"] = &types.AttributeValueMemberB{Value: []byte(strings.Replace(encoded, "{", `{"Budget":"7 EUR",`, 1))}
	if err := db.Put(t.Context(), types.Put{TableName: db.Table("TaskBlobs"), Item: record}); err != nil {
		t.Fatalf("Put() = %v, want no error", err)
	}
	s = dynamo.New(db, dynamo.Options{}) // an older replica
	for _, phase := range []orchestrator.Phase{orchestrator.PhaseDesignReview, orchestrator.PhasePreCompletion} {
		check(s, phase)
		if _, _, encoded := gates(); strings.Count(encoded, `"Budget":"7 EUR"`) != 1 || !strings.Contains(encoded, string(phase)) {
			t.Errorf("the gates after the check of %s = %s, want that one, and what was in the first one", phase, encoded)
		}
	}
	if task, err := s.Task(t.Context(), key("a")); err != nil || len(task.Gates) != 3 || task.Gates[0].Phase != orchestrator.PhasePreExecution {
		t.Errorf("Task() = %+v, %v, want it with three gates", task, err)
	}
}
