package agenttask_test

import (
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator/agenttask"
)

// changes is an update of a task's state, which may name a context.
func changes(task, context string, state a2apb.TaskState) *a2apb.StreamResponse {
	return &a2apb.StreamResponse{Payload: &a2apb.StreamResponse_StatusUpdate{StatusUpdate: &a2apb.TaskStatusUpdateEvent{
		TaskId: task, ContextId: context, Status: &a2apb.TaskStatus{State: state},
	}}}
}

// TestWhatIsNews has an agent say something twice each time.
func TestWhatIsNews(t *testing.T) {
	t.Parallel()
	const unspecified = a2apb.TaskState_TASK_STATE_UNSPECIFIED
	for name, test := range map[string]struct {
		before, says *a2apb.StreamResponse
		news         bool
		state        a2apb.TaskState
	}{
		"the task's name":         {changes("", "", working), changes("r", "", working), true, working},
		"the name in a snapshot":  {changes("", "", working), says(working, ""), true, working},
		"the name with a piece":   {changes("", "", working), &a2apb.StreamResponse{Payload: &a2apb.StreamResponse_ArtifactUpdate{ArtifactUpdate: &a2apb.TaskArtifactUpdateEvent{TaskId: "r"}}}, true, working},
		"another state":           {says(working, ""), changes("r", "c", waiting), true, waiting},
		"the same state":          {says(working, ""), changes("r", "c", working), false, working},
		"no state":                {says(working, ""), changes("r", "c", unspecified), false, working},
		"another message":         {says(working, "a"), says(working, "b"), true, working},
		"the same message":        {says(working, "a"), says(working, "a"), false, working},
		"a state after the end":   {says(a2apb.TaskState_TASK_STATE_FAILED, ""), changes("r", "c", working), false, a2apb.TaskState_TASK_STATE_FAILED},
		"a message is the answer": {changes("", "", working), &a2apb.StreamResponse{Payload: &a2apb.StreamResponse_Message{Message: &a2apb.Message{ContextId: "c", Parts: text("x")}}}, true, a2apb.TaskState_TASK_STATE_COMPLETED},
		"what nobody knows":       {says(working, ""), &a2apb.StreamResponse{}, false, working},
	} {
		h := apply(t, test.before)
		if news, err := h.Apply(test.says); err != nil || news != test.news || h.State != test.state {
			t.Errorf("Apply() of %s = %t, %v in state %s, want it to be news: %t, in state %s", name, news, err, h.State, test.news, test.state)
		}
		if news, err := h.Apply(test.says); err != nil || news {
			t.Errorf("Apply() of %s once more = %t, %v, want no news", name, news, err)
		}
	}
}

// TestWordsBelongToAState has an agent change its state without a word after it has said something.
func TestWordsBelongToAState(t *testing.T) {
	t.Parallel()
	for state, want := range map[a2apb.TaskState]string{
		working: "on it", a2apb.TaskState_TASK_STATE_COMPLETED: "", a2apb.TaskState_TASK_STATE_FAILED: "", a2apb.TaskState_TASK_STATE_REJECTED: "",
	} {
		h := apply(t, says(working, "on it"), changes("r", "", state))
		if got := agenttask.Text(h.Status); got != want {
			t.Errorf("an agent whose task is %s without a word says %q, want %q", state, got, want)
		}
	}
}

// TestOnlyAFailureInTheSameContextMayBeTheTasks has an agent speak of another task than that which it named.
func TestOnlyAFailureInTheSameContextMayBeTheTasks(t *testing.T) {
	t.Parallel()
	const failed = a2apb.TaskState_TASK_STATE_FAILED
	for name, test := range map[string]struct {
		before, says *a2apb.StreamResponse
		stray, fails bool
	}{
		"its failure, in the same context": {says(working, ""), changes("other", "c", failed), true, true},
		"its failure, in another context":  {says(working, ""), changes("other", "d", failed), true, false},
		"its failure, in no context":       {changes("r", "", working), changes("other", "", failed), true, false},
		"its progress":                     {says(working, ""), changes("other", "c", working), true, false},
		"none, so that it is the task's":   {says(working, ""), changes("", "c", failed), false, false},
	} {
		h := apply(t, test.before)
		first, err := h.Apply(test.says)
		if again, _ := h.Apply(test.says); err != nil || !first || again {
			t.Errorf("Apply() of %s = %t, %v and then %t, want it to be news once", name, first, err, again)
		}
		if h.Strayed() != test.stray || (h.StrayFailure() != nil) != test.fails || (h.State == working) != test.stray {
			t.Errorf("after %s: Strayed() = %t, StrayFailure() = %v, and the task is in state %s", name, h.Strayed(), h.StrayFailure(), h.State)
		}
		if _, err := h.Apply(says(working, "")); err != nil || h.StrayFailure() != nil {
			t.Errorf("after %s, and then something of the task itself: StrayFailure() = %v, %v, want none", name, h.StrayFailure(), err)
		}
	}
}
