package dynamo_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/dynamo"
	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/platform/dynamotest"
	"github.com/quorate/quorate/platform/fault"
)

var epoch = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func key(id string) orchestrator.Key { return orchestrator.Key{Tenant: "default", ID: id} }

func create(t *testing.T, s orchestrator.Store, id string, at time.Time) orchestrator.Task {
	t.Helper()
	task, created, err := s.Create(t.Context(), orchestrator.Task{
		Tenant: "default", ID: id, State: a2apb.TaskState_TASK_STATE_SUBMITTED, CreateTime: at, UpdateTime: at, Deadline: at.Add(time.Hour),
		Message: &a2apb.Message{MessageId: id, Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: "do it"}}}},
	}, orchestrator.Event{Type: orchestrator.EventSubmitted})
	if err != nil || !created {
		t.Fatalf("Create(%s) = %t, %v, want true, nil", id, created, err)
	}
	return task
}

func settle(t *testing.T, s orchestrator.Store, id string, at time.Time) {
	t.Helper()
	_, err := s.Update(t.Context(), key(id), func(task *orchestrator.Task) ([]orchestrator.Event, error) {
		task.State, task.UpdateTime = a2apb.TaskState_TASK_STATE_COMPLETED, at
		return []orchestrator.Event{{Type: orchestrator.EventState}}, nil
	})
	if err != nil {
		t.Fatalf("Update(%s) = %v, want no error", id, err)
	}
}

// Each replica writes an event with every step, and those that are beaten leave nothing in the log.
func TestReplicasThatWriteToOneTaskMakeOneHistory(t *testing.T) {
	t.Parallel()
	const replicas, each = 3, 10
	db := tables(t, nil)
	create(t, dynamo.New(db, dynamo.Options{}), "a", epoch)
	var group sync.WaitGroup
	for replica := range replicas {
		s := dynamo.New(db, dynamo.Options{})
		group.Go(func() {
			for i := range each {
				_, err := s.Update(t.Context(), key("a"), func(task *orchestrator.Task) ([]orchestrator.Event, error) {
					task.StatusMessage = &a2apb.Message{MessageId: fmt.Sprintf("%d/%d", replica, i)}
					return []orchestrator.Event{{Detail: fmt.Sprintf("%d/%d", replica, i)}, {Detail: "and"}}, nil
				})
				if err != nil {
					t.Errorf("Update() = %v, want no error", err)
				}
			}
		})
	}
	group.Wait()
	s := dynamo.New(db, dynamo.Options{})
	task, err := s.Task(t.Context(), key("a"))
	if err != nil || task.Version != replicas*each+1 || task.LastEvent != replicas*each*2+1 {
		t.Fatalf("Task() = version %d, event %d, %v, want %d and %d", task.Version, task.LastEvent, err, replicas*each+1, replicas*each*2+1)
	}
	seen := details(t, s, task.LastEvent)
	for replica := range replicas {
		for i := range each {
			if n := seen[fmt.Sprintf("%d/%d", replica, i)]; n != 1 {
				t.Errorf("the log has event %d/%d %d times, want once", replica, i, n)
			}
		}
	}
}

// details reads task a's log to its last event, in small pages, and counts what it tells.
func details(t *testing.T, s orchestrator.Store, last uint64) map[string]int {
	t.Helper()
	seen := make(map[string]int)
	for after := uint64(0); after < last; {
		page, err := s.Events(t.Context(), key("a"), after, 7)
		if err != nil || len(page) == 0 {
			t.Fatalf("Events(%d) = %d events, %v, want some", after, len(page), err)
		}
		for _, e := range page {
			if after++; e.Sequence != after {
				t.Fatalf("Events() has number %d after %d, want no gap", e.Sequence, after-1)
			}
			seen[e.Detail]++
		}
	}
	return seen
}

// cut lets calls through until so many have passed, and then none, as if the process had died.
type cut struct {
	http.RoundTripper
	mu   sync.Mutex
	left int // guarded by mu
}

func (c *cut) RoundTrip(r *http.Request) (*http.Response, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !strings.Contains(r.Header.Get("X-Amz-Target"), "PutItem") {
		return c.RoundTripper.RoundTrip(r)
	}
	if c.left == 0 {
		return nil, fmt.Errorf("the process is dead: %w", http.ErrServerClosed)
	}
	c.left--
	return c.RoundTripper.RoundTrip(r)
}

