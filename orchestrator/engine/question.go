package engine

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
)

const (
	maxQuestionBytes = 256 << 10

	// How long to wait between two polls of an agent that waits for its caller. Once authorized elsewhere, it continues by itself, and soon (A2A
	// §7.6); after a question it hardly does.
	soonest, soonestAsked = 2 * time.Second, 10 * time.Second
	latest, latestAsked   = time.Minute, 10 * time.Minute
)

// byMessage is the prefix of a question's identity that is taken from its message, which is reliable.
const byMessage = "message "

// questionOf returns the identity of an agent's question: that of its message or, without one, the time of the state.
func questionOf(s *a2apb.TaskStatus) string {
	switch {
	case !orchestrator.Interrupted(s.GetState()):
		return ""
	case s.GetMessage().GetMessageId() != "":
		return byMessage + s.GetMessage().GetMessageId()
	case s.GetTimestamp() != nil:
		return "time " + s.GetTimestamp().AsTime().Truncate(time.Millisecond).Format(time.RFC3339Nano)
	default:
		return "question"
	}
}

// waitsForCaller reports whether the agent waits for its caller. It does not if it just has not read its reply yet.
func (h *remoteState) waitsForCaller() bool {
	return orchestrator.Interrupted(h.state) && (!h.replied || h.asked != h.answered)
}

func (h *remoteState) setContextID(contextID string) {
	if contextID != "" {
		h.contextID = contextID
	}
}

// recordIDs records the ids by which the agent knows the task.
func (h *remoteState) recordIDs(t *orchestrator.Task) {
	a := t.EditOpenAttempt()
	if h.taskID != "" {
		a.RemoteTaskID = h.taskID
	}
	if h.contextID != "" {
		a.RemoteContext = h.contextID
	}
}

// hasNewQuestion reports whether the agent waits with a question that the task does not have yet.
func (h *remoteState) hasNewQuestion(t *orchestrator.Task) bool {
	a, last := t.OpenAttempt(), len(t.Turns)-1
	if !h.waitsForCaller() || a == nil {
		return false
	}
	return a.Question != h.asked || h.repeats && last >= 0 && !t.Turns[last].FromAgent
}

// repeatsQuestion reports whether the last thing that the agent said is the question that the task has already.
func (h *remoteState) repeatsQuestion(t *orchestrator.Task) bool {
	a := t.OpenAttempt()
	return a != nil && a.Question != "" && (a.Question == h.asked || a.Question == byMessage+h.status.GetMessageId())
}

// checkQuestion refuses questions beyond the limits. The caller holds mu.
func (c *conversation) checkQuestion() error {
	switch {
	case c.task.LastEvent > 2*orchestrator.MaxEvents && c.remote.mirroredState() != c.task.State:
		return fault.New(fault.FailedPrecondition, agentclient.ReasonAnswerInvalid, "the agent changes the state of its task without end; the log has %d entries", c.task.LastEvent)
	case !c.remote.hasNewQuestion(&c.task):
		return nil
	case len(c.task.Turns) >= orchestrator.MaxTurns:
		return fault.New(fault.FailedPrecondition, "TOO_MANY_TURNS", "the agent asks again after %d messages; a task takes no more", len(c.task.Turns))
	case proto.Size(c.remote.status) > maxQuestionBytes:
		return fault.New(fault.FailedPrecondition, "QUESTION_TOO_LARGE", "the agent asks with more than %d bytes", maxQuestionBytes)
	default:
		return c.task.CheckTurn(c.remote.status)
	}
}

// storeTurns adds the agent's question to the task, once, and marks the reply that the agent has received.
func (e *Engine) storeTurns(t *orchestrator.Task, h *remoteState) {
	if reply := t.EditPendingReply(); reply != nil && h.delivered {
		reply.Done = true
	}
	if !h.waitsForCaller() && orchestrator.Interrupted(t.State) { // the agent continued by itself
		t.State = a2apb.TaskState_TASK_STATE_WORKING
	}
	if !h.hasNewQuestion(t) {
		return
	}
	t.EditOpenAttempt().Question = h.asked
	t.StatusMessage = h.status
	h.showDraft(t)
	if h.status == nil {
		return
	}
	n := len(t.Turns) + 1
	t.Turns = append(t.Turns[:n-1:n-1], orchestrator.Turn{
		Number: n, FromAgent: true, MessageID: h.status.GetMessageId(), Question: h.asked, Time: e.now(), Message: h.status,
	})
}

