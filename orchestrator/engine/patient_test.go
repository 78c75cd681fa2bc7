package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/orchestrator/storetest"
)

// TestAnAgentThatWaitsIsAskedLessAndLess has one that asks its caller left alone for three hours, with a rescan each minute: when it was answered
// elsewhere, that is noticed soon if it waits for authorization, which comes that way, and some time later if it does not.
func TestAnAgentThatWaitsIsAskedLessAndLess(t *testing.T) {
	for state, c := range map[a2apb.TaskState]struct {
		least, most int
		soon        time.Duration
	}{
		a2apb.TaskState_TASK_STATE_INPUT_REQUIRED: {least: 25, most: 45, soon: 10 * time.Minute},
		a2apb.TaskState_TASK_STATE_AUTH_REQUIRED:  {least: 150, most: 230, soon: time.Minute},
	} {
		t.Run(state.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				agent := newAsker()
				agent.state = state
				s := &simulation{t: t, store: &storetest.Memory{}, worker: newWorker(), client: agent}
				s.start()
				task, err := s.engine.Submit(t.Context(), engine.Submission{
					Tenant: tenant, Caller: "tester", Message: text("begin"), Route: orchestrator.Route{Agent: "worker"}, Deadline: time.Now().Add(24 * time.Hour),
				})
				if err != nil {
					t.Fatal(err)
				}
				<-time.After(3 * time.Hour)
				agent.mu.Lock()
				if whole := s.life.reads.Load(); whole > int64(2*agent.asked+10) {
					t.Errorf("the task was read whole %d times while the agent was asked %d times, want about as often: rescans need its state only", whole, agent.asked)
				}
				if asked := agent.asked; asked < c.least || asked > c.most {
					t.Errorf("the agent was asked %d times in three hours, want %d to %d", asked, c.least, c.most)
				}
				for id := range agent.tasks {
					agent.tasks[id] = remoteTask(id, a2apb.TaskState_TASK_STATE_COMPLETED, "", "done")
				}
				agent.mu.Unlock()
				<-time.After(c.soon + time.Second)
				got, err := s.store.Task(t.Context(), orchestrator.Key{Tenant: tenant, ID: task.ID})
				if err != nil || got.State != a2apb.TaskState_TASK_STATE_COMPLETED {
					t.Errorf("the task is in state %s, %v, after the agent was answered elsewhere, want completed", got.State, err)
				}
				s.stop()
			})
		})
	}
}
