package engine

import (
	"fmt"
	"slices"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
)

// When the tasks of a plan's steps ask something, the plan's task asks it, one question after the other, and passes the reply on. A reply is accepted
// when the step's task has it, in one write: so of two replies to one question one is refused, and after a crash the next round brings the plan's
// task up to date.

// showWait returns the change that makes the task show that the task of a step waits, or that this is over. Between two such waits the task is working,
// if only for a moment, so that its watchers see each of them.
func (r *planRound) showWait() (show func(*orchestrator.Task)) {
	was, now := r.plan.Asking, r.waitToShow()
	switch {
	case was == nil && now == nil:
		return func(t *orchestrator.Task) { t.Plan, t.State = r.plan, a2apb.TaskState_TASK_STATE_WORKING }
	case was != nil && now != nil && *was == *now:
		return func(t *orchestrator.Task) { t.Plan = r.plan }
	case was != nil:
		if len(r.events) == 0 {
			r.logResumed(was.Step - 1)
		}
		return r.clearWait()
	}
	if len(r.events) == 0 {
		r.logWait(now.Step - 1)
	}
	r.plan.Asking = now
	child := r.tasks[now.Step-1]
	return func(t *orchestrator.Task) {
		t.Plan, t.State = r.plan, child.State
		if now.Gate != "" {
			t.Error = gateError(child)
			t.Error.Message = fmt.Sprintf("task %s of agent %s waits: %s", child.ID, child.Agent, t.Error.Message)
			return
		}
		if t.StatusMessage = shownQuestion(child); t.StatusMessage != nil {
			addTurn(t, orchestrator.Turn{FromAgent: true, MessageID: t.StatusMessage.GetMessageId(), Time: child.UpdateTime, Message: t.StatusMessage})
		}
	}
}

// clearWait returns the change after which the task shows no wait.
func (r *planRound) clearWait() (show func(*orchestrator.Task)) {
	was := r.plan.Asking
	r.plan.Asking = nil
	return func(t *orchestrator.Task) {
		if t.Plan = r.plan; was != nil {
			endWait(t, was, r.tasks[was.Step-1])
		}
	}
}

// endWait makes a task show no wait any more. What was replied to the step's task, directly or through this one, is added to the turns.
func endWait(t *orchestrator.Task, was *orchestrator.Asking, child *orchestrator.Task) {
	t.State, t.StatusMessage, t.Error = a2apb.TaskState_TASK_STATE_WORKING, nil, nil
	if child == nil || was.Gate != "" || len(child.Turns) <= was.Turns || child.Turns[was.Turns].FromAgent {
		return
	}
	reply := child.Turns[was.Turns]
	reply.Question, reply.Sends, reply.Done = "", 0, true // the other task sends it
	addTurn(t, reply)
}

// addTurn adds to the turns as much as a task has room for.
func addTurn(t *orchestrator.Task, turn orchestrator.Turn) {
	if len(t.Turns) < orchestrator.MaxTurns && t.CheckTurn(turn.Message) == nil {
		turn.Number = len(t.Turns) + 1
		t.Turns = append(slices.Clip(t.Turns), turn)
	}
}

// waitToShow returns the wait to show: questions of agents come before gates; among equals, the one that is shown stays, then the order of steps
// decides.
func (r *planRound) waitToShow() (found *orchestrator.Asking) {
	rank := func(a *orchestrator.Asking) (n int) {
		if a.Gate == "" {
			n += 2
		}
		if was := r.plan.Asking; was != nil && *was == *a {
			n++
		}
		return n
	}
	for i := range r.plan.Steps {
		child := r.tasks[i]
		if child == nil || !orchestrator.Interrupted(child.State) {
			continue
		}
		a := &orchestrator.Asking{Step: i + 1, State: child.State, Turns: len(child.Turns)}
		if child.Blocked() {
			a.Gate = describeError(gateError(child))
		}
		if found == nil || rank(a) > rank(found) {
			found = a
		}
	}
	return found
}

// shownQuestion returns what a task's agent asks, as it is shown where the task serves another one: its words are held back while a review stands between
// them and the caller.
func shownQuestion(t *orchestrator.Task) *a2apb.Message {
	if !t.Guarded() {
		return t.StatusMessage
	}
	return t.HeldQuestion()
}

// logWait logs for whom the task of a step waits.
func (r *planRound) logWait(i int) {
	whom := "its caller"
	if child := r.tasks[i]; child.Blocked() {
		whom = "a consultation: " + describeError(gateError(child))
	}
	r.log(i, "task %s waits for %s", r.plan.Steps[i].TaskID, whom)
}

func (r *planRound) logResumed(i int) { r.log(i, "task %s goes on", r.plan.Steps[i].TaskID) }
