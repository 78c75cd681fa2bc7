package engine_test

import (
	"context"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/platform/fault"
)

func TestATaskThatHasChangedSinceItWasReadIsLeftAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, asks(a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, "which?"))
	task, _ := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Skill: "work"}}).ID)
	key := orchestrator.Key{Tenant: tenant, ID: task.ID}
	reply := func(etag string) string {
		_, err := w.engine.Reply(t.Context(), engine.Reply{Key: key, Caller: "tester", Message: text("that one"), RequestID: "1", Etag: etag})
		return fault.ReasonOf(err)
	}
	for _, test := range []struct{ etag, want string }{
		{"0", "ETAG_MISMATCH"}, {"x", "ETAG_MISMATCH"}, {task.Etag(), ""}, {task.Etag(), ""}, // a retry is the same reply, though the task has changed by it
	} {
		if got := reply(test.etag); got != test.want {
			t.Errorf("Reply(etag %q) = %q, want %q", test.etag, got, test.want)
		}
	}
	w = newWorld(t, asks(a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, "which?"))
	task, _ = w.await(w.submit(engine.Submission{Route: orchestrator.Route{Skill: "work"}}).ID)
	key.ID = task.ID
	if _, err := w.engine.Cancel(t.Context(), engine.Cancellation{Key: key, Caller: "tester", Etag: "0"}); fault.ReasonOf(err) != "ETAG_MISMATCH" {
		t.Errorf("Cancel(etag 0) = %v, want ETAG_MISMATCH", err)
	}
	for _, etag := range []string{"*", task.Etag(), task.Etag()} { // a retry is the same, though the task has changed by it and may have ended
		now, err := w.engine.Cancel(t.Context(), engine.Cancellation{Key: key, Caller: "tester", Etag: etag, Again: true})
		if err != nil || !now.CancelAsked {
			t.Errorf("Cancel(etag %s) = %v, want it canceled", etag, err)
		}
	}
	if task, _ = w.awaitEnd(task.ID); task.State != a2apb.TaskState_TASK_STATE_CANCELED {
		t.Errorf("state = %s, want canceled", task.State)
	}
}

func TestCancelingAgainIsSafe(t *testing.T) {
	t.Parallel()
	quits := &actor{name: "quits", skill: "other", play: func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
		return say(snapshot("r", a2apb.TaskState_TASK_STATE_CANCELED, "enough"))
	}}
	w := newWorld(t, asks(a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, "which?"), &actor{name: "quick", skill: "other", play: delivers("done")}, quits)
	canceled, _ := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Skill: "work"}}).ID)
	if _, err := w.engine.Cancel(t.Context(), engine.Cancellation{Key: canceled.Key(), Caller: "tester"}); err != nil {
		t.Fatalf("Cancel() = %v, want no error", err)
	}
	canceled, _ = w.awaitEnd(canceled.ID)
	completed, _ := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "quick"}}).ID)
	unasked, _ := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "quits"}}).ID)
	for _, test := range []struct {
		key   orchestrator.Key
		again bool
		want  string
	}{{canceled.Key(), true, ""}, {canceled.Key(), false, "TASK_ENDED"}, {completed.Key(), true, "TASK_ENDED"}, {unasked.Key(), true, "TASK_ENDED"}} {
		now, err := w.engine.Cancel(t.Context(), engine.Cancellation{Key: test.key, Caller: "tester", Etag: "0", Again: test.again})
		if fault.ReasonOf(err) != test.want || err == nil && now.State != a2apb.TaskState_TASK_STATE_CANCELED {
			t.Errorf("Cancel(%v, again %t) = %s, %v, want the reason %q", test.key, test.again, now.State, err, test.want)
		}
	}
}
