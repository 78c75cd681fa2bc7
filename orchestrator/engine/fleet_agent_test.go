package engine_test

import (
	"sync"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
)

// temper is what is wrong with an agent.
type temper string

const (
	steady  temper = "answers as it should"
	late    temper = "takes longer than leases last"
	twice   temper = "does the work anew for every message"
	forgets temper = "loses its memory in the middle of the work"
	goes    temper = "is away for a while"
	once    temper = "must not be asked twice"
	lists   temper = "must not be asked twice, and lists its tasks"
	mutes   temper = "does not answer when it is asked to stop"
)

// farAgent is an agent as the outside sees it. It deduplicates by message id, unless that is what is wrong with it.
type farAgent struct {
	temper temper
	work   time.Duration

	gaveUp int // tasks that failed because nobody knew what became of them

	mu    sync.Mutex
	born  time.Time
	sends map[string]int         // guarded by mu; by message id
	done  map[string]int         // guarded by mu; work begun, by message id
	tasks map[string]*a2apb.Task // guarded by mu
}

func newFarAgent(kind temper) *farAgent {
	a := &farAgent{temper: kind, work: time.Second, born: time.Now(), sends: make(map[string]int), done: make(map[string]int), tasks: make(map[string]*a2apb.Task)}
	if kind != steady {
		a.work = 100 * time.Second
	}
	if kind == forgets {
		time.AfterFunc(50*time.Second, func() {
			a.mu.Lock()
			defer a.mu.Unlock()
			clear(a.tasks)
		})
	}
	return a
}

// once reports whether the agent's work must not be done twice.
func (a *farAgent) once() bool { return a.temper == once || a.temper == lists }

// seenFrom is the agent as a process sees it.
func (a *farAgent) seenFrom(o *outside) agentclient.Client {
	client := agentOutside{a, o}
	if a.temper == lists {
		return listingAgent{client}
	}
	return client
}

func (a *farAgent) find(messageID string) *a2apb.Task {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.tasks["remote-"+messageID]
}

// away reports whether the agent cannot be reached.
func (a *farAgent) away() bool {
	since := time.Since(a.born)
	return a.temper == goes && since > 20*time.Second && since < 50*time.Second
}

var errAway = fault.New(fault.Unavailable, agentclient.ReasonUnreachable, "the agent cannot be reached")

func (a *farAgent) send(m *a2apb.Message) (*a2apb.Task, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	id := m.GetMessageId()
	if a.away() {
		return nil, errAway
	}
	a.sends[id]++
	remote := "remote-" + id
	if t := a.tasks[remote]; t != nil && a.temper != twice {
		return t, nil
	}
	a.done[id]++
	t := remoteTask(remote, a2apb.TaskState_TASK_STATE_WORKING, "on it")
	a.tasks[remote] = t
	time.AfterFunc(a.work, func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.tasks[remote] != nil {
			a.tasks[remote] = remoteTask(remote, a2apb.TaskState_TASK_STATE_COMPLETED, "", "done")
		}
	})
	return t, nil
}

func (a *farAgent) task(id string) (*a2apb.Task, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.away() {
		return nil, errAway
	}
	if t := a.tasks[id]; t != nil {
		return t, nil
	}
	return nil, fault.New(fault.NotFound, agentclient.ReasonTaskNotFound, "no task %q", id)
}

// check compares what the agent saw with what the task says of it.
func (a *farAgent) check(t *testing.T, when string, task *orchestrator.Task) {
	t.Helper()
	id := task.MessageID(1)
	if a.once() && len(a.sends) == 0 && task.State == a2apb.TaskState_TASK_STATE_FAILED {
		return
	}
	if len(task.Attempts) != 1 || len(a.sends) != 1 {
		t.Errorf("%s: the agent got messages %v in the attempts %+v, want one of each", when, a.sends, task.Attempts)
		return
	}
	if sends := task.Attempts[0].Sends; a.sends[id] > sends {
		t.Errorf("%s: the agent got the message %d times, and %d times were written down before", when, a.sends[id], sends)
	}
	if a.once() && a.sends[id] > 1 {
		t.Errorf("%s: the agent got the message %d times, and must not get it twice", when, a.sends[id])
	}
	if a.temper != twice && a.temper != forgets && !a.once() && a.done[id] != 1 {
		t.Errorf("%s: the agent did the work %d times, want once", when, a.done[id])
	}
}
