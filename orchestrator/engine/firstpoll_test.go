package engine_test

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/orchestrator/storetest"
)

// TestAfterARestartAnAgentIsNotAskedAboutAllWaitingTasksAtOnce has an agent wait for its caller with many tasks, and with few, when a process starts.
func TestAfterARestartAnAgentIsNotAskedAboutAllWaitingTasksAtOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ tasks, least, most int }{{tasks: 300, least: 50, most: 150}, {tasks: 20, least: 20, most: 20}} {
		t.Run(strconv.Itoa(c.tasks), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				agent := newAsker()
				s := &simulation{t: t, store: &storetest.Memory{}, worker: newWorker(), client: agent}
				s.start()
				var keys []orchestrator.Key
				for n := range c.tasks {
					keys = append(keys, s.accept("worker", strconv.Itoa(n)))
				}
				<-time.After(10 * time.Minute) // each is asked about every few minutes by now
				s.stop()
				agent.mu.Lock()
				agent.asked = 0
				agent.mu.Unlock()
				s.start()
				<-time.After(time.Second)
				agent.mu.Lock()
				if agent.asked < c.least || agent.asked > c.most {
					t.Errorf("the agent was asked about %d of %d tasks in the first second, want %d to %d", agent.asked, c.tasks, c.least, c.most)
				}
				agent.mu.Unlock()
				<-time.After(15 * time.Second)
				agent.mu.Lock()
				if agent.asked != c.tasks {
					t.Errorf("the agent was asked %d times soon after, want once about each of %d tasks", agent.asked, c.tasks)
				}
				for id := range agent.tasks {
					agent.tasks[id] = remoteTask(id, a2apb.TaskState_TASK_STATE_COMPLETED, "", "done")
				}
				agent.mu.Unlock()
				<-time.After(11 * time.Minute)
				for _, k := range keys {
					if task, err := s.store.Task(t.Context(), k); err != nil || task.State != a2apb.TaskState_TASK_STATE_COMPLETED {
						t.Errorf("task %s is in state %s, %v, want completed", k.ID, task.State, err)
					}
				}
				if n := engine.PollsKept(s.engine); n > 0 {
					t.Errorf("it is kept when %d agents are asked next, which is long ago", n)
				}
				s.stop()
			})
		})
	}
}