// showDraft puts what the agent has made so far into a task that waits for its caller, who may have to judge it. If a review stands in between, or an
// artifact is large, that has to wait for the delivery: each step with one would write it again. The conversation may go on and change its own copy.
func (h *remoteState) showDraft(t *orchestrator.Task) {
	if t.Guarded() {
		return
	}
	before := t.Artifacts
	t.Artifacts, t.Metadata = nil, nil
	for i, a := range h.artifacts {
		switch {
		case proto.Size(a) > maxQuestionBytes:
			continue
		case i < len(before) && proto.Equal(before[i], a): // it need not be written again
			a = before[i]
		default:
			a = proto.CloneOf(a)
		}
		t.Artifacts = append(t.Artifacts, a)
	}
	if h.metadata != nil {
		t.Metadata = proto.CloneOf(h.metadata)
	}
}

// pollWaiting asks an agent that waits for its caller whether it still does, and returns how long to wait before asking again.
func (e *Engine) pollWaiting(ctx context.Context, t *orchestrator.Task, client agentclient.Client) (wait time.Duration, still bool) {
	a := t.OpenAttempt()
	if a == nil || a.RemoteTaskID == "" {
		return 0, false
	}
	asking, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	remote, err := client.Task(asking, a.RemoteTaskID, 0)
	if err != nil && (agentclient.Retryable(err) || isOurs(err) || ctx.Err() != nil) {
		return e.waitingPollDelay(t), agentclient.Retryable(err)
	}
	if breaker := e.breakers.get(t.Tenant, t.Agent); breaker.IsHalfOpen() { // the agent is back
		breaker.RecordSuccess()
	}
	if err != nil {
		return e.waitingPollDelay(t), false
	}
	recognize(t, remote)
	return e.waitingPollDelay(t), questionOf(remote.GetStatus()) == a.Question
}

// recognize gives the question of an agent's task the id that it had, if nobody has answered it and it says the same: some agents make their answer anew
// each time that they are asked for a task, and their messages with it. Once a reply may have arrived, the same words are another question.
func recognize(t *orchestrator.Task, remote *a2apb.Task) {
	last, m := len(t.Turns)-1, remote.GetStatus().GetMessage()
	if reply := t.PendingReply(); reply != nil && reply.Sends == 1 { // it is about to be sent
		last--
	}
	if last < 0 || m == nil || m.GetMessageId() == t.Turns[last].MessageID || !orchestrator.Interrupted(remote.GetStatus().GetState()) {
		return
	}
	if asked := t.Turns[last]; asked.FromAgent && asked.Question == t.OpenAttempt().Question && saySame(asked.Message, m) {
		m.MessageId = asked.MessageID
	}
}

func saySame(a, b *a2apb.Message) bool {
	return slices.EqualFunc(a.GetParts(), b.GetParts(), func(x, y *a2apb.Part) bool { return proto.Equal(x, y) })
}

// waitingPollDelay returns how long to wait before asking an agent that waits for its caller again; it grows with the time that the agent has waited.
func (e *Engine) waitingPollDelay(t *orchestrator.Task) time.Duration {
	wait := e.now().Sub(t.UpdateTime) / 4
	if t.State == a2apb.TaskState_TASK_STATE_AUTH_REQUIRED {
		return min(max(wait, soonest), latest)
	}
	return min(max(wait, soonestAsked), latestAsked)
}

// replyArrived reports whether an agent's task shows that it has received the reply: it is in the history, or the agent no longer waits for it.
func replyArrived(remote *a2apb.Task, reply *orchestrator.Turn) bool {
	for _, m := range remote.GetHistory() {
		if m.GetMessageId() == reply.MessageID {
			return true
		}
	}
	asked := questionOf(remote.GetStatus())
	return asked == "" || asked != reply.Question && strings.HasPrefix(asked, byMessage) && strings.HasPrefix(reply.Question, byMessage)
}
