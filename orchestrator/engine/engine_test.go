package engine_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/platform/fault"
)

func TestATaskRunsToItsEnd(t *testing.T) {
	w := newWorld(t, &actor{name: "echo", skill: "echo", play: delivers("hello")})
	for name, route := range map[string]orchestrator.Route{"by agent": {Agent: "echo"}, "by skill": {Skill: "echo"}} {
		t.Run(name, func(t *testing.T) {
			task, log := w.awaitEnd(w.submit(engine.Submission{Route: route, Attributes: consultation.Attributes{"a": []any{"x", 1.0, true}}}).ID)
			if task.State != a2apb.TaskState_TASK_STATE_COMPLETED || task.Phase != orchestrator.PhaseDone {
				t.Errorf("state, phase = %s, %s, want completed, done", task.State, task.Phase)
			}
			if got := task.Artifacts[0].GetParts()[0].GetText(); got != "hello" || !task.Released {
				t.Errorf("artifact, released = %q, %t, want hello, true", got, task.Released)
			}
			if ends := count(log, orchestrator.EventState); ends != 1 {
				t.Errorf("the log has %d ends, want 1: %v", ends, log)
			}
			if task.Decision.Chosen != "echo" || len(task.Decision.Candidates) != 1 {
				t.Errorf("Decision = %+v, want echo chosen of one", task.Decision)
			}
		})
	}
}

func TestAnAgentIsToldWhichSkillTheCallerAskedFor(t *testing.T) {
	for name, test := range map[string]struct {
		route orchestrator.Route
		want  any
	}{
		"a skill":                  {orchestrator.Route{Skill: "work"}, "work"},
		"a skill, of several":      {orchestrator.Route{Skill: "work", FanOut: &orchestrator.FanOut{Mode: orchestrator.PlanAll}}, "work"},
		"an agent":                 {orchestrator.Route{Agent: "echo"}, nil},
		"words that lead to skill": {orchestrator.Route{Text: "work"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			echo := &actor{name: "echo", skill: "work", play: delivers("hello")}
			w := newWorld(t, echo)
			if task, _ := w.awaitEnd(w.submit(engine.Submission{Route: test.route}).ID); task.State != a2apb.TaskState_TASK_STATE_COMPLETED {
				t.Fatalf("the task ended as %s: %v", task.State, task.Error)
			}
			if got := echo.sends()[0].GetMetadata().AsMap()[extension].(map[string]any)["skill"]; got != test.want {
				t.Errorf("the agent was told %v, want %v", got, test.want)
			}
		})
	}
}

func TestAnAgentThatFailsFailsTheTask(t *testing.T) {
	w := newWorld(t, &actor{name: "web", play: fails("no such page")})
	task, _ := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}}).ID)
	if task.State != a2apb.TaskState_TASK_STATE_FAILED || task.Error.Reason != "AGENT_FAILED" || !strings.Contains(task.Error.Message, "no such page") {
		t.Errorf("state, error = %s, %+v, want failed with the agent's words", task.State, task.Error)
	}
}

func TestAnAgentThatIsDownIsTriedAgain(t *testing.T) {
	echo := &actor{name: "echo", play: delivers("hello"), down: 3}
	w := newWorld(t, echo)
	task, _ := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "echo"}}).ID)
	if task.State != a2apb.TaskState_TASK_STATE_COMPLETED || len(task.Attempts) != 1 || task.Attempts[0].Sends != 4 {
		t.Errorf("state %s after attempts %+v, want completed after one attempt sent 4 times", task.State, task.Attempts)
	}
}

func TestATaskThatItsAgentDidNotDoEndsAsTheAgentSays(t *testing.T) {
	for state, reason := range map[a2apb.TaskState]string{
		a2apb.TaskState_TASK_STATE_FAILED: "AGENT_FAILED", a2apb.TaskState_TASK_STATE_REJECTED: "AGENT_REJECTED", a2apb.TaskState_TASK_STATE_CANCELED: "AGENT_CANCELED",
	} {
		w := newWorld(t, &actor{name: "echo", play: func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
			return say(snapshot("r1", state, "not today", "half of it"))
		}})
		task, _ := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "echo"}}).ID)
		if task.State != state || task.Error == nil || task.Error.Reason != reason || !strings.Contains(task.Error.Message, "not today") {
			t.Errorf("state, error = %s, %+v, want %s, %s with the agent's words", task.State, task.Error, state, reason)
		}
	}
}

func TestAnAgentThatStaysDownFailsTheTask(t *testing.T) {
	w := newWorld(t, &actor{name: "echo", down: 1000})
	task, _ := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "echo"}}).ID)
	if task.State != a2apb.TaskState_TASK_STATE_FAILED || task.Error.Reason != agentclient.ReasonUnreachable {
		t.Errorf("state, error = %s, %+v, want failed, %s", task.State, task.Error, agentclient.ReasonUnreachable)
	}
}

