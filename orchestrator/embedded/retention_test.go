package embedded_test

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"go.etcd.io/bbolt"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/embedded"
	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/fault"
)

var at = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// tasks is how many there are: more than one commit removes.
const tasks = 260

// tenants are named so that their tasks lie close to one another.
var tenants = []string{"a", "a\x00", "b"}

func id(i int) orchestrator.Key {
	return orchestrator.Key{Tenant: tenants[i%len(tenants)], ID: fmt.Sprint("t", i)}
}

// end creates a task and ends it some minutes later; the last one never ends.
func end(t *testing.T, s *embedded.Store, i int) {
	t.Helper()
	_, _, err := s.Create(t.Context(), orchestrator.Task{
		Tenant: id(i).Tenant, ID: id(i).ID, CreateTime: at, UpdateTime: at, Message: &a2apb.Message{MessageId: "m"},
	}, orchestrator.Event{Type: orchestrator.EventSubmitted})
	if err != nil {
		t.Errorf("Create() = %v, want no error", err)
	}
	if i == tasks-1 {
		return
	}
	if _, err := s.Update(t.Context(), id(i), func(task *orchestrator.Task) ([]orchestrator.Event, error) {
		task.State, task.UpdateTime = a2apb.TaskState_TASK_STATE_COMPLETED, at.Add(time.Duration(i)*time.Minute)
		task.StatusMessage, task.Artifacts = message("done"), []*a2apb.Artifact{{ArtifactId: "1"}}
		task.Metadata = &structpb.Struct{Fields: map[string]*structpb.Value{"model": structpb.NewStringValue("m1")}}
		return []orchestrator.Event{{Type: orchestrator.EventState}}, nil
	}); err != nil {
		t.Errorf("Update() = %v, want no error", err)
	}
}

func TestSweepRemovesWhatIsOverAndNothingElse(t *testing.T) {
	db := database(t, filepath.Join(t.TempDir(), "quorate.db"))
	s, err := embedded.New(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	var writers sync.WaitGroup // many at a time share a commit
	for i := range tasks {
		writers.Go(func() { end(t, s, i) })
	}
	writers.Wait()
	// One is touched after it ended, as a receiver of notifications that is told late does.
	if _, err := s.Update(t.Context(), id(0), func(task *orchestrator.Task) ([]orchestrator.Event, error) {
		task.UpdateTime = at.Add(tasks * time.Minute)
		return nil, nil
	}); err != nil {
		t.Fatal(err)
	}
	for i, tenant := range tenants { // as many tenants have tasks that are too young
		if _, _, err := s.Create(t.Context(), orchestrator.Task{
			Tenant: tenant, ID: fmt.Sprint("young", i), CreateTime: at.AddDate(0, 1, 0), Message: message("do it"), State: a2apb.TaskState_TASK_STATE_FAILED,
		}); err != nil {
			t.Fatal(err)
		}
	}
	before := at.Add(220 * time.Minute)
	if n, err := s.Sweep(t.Context(), before); n != 219 || err != nil {
		t.Errorf("Sweep() = %d, %v, want 219, nil", n, err)
	}
	wantThere(t, s, map[int]bool{0: true, 1: false, 219: false, 220: true, tasks - 1: true})
	left := 0
	for _, tenant := range tenants {
		page, _, err := s.Tasks(t.Context(), tenant, "", 1000)
		if left += len(page); err != nil {
			t.Errorf("Tasks(%q) = %v, want no error", tenant, err)
		}
	}
	if left != tasks-219+len(tenants) {
		t.Errorf("Tasks() of all tenants = %d tasks, want %d", left, tasks-219+len(tenants))
	}
	if n, err := s.Sweep(t.Context(), before); n != 0 || err != nil {
		t.Errorf("Sweep() again = %d, %v, want 0, nil", n, err)
	}
	if _, err := s.Sweep(t.Context(), at.AddDate(1, 0, 0)); err != nil {
		t.Errorf("Sweep() = %v, want no error", err)
	}
	wantKeys(t, db, map[string]int{ // of the one that never ended: its message and its one batch of events are in the log
		"tasks": 1, "tasks_status": 0, "tasks_about": 0, "task_log": 2, "tasks_open": 1, "tasks_recent": 1,
	})
}

func TestSweepGoesOnBehindATaskThatCannotBeRead(t *testing.T) {
	db := database(t, filepath.Join(t.TempDir(), "quorate.db"))
	s, err := embedded.New(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	const all = 10
	for i := range all {
		end(t, s, i)
	}
	spoil := func(bucket string, key []byte) {
		if err := db.Update(t.Context(), func(tx *bbolt.Tx) error { return tx.Bucket([]byte(bucket)).Put(key, []byte("?")) }); err != nil {
			t.Fatal(err)
		}
	}
	var last [][]byte // of the log: what the last task made, and the events of its end
	if err := db.View(func(tx *bbolt.Tx) error {
		c := tx.Bucket([]byte("task_log")).Cursor()
		for key, _ := c.Last(); len(last) < 2; key, _ = c.Prev() {
			last = append(last, bytes.Clone(key))
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	spoil("tasks", boltdb.Key(id(0).Tenant, id(0).ID))
	for _, key := range last {
		spoil("task_log", key)
	}
	n, err := s.Sweep(t.Context(), at.AddDate(1, 0, 0))
	if err == nil || n != all-2 {
		t.Errorf("Sweep() = %d, %v, want %d removed and what is wrong with the other two", n, err, all-2)
	}
}

func TestSweepLeavesAStepToTheTaskThatNeedsIt(t *testing.T) {
	db := database(t, filepath.Join(t.TempDir(), "quorate.db"))
	s, err := embedded.New(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	for name, parent := range map[string]orchestrator.Parent{"step": {TaskID: "plan"}, "carrier": {TaskID: "plan", ConsultationID: "c"}} {
		if _, _, err := s.Create(t.Context(), orchestrator.Task{
			Tenant: "a", ID: name, CreateTime: at, UpdateTime: at, Deadline: at.Add(time.Hour), Message: message("do it"), Parent: &parent,
			State: a2apb.TaskState_TASK_STATE_COMPLETED,
		}); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		before time.Time
		want   int
	}{{at.Add(time.Hour), 1}, {at.Add(time.Hour + time.Minute), 1}} {
		if n, err := s.Sweep(t.Context(), test.before); n != test.want || err != nil {
			t.Errorf("Sweep(%s) = %d, %v, want %d: the carrier first, the step only when the task that needs it is over", test.before, n, err, test.want)
		}
	}
}

// wantKeys counts the keys of buckets.
func wantKeys(t *testing.T, db *boltdb.DB, want map[string]int) {
	t.Helper()
	got := make(map[string]int)
	if err := db.View(func(tx *bbolt.Tx) error {
		for name := range want {
			got[name] = tx.Bucket([]byte(name)).Stats().KeyN
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(got, want) {
		t.Errorf("keys = %v, want %v", got, want)
	}
}

// wantThere looks for tasks and their logs.
func wantThere(t *testing.T, s *embedded.Store, want map[int]bool) {
	t.Helper()
	for i, there := range want {
		_, taskErr := s.Task(t.Context(), id(i))
		_, logErr := s.Events(t.Context(), id(i), 0, 10)
		for call, err := range map[string]error{"Task": taskErr, "Events": logErr} {
			if there && err != nil || !there && fault.ReasonOf(err) != "TASK_NOT_FOUND" {
				t.Errorf("%s(%d) after the sweep = %v, want it there: %t", call, i, err, there)
			}
		}
	}
}
