package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/orchestrator/storetest"
	"github.com/quorate/quorate/platform/fault"
)

// TestNoReplyIsLostOrDoubledWheneverItComes has the caller of a task of three messages try to reply once right after each call to the store, and the
// process die at that or not. The agent of the task announces what becomes of it, then and every few seconds, and is polled as well; that of a step is
// polled only.
func TestNoReplyIsLostOrDoubledWheneverItComes(t *testing.T) {
	t.Parallel()
	for name, route := range map[string]orchestrator.Route{"to its agent": {Agent: "worker"}, "to that of a step": toAll} {
		for _, dies := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, and the process dies: %t", name, dies), func(t *testing.T) {
				t.Parallel()
				atEveryCall(t, 20, func(t *testing.T, call int) bool {
					t.Helper()
					talk := newDialog(t, call, route.FanOut == nil, dies)
					return talk.play(fmt.Sprintf("at call %d", call), route)
				})
			})
		}
	}
}

// dialog is a caller of an agent that asks twice.
type dialog struct {
	*simulation
	agent *asker

	k orchestrator.Key

	mu       sync.Mutex
	accepted int // guarded by mu; replies
}

// announcingAsker is one that has promised to say when something becomes of its task.
type announcingAsker struct{ *asker }

func (announcingAsker) Announce(context.Context, string, string) error { return nil }

func newDialog(t *testing.T, call int, announces, dies bool) *dialog {
	t.Helper()
	d := &dialog{agent: newAsker()}
	d.simulation = &simulation{
		t: t, store: &storetest.Memory{}, worker: newWorker(), client: announcingAsker{d.agent},
		actors:   map[string]*actor{"worker": {name: "worker", skill: "work", announces: announces}},
		receiver: func(orchestrator.Key, int) string { return "here" },
		moment: &moment{at: int64(call), act: func() {
			d.announce()
			d.reply()
			if dies {
				d.kill()
			}
		}},
	}
	d.k = orchestrator.Key{Tenant: tenant, ID: orchestrator.TaskID(tenant, "tester", "r")}
	return d
}

func (d *dialog) play(when string, route orchestrator.Route) (reached bool) {
	d.t.Helper()
	d.start()
	d.insist(when, func() (orchestrator.Task, error) {
		return d.engine.Submit(d.t.Context(), engine.Submission{Tenant: tenant, Caller: "tester", Message: text("begin"), Route: route, RequestID: "r"})
	})
	watch := look(d.t.Context(), d.k, d.use)
	for range 60 {
		<-time.After(7 * time.Second)
		d.restartIfDead()
		if t, err := d.store.Task(d.t.Context(), d.k); err == nil && t.Ended() {
			break
		}
		d.announce()
		d.reply()
	}
	<-time.After(2 * time.Minute)
	d.stop()
	watch.check(d.t, when, d.store, d.k)
	checkNothingLeft(d.t, when, d.store)
	d.check(when)
	return d.moment.met()
}

// announce says, truly or not, that something has become of the agent's task, which is that of a step if there are steps.
func (d *dialog) announce() {
	k := d.k
	if t, err := d.store.Task(d.t.Context(), k); err == nil && t.Plan != nil {
		k.ID = t.Plan.Steps[0].TaskID
	}
	if err := d.engine.Announced(d.t.Context(), k, 1); err != nil && fault.KindOf(err) != fault.NotFound && !errors.Is(err, errDead) {
		d.t.Errorf("Announced() = %v", err)
	}
}

// reply gives the next answer, if the task waits for one.
func (d *dialog) reply() {
	d.mu.Lock()
	n := d.accepted + 1
	d.mu.Unlock()
	_, err := d.engine.Reply(d.t.Context(), engine.Reply{Key: d.k, Caller: "tester", Message: text(fmt.Sprintf("answer %d", n)), RequestID: strconv.Itoa(n)})
	switch {
	case err == nil:
		d.mu.Lock()
		d.accepted = n
		d.mu.Unlock()
	case errors.Is(err, errDead): // it is repeated under the same request id
	case fault.KindOf(err) == fault.NotFound, fault.ReasonOf(err) == "TASK_NOT_WAITING", fault.ReasonOf(err) == "TASK_ENDED":
	default:
		d.t.Errorf("Reply() = %v", err)
	}
}

// check looks at what the agent heard and what the task says of it.
func (d *dialog) check(when string) {
	d.t.Helper()
	got, err := d.store.Task(context.Background(), d.k)
	if err != nil || got.State != a2apb.TaskState_TASK_STATE_COMPLETED || got.Artifacts[0].GetParts()[0].GetText() != "begin, answer 1, answer 2" {
		d.t.Errorf("%s: the task is in state %s (%+v) with %v, %v", when, got.State, got.Error, got.Artifacts, err)
	}
	for _, said := range d.agent.said {
		if strings.Join(said, ", ") != "begin, answer 1, answer 2" || len(d.agent.said) != 1 {
			d.t.Errorf("%s: the agent was told %q, want each message once, in order", when, d.agent.said)
		}
	}
	if len(got.Turns) != 4 || d.accepted != 2 {
		d.t.Errorf("%s: the task has %d turns, and %d replies were accepted, want 2 questions and 2 replies", when, len(got.Turns), d.accepted)
	}
	for i, turn := range got.Turns {
		if turn.FromAgent != (i%2 == 0) || !turn.FromAgent && (!turn.Done || got.Plan == nil && d.agent.sends[turn.MessageID] > turn.Sends) {
			d.t.Errorf("%s: turn %d is %+v, and it was sent %d times, want questions and the replies to them in turn", when, i+1, turn, d.agent.sends[turn.MessageID])
		}
	}
}