func TestARestartTakesUpWhatWasRunning(t *testing.T) {
	for name, forgets := range map[string]bool{"the agent still has it": false, "the agent forgot it": true} {
		t.Run(name, func(t *testing.T) {
			started := make(chan struct{}, 2)
			echo := &actor{name: "echo"}
			echo.play = func(ctx context.Context, _ *a2apb.Message, say agentclient.Each) error {
				if len(echo.sends()) > 1 { // the second life
					return say(snapshot("r2", a2apb.TaskState_TASK_STATE_COMPLETED, "", "done"))
				}
				if err := say(snapshot("r1", a2apb.TaskState_TASK_STATE_WORKING, "on it")); err != nil {
					return err
				}
				started <- struct{}{}
				<-ctx.Done()
				return ctx.Err()
			}
			w := newWorld(t, echo)
			task := w.submit(engine.Submission{Route: orchestrator.Route{Agent: "echo"}})
			<-started
			w.stop()
			if !forgets {
				echo.remember(remoteTask("r1", a2apb.TaskState_TASK_STATE_COMPLETED, "", "done"))
			}
			w.start()
			task, log := w.awaitEnd(task.ID)
			if task.State != a2apb.TaskState_TASK_STATE_COMPLETED || count(log, orchestrator.EventState) != 1 {
				t.Errorf("state %s with log %v, want completed once", task.State, log)
			}
			want := 1
			if forgets {
				want = 2
			}
			if n := echo.executed[task.MessageID(1)]; n != want || len(echo.executed) != 1 {
				t.Errorf("the agent got %v, want the one message id %d times", echo.executed, want)
			}
		})
	}
}

func TestAnAgentThatForgotAcceptedWorkIsNotGivenItTwice(t *testing.T) {
	echo := &actor{name: "echo", once: true, play: func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
		return say(snapshot("r1", a2apb.TaskState_TASK_STATE_WORKING, "on it")) // and the stream ends
	}}
	w := newWorld(t, echo)
	task, _ := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "echo"}}).ID)
	if task.State != a2apb.TaskState_TASK_STATE_FAILED || task.Error == nil || task.Error.Reason != "OUTCOME_UNKNOWN" || len(echo.sends()) != 1 {
		t.Errorf("state %s, error %+v after %d messages, want OUTCOME_UNKNOWN after one", task.State, task.Error, len(echo.sends()))
	}
}

// TestWorkThatWasRefusedOnceMayBeDoneByNow has an agent ask for a message later, and say nothing when it comes then: by that time it may do the work.
func TestWorkThatWasRefusedOnceMayBeDoneByNow(t *testing.T) {
	t.Parallel()
	echo := &actor{name: "echo", once: true}
	echo.play = func(context.Context, *a2apb.Message, agentclient.Each) error {
		f := fault.New(fault.Unavailable, agentclient.ReasonUnreachable, "echo could not be reached")
		if len(echo.sends()) == 1 {
			f.RetryAfter = time.Millisecond
		}
		return f
	}
	w := newWorld(t, echo)
	task, _ := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "echo"}}).ID)
	if task.State != a2apb.TaskState_TASK_STATE_FAILED || task.Error == nil || task.Error.Reason != "OUTCOME_UNKNOWN" || len(echo.sends()) != 2 {
		t.Errorf("state %s, error %+v after %d messages, want OUTCOME_UNKNOWN after two", task.State, task.Error, len(echo.sends()))
	}
}

func TestCancelStopsTheAgent(t *testing.T) {
	for name, test := range map[string]struct {
		done *a2apb.Task // by the time it is asked to stop
		want string
	}{
		"in time":  {nil, "the agent stopped its task"},
		"too late": {remoteTask("r1", a2apb.TaskState_TASK_STATE_COMPLETED, "", "done"), "its task is in state TASK_STATE_COMPLETED"},
	} {
		t.Run(name, func(t *testing.T) { cancel(t, test.done, test.want) })
	}
}

func cancel(t *testing.T, done *a2apb.Task, want string) {
	t.Helper()
	started := make(chan struct{}, 1)
	slow := &actor{name: "slow", play: func(ctx context.Context, _ *a2apb.Message, say agentclient.Each) error {
		if err := say(snapshot("r1", a2apb.TaskState_TASK_STATE_WORKING, "")); err != nil {
			return err
		}
		started <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	}}
	w := newWorld(t, slow)
	task := w.submit(engine.Submission{Route: orchestrator.Route{Agent: "slow"}})
	<-started
	if done != nil {
		slow.remember(done)
	}
	key := orchestrator.Key{Tenant: tenant, ID: task.ID}
	if _, err := w.engine.Cancel(t.Context(), engine.Cancellation{Key: key, Caller: "tester"}); err != nil {
		t.Fatalf("Cancel() = %v", err)
	}
	task, log := w.awaitEnd(task.ID)
	if got := log[len(log)-1].Detail; !strings.Contains(got, want) {
		t.Errorf("the log ends with %q, want it to say that %s", got, want)
	}
	if task.OpenAttempt() != nil || task.Attempts[0].Error == nil || task.Attempts[0].Error.Reason != "CANCELED" {
		t.Errorf("the attempt of the canceled task is %+v, want it canceled", task.Attempts[0])
	}
	if task.State != a2apb.TaskState_TASK_STATE_CANCELED || len(slow.canceled) != 1 || slow.canceled[0] != "r1" {
		t.Errorf("state %s, canceled at the agent %v, want canceled, [r1]", task.State, slow.canceled)
	}
	if _, err := w.engine.Cancel(t.Context(), engine.Cancellation{Key: key, Caller: "tester"}); fault.ReasonOf(err) != "TASK_ENDED" {
		t.Errorf("Cancel(ended) = %v, want TASK_ENDED", err)
	}
}

