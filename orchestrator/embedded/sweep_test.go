package embedded

import (
	"slices"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
)

// TestATaskThatChangesWhileASweepLooksStays has the last receiver of a task told between the two halves of a sweep.
func TestATaskThatChangesWhileASweepLooksStays(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	before := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	var keys []orchestrator.Key
	for _, id := range []string{"changes", "over"} {
		task, _, err := s.Create(t.Context(), orchestrator.Task{
			Tenant: "t", ID: id, State: a2apb.TaskState_TASK_STATE_FAILED, CreateTime: before.Add(-time.Hour), UpdateTime: before.Add(-time.Hour),
		})
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, task.Key())
	}
	over, _, _, err := s.expired(before, nil)
	if err != nil || !slices.Equal(over, keys) {
		t.Fatalf("expired() = %v, %v, want %v", over, err, keys)
	}
	if _, err := s.Update(t.Context(), keys[0], func(task *orchestrator.Task) ([]orchestrator.Event, error) {
		task.UpdateTime = before
		return nil, nil
	}); err != nil {
		t.Fatal(err)
	}
	if removed, unread, err := s.removeAll(t.Context(), over, before); removed != 1 || unread != nil || err != nil {
		t.Errorf("removeAll() = %d, %v, %v, want 1 and no error", removed, unread, err)
	}
	if _, err := s.Task(t.Context(), keys[0]); err != nil {
		t.Errorf("Task(that has changed) = %v, want no error", err)
	}
}
