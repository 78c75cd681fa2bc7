package dynamo_test

import (
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/dynamo"
	"github.com/quorate/quorate/platform/dynamotest"
)

// batches counts the bytes of the items that are read by their keys.
type batches struct{ bytes atomic.Int64 }

func (b *batches) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && strings.Contains(r.Header.Get("X-Amz-Target"), "BatchGetItem") {
		b.bytes.Add(answer.ContentLength)
	}
	return answer, err
}

func TestAListOfTasksDoesNotReadTheirMessages(t *testing.T) {
	t.Parallel()
	dynamotest.Endpoint(t)
	b := &batches{}
	db := tables(t, b)
	s := dynamo.New(db, dynamo.Options{})
	const tasks, message = 20, 60 << 10
	for n := range tasks {
		task := orchestrator.Task{
			Tenant: "default", ID: strconv.Itoa(n), State: a2apb.TaskState_TASK_STATE_SUBMITTED, CreateTime: epoch, UpdateTime: epoch,
			Message:  &a2apb.Message{Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: strings.Repeat("x", message)}}}},
			Decision: orchestrator.Decision{Chosen: "echo"},
		}
		if _, _, err := s.Create(t.Context(), task); err != nil {
			t.Fatalf("Create() = %v, want no error", err)
		}
	}
	other := dynamo.New(db, dynamo.Options{}) // a replica that has read nothing yet
	list, _, err := other.Tasks(t.Context(), "default", "", tasks)
	if err != nil || len(list) != tasks || list[0].Decision.Chosen != "echo" {
		t.Fatalf("Tasks() = %d tasks, %v, want %d with their decisions", len(list), err, tasks)
	}
	if got := b.bytes.Load(); got > tasks*message/10 {
		t.Errorf("a list of %d tasks reads %d bytes, want much less than the %d of their messages", tasks, got, tasks*message)
	}
	for _, task := range list {
		if _, err := other.TaskPart(t.Context(), orchestrator.Key{Tenant: "default", ID: task.ID}, orchestrator.Part{}); err != nil {
			t.Fatalf("TaskPart() = %v, want no error", err)
		}
	}
	if got := b.bytes.Load(); got > tasks*message/10 {
		t.Errorf("%d tasks without their content are %d bytes, want much less than the %d of their messages", tasks, got, tasks*message)
	}
}

// queries counts queries.
type queries struct{ n atomic.Int64 }

func (q *queries) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".Query") {
		q.n.Add(1)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// DynamoDB takes days to remove tasks that are over, and a list that comes to its end reads all of them.
func TestAListThatEndsAmongTasksThatAreOverTakesFewQueries(t *testing.T) {
	t.Parallel()
	dynamotest.Endpoint(t)
	q := &queries{}
	now := epoch
	s := dynamo.New(tables(t, q), dynamo.Options{Keep: time.Hour, Now: func() time.Time { return now }})
	create(t, s, "open", epoch.Add(-time.Second))
	const over, most = 100, 150
	for n := range over {
		id := strconv.Itoa(n)
		create(t, s, id, epoch)
		settle(t, s, id, epoch)
	}
	now = epoch.Add(time.Hour)
	if page, next, err := s.Tasks(t.Context(), "default", "", 1); err != nil || len(page) != 1 || page[0].ID != "open" || next != "" {
		t.Errorf("Tasks() = %v, %q, %v, want the open one and no more", page, next, err)
	}
	if got := q.n.Load(); got > most {
		t.Errorf("a list that passes over %d tasks takes %d queries, want %d at most", over, got, most)
	}
}
