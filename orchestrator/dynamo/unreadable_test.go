package dynamo_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
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

// TestAnArtifactOfWhichAPartIsMissingCannotBeRead has tables that were not restored to the same moment: nobody must take the rest for the artifact. It
// is divided between two of its parts, and so the rest could be decoded.
func TestAnArtifactOfWhichAPartIsMissingCannotBeRead(t *testing.T) {
	t.Parallel()
	db := tables(t, nil)
	writer := dynamo.New(db, dynamo.Options{})
	create(t, writer, "a", epoch)
	const size = 60_000 // of seven bytes each, after seven bytes of the id
	if _, err := writer.Update(t.Context(), key("a"), func(t *orchestrator.Task) ([]orchestrator.Event, error) {
		t.Artifacts = []*a2apb.Artifact{{ArtifactId: "large", Parts: slices.Repeat([]*a2apb.Part{{Content: &a2apb.Part_Text{Text: "abc"}}}, size)}}
		return nil, nil
	}); err != nil {
		t.Fatal(err)
	}
	parts := recordsOf(t, db, "a", "*0")
	if len(parts) != 2 {
		t.Fatalf("there are %d records with parts of the artifact, want 2", len(parts))
	}
	for _, part := range parts {
		remove(t, db, part)
		if _, err := dynamo.New(db, dynamo.Options{}).Task(t.Context(), key("a")); fault.ReasonOf(err) != orchestrator.ReasonUnreadable {
			t.Errorf("Task() without %v = %v, want %s", part["record_name"], err, orchestrator.ReasonUnreadable)
		}
		if err := db.Put(t.Context(), types.Put{TableName: db.Table("TaskBlobs"), Item: part}); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := dynamo.New(db, dynamo.Options{}).Task(t.Context(), key("a")); err != nil || len(got.Artifacts[0].GetParts()) != size {
		t.Errorf("Task() with all parts = %v, want the artifact whole", err)
	}
}

// recordsOf returns the records of a task whose names contain a text.
func recordsOf(t *testing.T, db *ddb.Client, id, containing string) (records []ddb.Item) {
	t.Helper()
	pages := dynamodb.NewQueryPaginator(db.API(), &dynamodb.QueryInput{
		TableName: db.Table("TaskBlobs"), ConsistentRead: aws.Bool(true), KeyConditionExpression: aws.String("task_key = :t"),
		ExpressionAttributeValues: ddb.Item{":t": &types.AttributeValueMemberS{Value: "default#" + id}},
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range page.Items {
			if strings.Contains(ddb.TextOf(item, "record_name"), containing) {
				records = append(records, item)
			}
		}
	}
	return records
}

// remove deletes a record.
func remove(t *testing.T, db *ddb.Client, record ddb.Item) {
	t.Helper()
	key := ddb.Item{"task_key": record["task_key"], "record_name": record["record_name"]}
	if err := db.BatchWrite(t.Context(), "TaskBlobs", []types.WriteRequest{{DeleteRequest: &types.DeleteRequest{Key: key}}}); err != nil {
		t.Fatal(err)
	}
}

// A task's content is in other items, which may be of a later version, too, or missing in tables that were not restored to the same moment.
func TestATaskWhoseContentCannotBeReadDoesNotHideTheOthers(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(t *testing.T, db *ddb.Client, record ddb.Item){
		"it is missing": remove,
		"it has another form": func(t *testing.T, db *ddb.Client, record ddb.Item) {
			t.Helper()
			record["content"] = &types.AttributeValueMemberM{Value: ddb.Item{
				"plan":    &types.AttributeValueMemberB{Value: []byte(`["later"]`)},
				"message": &types.AttributeValueMemberB{Value: []byte("later")},
			}}
			if err := db.Put(t.Context(), types.Put{TableName: db.Table("TaskBlobs"), Item: record}); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := tables(t, nil)
			writer := dynamo.New(db, dynamo.Options{})
			for i, id := range []string{"a", "b", "c"} {
				create(t, writer, id, epoch.Add(time.Duration(i)*time.Minute))
			}
			records := recordsOf(t, db, "b", "")
			if len(records) != 1 {
				t.Fatalf("there are %d records of b, want one", len(records))
			}
			spoil(t, db, records[0])
			s := dynamo.New(db, dynamo.Options{}) // another process, which has nothing in its cache
			page, _, err := s.Tasks(t.Context(), "default", "", 9)
			if err != nil || len(page) != 3 {
				t.Fatalf("Tasks() = %v, %v, want three", page, err)
			}
			for i, id := range []string{"c", "b", "a"} {
				broken := page[i].Error != nil && page[i].Error.Reason == orchestrator.ReasonUnreadable
				if page[i].ID != id || broken != (id == "b") || !page[i].CreateTime.Equal(epoch.Add(time.Duration(2-i)*time.Minute)) {
					t.Errorf("Tasks()[%d] = %+v, want TASK_UNREADABLE for b alone, at its time", i, page[i])
				}
			}
			if _, err := s.Task(t.Context(), key("b")); fault.ReasonOf(err) != orchestrator.ReasonUnreadable {
				t.Errorf("Task(b) = %v, want %s", err, orchestrator.ReasonUnreadable)
			}
		})
	}
}