// A writer may die before each of its writes: the task is then as it was, or as it was to become.
func TestAWriterThatDiesLeavesTheTaskWhole(t *testing.T) {
	t.Parallel()
	db := tables(t, nil)
	artifact := &a2apb.Artifact{ArtifactId: "large", Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: strings.Repeat("x", 100<<10)}}}}
	change := func(task *orchestrator.Task) ([]orchestrator.Event, error) {
		task.Artifacts = []*a2apb.Artifact{artifact}
		return []orchestrator.Event{{Type: orchestrator.EventDelivered}}, nil
	}
	for writes := range 4 {
		id := fmt.Sprint("task", writes)
		s := dynamo.New(db, dynamo.Options{})
		before := create(t, s, id, epoch)
		dying := &cut{RoundTripper: http.DefaultTransport, left: writes}
		dead := dynamo.New(reopen(t, db, dying), dynamo.Options{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second) // nobody waits for the dead
		_, err := dead.Update(ctx, key(id), change)
		cancel()
		after, readErr := s.Task(t.Context(), key(id))
		if readErr != nil {
			t.Fatalf("Task() after %d writes = %v, want no error", writes, readErr)
		}
		if changed := after.Version > before.Version; changed != (err == nil) || changed != (len(after.Artifacts) == 1) {
			t.Errorf("after %d writes and %v the task has version %d and %d artifacts", writes, err, after.Version, len(after.Artifacts))
		}
		want := before.LastEvent
		if err == nil {
			want++
		}
		if _, err := s.Update(t.Context(), key(id), change); err != nil {
			t.Errorf("Update() by the next = %v, want no error", err)
		}
		if log, err := s.Events(t.Context(), key(id), 0, 10); err != nil || uint64(len(log)) != want+1 {
			t.Errorf("Events() = %d events, %v, want %d", len(log), err, want+1)
		}
	}
}

// reopen returns a client for the tables of another one.
func reopen(t *testing.T, db *ddb.Client, transport http.RoundTripper) *ddb.Client {
	t.Helper()
	c, err := ddb.Open(t.Context(), ddb.Config{Endpoint: dynamotest.Endpoint(t), TablePrefix: strings.TrimSuffix(*db.Table("Tasks"), "Tasks"), Transport: transport})
	if err != nil {
		t.Fatalf("Open() = %v, want no error", err)
	}
	return c
}

func TestWhatIsOverIsGoneThoughItIsStillThere(t *testing.T) {
	t.Parallel()
	now := epoch
	s := dynamo.New(tables(t, nil), dynamo.Options{Keep: time.Hour, Now: func() time.Time { return now }})
	create(t, s, "over", epoch)
	create(t, s, "open", epoch)
	settle(t, s, "over", epoch)
	now = epoch.Add(59 * time.Minute)
	if _, err := s.Task(t.Context(), key("over")); err != nil {
		t.Errorf("Task(over) within its time = %v, want no error", err)
	}
	now = epoch.Add(time.Hour)
	_, err1 := s.Task(t.Context(), key("over"))
	_, err2 := s.Events(t.Context(), key("over"), 0, 10)
	for call, err := range map[string]error{"Task": err1, "Events": err2} {
		if fault.ReasonOf(err) != "TASK_NOT_FOUND" {
			t.Errorf("%s(over) = %v, want TASK_NOT_FOUND", call, err)
		}
	}
	page, _, err := s.Tasks(t.Context(), "default", "", 10)
	if err != nil || len(page) != 1 || page[0].ID != "open" {
		t.Errorf("Tasks() = %v, %v, want the open one only", page, err)
	}
	if again := create(t, s, "over", now); again.Version != 1 {
		t.Errorf("Create(over) again = version %d, want a new task", again.Version)
	}
	if log, err := s.Events(t.Context(), key("over"), 0, 10); err != nil || len(log) != 1 {
		t.Errorf("Events(over) = %v, %v, want the one of the new task", log, err)
	}
}

func TestAListGoesOnBehindWhatIsOver(t *testing.T) {
	t.Parallel()
	now := epoch
	s := dynamo.New(tables(t, nil), dynamo.Options{Keep: time.Hour, Now: func() time.Time { return now }})
	create(t, s, "open", epoch.Add(-time.Minute))
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		create(t, s, id, epoch)
		settle(t, s, id, epoch)
	}
	now = epoch.Add(time.Hour)
	if page, _, err := s.Tasks(t.Context(), "default", "", 1); err != nil || len(page) != 1 || page[0].ID != "open" {
		t.Errorf("Tasks() = %v, %v, want the open one, which is older than several pages of those that are over", page, err)
	}
}