func TestADeadlineEndsATask(t *testing.T) {
	w := newWorld(t, &actor{name: "slow", play: func(ctx context.Context, _ *a2apb.Message, _ agentclient.Each) error {
		<-ctx.Done()
		return ctx.Err()
	}})
	task, _ := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "slow"}, Deadline: time.Now().Add(50 * time.Millisecond)}).ID)
	if task.State != a2apb.TaskState_TASK_STATE_FAILED || task.Error.Reason != "DEADLINE_EXCEEDED" {
		t.Errorf("state, error = %s, %+v, want failed, DEADLINE_EXCEEDED", task.State, task.Error)
	}
}

func TestADeadlineTellsWhatTheTaskWaitedFor(t *testing.T) {
	away := &fault.Error{Kind: fault.Unavailable, Reason: agentclient.ReasonUnreachable, Message: "nobody answers", RetryAfter: time.Hour}
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, &actor{name: "away", play: func(context.Context, *a2apb.Message, agentclient.Each) error { return away }})
		s.start()
		task, err := s.engine.Submit(t.Context(), engine.Submission{
			Tenant: tenant, Caller: "tester", Message: text("do it"), Route: orchestrator.Route{Agent: "away"}, Deadline: time.Now().Add(time.Minute),
		})
		if err != nil {
			t.Fatalf("Submit() = %v", err)
		}
		<-time.After(2 * time.Minute)
		s.stop()
		task, err = s.store.Task(t.Context(), task.Key())
		if err != nil || task.Error.Reason != "DEADLINE_EXCEEDED" || !strings.HasSuffix(task.Error.Message, "; it was to be tried again: nobody answers") {
			t.Errorf("error = %+v, %v, want DEADLINE_EXCEEDED and what the agent was tried again for", task.Error, err)
		}
	})
}

func TestWhatWasTroubleIsForgottenWithTheNextTry(t *testing.T) {
	tries, trying := 0, make(chan struct{})
	w := newWorld(t, &actor{name: "slow", play: func(ctx context.Context, _ *a2apb.Message, _ agentclient.Each) error {
		if tries++; tries == 1 {
			return fault.New(fault.Unavailable, agentclient.ReasonUnreachable, "nobody answers")
		}
		close(trying)
		<-ctx.Done()
		return ctx.Err()
	}})
	id := w.submit(engine.Submission{Route: orchestrator.Route{Agent: "slow"}}).ID
	<-trying
	if a := w.task(id).Attempts[0]; a.Sends != 2 || a.Error != nil {
		t.Errorf("the attempt has %d sends and the error %+v, want 2 and none", a.Sends, a.Error)
	}
}

func TestAnAgentThatStopsStreamingIsPolled(t *testing.T) {
	echo := &actor{name: "echo"}
	echo.play = func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
		echo.remember(remoteTask("r1", a2apb.TaskState_TASK_STATE_COMPLETED, "", "late"))
		return say(snapshot("r1", a2apb.TaskState_TASK_STATE_WORKING, ""))
	}
	w := newWorld(t, echo)
	task, _ := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "echo"}}).ID)
	if task.State != a2apb.TaskState_TASK_STATE_COMPLETED || task.Artifacts[0].GetParts()[0].GetText() != "late" {
		t.Errorf("task = %s %v, want completed with the polled artifact", task.State, task.Artifacts)
	}
}

func TestArtifactsOverTheLimitFailTheTask(t *testing.T) {
	for name, content := range map[string][]string{
		"one over the limit":          {strings.Repeat("x", orchestrator.MaxTaskBytes)},
		"all together over the limit": strings.Split(strings.Repeat(strings.Repeat("x", 300<<10)+" ", 20), " "),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, &actor{name: "big", play: func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
				return say(snapshot("r1", a2apb.TaskState_TASK_STATE_COMPLETED, "", content...))
			}})
			task, _ := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "big"}}).ID)
			if task.State != a2apb.TaskState_TASK_STATE_FAILED || !strings.HasSuffix(task.Error.Reason, "TOO_LARGE") {
				t.Errorf("state, error = %s, %+v, want failed, …TOO_LARGE", task.State, task.Error)
			}
		})
	}
}
