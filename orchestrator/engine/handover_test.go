package engine_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
)

// TestACancellationReachesTheReplicaThatWorks has a task canceled at one replica while another talks to the agent, and word for that one get lost for
// a while, or for good.
func TestACancellationReachesTheReplicaThatWorks(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ after, silence time.Duration }{
		"word is repeated": {after: 15 * time.Second, silence: 3 * time.Second},
		"a replica that has just taken the task looks by itself": {after: time.Second, silence: time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := newFleet(t, 2, "", 0, newFarAgent(late))
				task := f.submit() // at the first one
				<-time.After(test.after)
				f.silent.Store(true)
				time.AfterFunc(test.silence, func() { f.silent.Store(false) })
				if _, err := f.nodes[1].engine.Cancel(t.Context(), engine.Cancellation{Key: orchestrator.Key{Tenant: tenant, ID: task.ID}, Caller: "tester"}); err != nil {
					t.Fatalf("Cancel() = %v", err)
				}
				<-time.After(8 * time.Second)
				got, err := f.store.Task(t.Context(), orchestrator.Key{Tenant: tenant, ID: task.ID})
				if err != nil || got.State != a2apb.TaskState_TASK_STATE_CANCELED {
					t.Errorf("the task is in state %s, %v, want canceled by now", got.State, err)
				}
				for _, n := range f.nodes {
					n.cancel()
					n.running.Wait()
				}
			})
		})
	}
}

// TestWhoWatchesHearsOfACancellationElsewhereAtOnce watches a task at the replica that works on it while another one is asked to cancel it, and the agent
// does not answer the request to stop.
func TestWhoWatchesHearsOfACancellationElsewhereAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t, 2, "", 0, newFarAgent(mutes))
		task := f.submit() // at the first one
		k := task.Key()
		<-time.After(15 * time.Second)
		var heard time.Time
		var watching sync.WaitGroup
		watching.Go(func() {
			_, err := f.nodes[0].engine.Watch(t.Context(), k, 0, true, func(e orchestrator.Event) error {
				if e.Type == orchestrator.EventCanceling {
					heard = time.Now()
				}
				return nil
			})
			if err != nil {
				t.Errorf("Watch() = %v", err)
			}
		})
		<-time.After(100 * time.Millisecond) // it has looked, and does not look by itself for some seconds
		asked := time.Now()
		if _, err := f.nodes[1].engine.Cancel(t.Context(), engine.Cancellation{Key: k, Caller: "tester"}); err != nil {
			t.Fatalf("Cancel() = %v", err)
		}
		watching.Wait()
		if took := heard.Sub(asked); took < 0 || took > 2*time.Second {
			t.Errorf("who watches heard of it after %s, want as soon as the replica did, which looks for word each second", took)
		}
		for _, n := range f.nodes {
			n.cancel()
			n.running.Wait()
		}
	})
}