func TestAStepIsKeptForTheTaskThatNeedsIt(t *testing.T) {
	t.Parallel()
	now := epoch
	s := dynamo.New(tables(t, nil), dynamo.Options{Keep: time.Hour, Now: func() time.Time { return now }})
	if _, err := s.Update(t.Context(), key(create(t, s, "step", epoch).ID), func(task *orchestrator.Task) ([]orchestrator.Event, error) {
		task.Parent, task.Deadline, task.UpdateTime = &orchestrator.Parent{TaskID: "plan"}, epoch.Add(24*time.Hour), epoch
		task.State = a2apb.TaskState_TASK_STATE_COMPLETED
		return []orchestrator.Event{{Type: orchestrator.EventState}}, nil
	}); err != nil {
		t.Fatal(err)
	}
	for after, want := range map[time.Duration]string{24 * time.Hour: "", 25 * time.Hour: "TASK_NOT_FOUND"} {
		now = epoch.Add(after)
		if _, err := s.Task(t.Context(), key("step")); fault.ReasonOf(err) != want {
			t.Errorf("Task(step) after %s = %v, want %q", after, err, want)
		}
	}
}

// TestAContextIsRememberedWhileItIsUsed uses one every other month for a year, and then no more.
func TestAContextIsRememberedWhileItIsUsed(t *testing.T) {
	t.Parallel()
	now := epoch
	s := dynamo.New(tables(t, nil), dynamo.Options{Now: func() time.Time { return now }})
	k := orchestrator.ContextKey{Tenant: "default", Owner: "tester", ContextID: "c", Agent: "echo"}
	if err := s.SetAgentContext(t.Context(), k, "remote"); err != nil {
		t.Fatal(err)
	}
	for range 6 {
		now = now.AddDate(0, 0, 60)
		if got, err := s.AgentContext(t.Context(), k); got != "remote" || err != nil {
			t.Fatalf("AgentContext() after %s = %q, %v, want remote: it is in use", now.Sub(epoch), got, err)
		}
	}
	now = now.Add(2 * orchestrator.ContextLife)
	if got, err := s.AgentContext(t.Context(), k); got != "" || err != nil {
		t.Errorf("AgentContext() long after it was used = %q, %v, want none", got, err)
	}
}

// TestNoTaskIsKeptLongerThanItsRecords has the configuration be changed while a task is under way: what was written before is removed as it was said then.
func TestNoTaskIsKeptLongerThanItsRecords(t *testing.T) {
	t.Parallel()
	for name, later := range map[string]time.Duration{"for longer": 1000 * 24 * time.Hour, "for ever": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := tables(t, nil)
			now := epoch
			create(t, dynamo.New(db, dynamo.Options{Keep: time.Hour}), "a", epoch)
			s := dynamo.New(db, dynamo.Options{Keep: later, Now: func() time.Time { return now }})
			settle(t, s, "a", epoch)
			records, err := db.API().Scan(t.Context(), &dynamodb.ScanInput{TableName: db.Table("TaskBlobs"), FilterExpression: aws.String("attribute_exists(content)")})
			if err != nil {
				t.Fatal(err)
			}
			for _, record := range records.Items {
				for now = epoch; !ddb.Expired(record, "ttl", now) && now.Before(epoch.AddDate(1, 0, 0)); {
					now = now.Add(time.Hour)
				}
				if got, err := s.Task(t.Context(), key("a")); fault.ReasonOf(err) != "TASK_NOT_FOUND" {
					t.Errorf("Task() when %s may be gone = version %d, %v, want TASK_NOT_FOUND", ddb.TextOf(record, "record_name"), got.Version, err)
				}
			}
			if len(records.Items) == 0 {
				t.Error("there are no records: the test shows nothing")
			}
		})
	}
}

func TestListsGoThroughDaysAndBuckets(t *testing.T) {
	t.Parallel()
	s := dynamo.New(tables(t, nil), dynamo.Options{})
	var want []string
	for i := range 60 {
		id := fmt.Sprintf("t%02d", i)
		create(t, s, id, epoch.Add(time.Duration(i)*7*time.Hour))
		want = append([]string{id}, want...)
	}
	for _, size := range []int{1, 7, 60, 1000} {
		var got []string
		for after := ""; ; {
			page, next, err := s.Tasks(t.Context(), "default", after, size)
			if err != nil || len(page) > size {
				t.Fatalf("Tasks(%q, %d) = %d tasks, %v", after, size, len(page), err)
			}
			for _, task := range page {
				got = append(got, task.ID)
			}
			if after = next; next == "" {
				break
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Tasks() in pages of %d (-want +got):\n%s", size, diff)
		}
	}
}
