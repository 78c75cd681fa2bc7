package engine_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/orchestrator/storetest"
	"github.com/quorate/quorate/platform/fault"
)

// announcer is a worker that takes ten minutes for its work, and says when it is done to whoever it was told to.
type announcer struct {
	*worker
	mu        sync.Mutex
	receivers []string // guarded by mu
	asked     int      // guarded by mu
	refuses   bool
}

func (a *announcer) Announce(_ context.Context, taskID, receiver string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.refuses {
		return fault.New(fault.FailedPrecondition, "AGENT_REFUSED", "no")
	}
	a.receivers = append(a.receivers, taskID+" to "+receiver)
	return nil
}

func (a *announcer) Task(ctx context.Context, id string, history int32) (*a2apb.Task, error) {
	a.mu.Lock()
	a.asked++
	a.mu.Unlock()
	return a.worker.Task(ctx, id, history)
}

// TestAnAgentThatAnnouncesIsNotAskedAllTheTime has one that does, and one that says no.
func TestAnAgentThatAnnouncesIsNotAskedAllTheTime(t *testing.T) {
	const few = 50 // of one that announces nothing, there are some 60 to 80 questions in ten minutes, depending on the jitter of the pauses
	for name, refuses := range map[string]bool{"it announces": false, "it does not, though its card says so": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorker()
				w.takes = 10 * time.Minute
				agent := &announcer{worker: w, refuses: refuses}
				s := &simulation{
					t: t, store: &storetest.Memory{}, worker: w, client: agent, actors: map[string]*actor{"worker": {name: "worker", announces: true}},
					receiver: func(k orchestrator.Key, attempt int) string { return k.ID + "/" + string(rune('0'+attempt)) },
				}
				s.start()
				task, err := s.engine.Submit(t.Context(), engine.Submission{Tenant: tenant, Caller: "tester", Message: text("x"), Route: orchestrator.Route{Agent: "worker"}})
				if err != nil {
					t.Fatal(err)
				}
				k := orchestrator.Key{Tenant: tenant, ID: task.ID}
				<-time.After(10*time.Minute + 20*time.Millisecond)
				for attempt, known := range map[int]bool{1: true, 2: false} {
					if err := s.engine.Announced(t.Context(), k, attempt); err != nil {
						t.Errorf("Announced(attempt %d, known %t) = %v", attempt, known, err)
					}
				}
				if err := s.engine.Announced(t.Context(), orchestrator.Key{Tenant: tenant, ID: "absent"}, 1); fault.KindOf(err) != fault.NotFound {
					t.Errorf("Announced(absent) = %v, want not found", err)
				}
				<-time.After(200 * time.Millisecond)
				got, err := s.store.Task(t.Context(), k)
				s.stop()
				agent.mu.Lock()
				defer agent.mu.Unlock()
				if refuses {
					if agent.asked <= few {
						t.Errorf("the agent was asked %d times in ten minutes, want as often as one that announces nothing", agent.asked)
					}
					return
				}
				if err != nil || !got.Ended() {
					t.Errorf("a moment after the announcement the task is in state %s, %v, want ended", got.State, err)
				}
				if len(agent.receivers) != 1 || !strings.HasSuffix(agent.receivers[0], " to "+task.ID+"/1") || agent.asked > few {
					t.Errorf("the agent was given %q and asked %d times, want one receiver and few questions", agent.receivers, agent.asked)
				}
			})
		})
	}
}

// TestAnAgentThatAnnouncesIsNeverAskedMore has the agents work for two hours.
func TestAnAgentThatAnnouncesIsNeverAskedMore(t *testing.T) {
	asked := make(map[bool]int) // by whether it refuses to announce
	for _, refuses := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorker()
			w.takes = 2 * time.Hour
			agent := &announcer{worker: w, refuses: refuses}
			s := &simulation{
				t: t, store: &storetest.Memory{}, worker: w, client: agent, actors: map[string]*actor{"worker": {name: "worker", announces: true}},
				receiver: func(k orchestrator.Key, _ int) string { return k.ID },
			}
			s.start()
			s.submit("r")
			<-time.After(2 * time.Hour)
			s.stop()
			asked[refuses] = agent.asked
		})
	}
	if asked[false] >= asked[true] {
		t.Errorf("in two hours an agent that announces was asked %d times and one that does not %d times, want it asked less", asked[false], asked[true])
	}
}
