package engine

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/agenttask"
)

// How long to wait between two polls of an agent that waits for its caller. Once authorized elsewhere, it continues by itself, and soon (A2A §7.6);
// after a question it hardly does.
const (
	soonest, soonestAsked = 2 * time.Second, 10 * time.Second
	latest, latestAsked   = time.Minute, 10 * time.Minute
)

// isUnanswered reports whether the agent of a task waits for its caller, and has no reply coming.
func isUnanswered(t *orchestrator.Task) bool { return t.AwaitsCaller() && t.PendingReply() == nil }

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
	if breaker := e.breakers.Of(t.Tenant, t.Agent); breaker.IsHalfOpen() { // the agent is back
		breaker.RecordSuccess()
	}
	if err != nil {
		return e.waitingPollDelay(t), false
	}
	recognize(t, remote)
	return e.waitingPollDelay(t), agenttask.QuestionOf(remote.GetStatus()) == a.Question
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

// firstPollPause is the time between the first polls of an agent about two tasks that wait for their caller. A replica that starts, or takes over the
// work of another, may find many thousands of them.
const firstPollPause = 10 * time.Millisecond

// firstPollDelay returns how long to wait before an agent is asked about a task that waits for its caller and that a scan has just found; 0 for any
// other one. The first few are asked about almost at once.
func (e *Engine) firstPollDelay(t *orchestrator.Task) time.Duration {
	if !isUnanswered(t) {
		return 0
	}
	if !e.runners.claimFound(t.Key()) {
		return 0
	}
	return e.firstPolls.next(agentKey(t), time.Now())
}

// firstPolls are the times at which agents are asked next about a task that a scan has found. The zero value has none.
type firstPolls struct {
	mu sync.Mutex
	at map[orchestrator.Key]time.Time // guarded by mu; by agent
}

// next returns how long to wait before an agent is asked about one more task.
func (p *firstPolls) next(agent orchestrator.Key, now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.at == nil {
		p.at = make(map[orchestrator.Key]time.Time)
	}
	at := p.at[agent]
	if at.Before(now) {
		at = now
	}
	p.at[agent] = at.Add(firstPollPause)
	return at.Sub(now)
}

// forget removes the times that are over.
func (p *firstPolls) forget(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	maps.DeleteFunc(p.at, func(_ orchestrator.Key, at time.Time) bool { return at.Before(now) })
}
