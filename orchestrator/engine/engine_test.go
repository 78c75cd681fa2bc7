package engine_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/types/known/structpb"

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

func TestATaskIsOnDiskBeforeItIsAccepted(t *testing.T) {
	w := newWorld(t, &actor{name: "echo", play: delivers("hello")})
	w.stop() // no engine runs, as if the process died at once
	w.start()
	task := w.submit(engine.Submission{Route: orchestrator.Route{Agent: "echo"}})
	w.restart()
	if task, _ = w.awaitEnd(task.ID); task.State != a2apb.TaskState_TASK_STATE_COMPLETED {
		t.Errorf("state = %s, want completed", task.State)
	}
}

func TestSubmitIsIdempotent(t *testing.T) {
	echo := &actor{name: "echo", play: delivers("hello")}
	w := newWorld(t, echo)
	s := engine.Submission{Tenant: tenant, Caller: "tester", Route: orchestrator.Route{Agent: "echo"}, RequestID: "r-1", Message: text("a")}
	first := w.submit(s)
	w.awaitEnd(first.ID)
	if again := w.submit(s); again.ID != first.ID || len(echo.sends()) != 1 {
		t.Errorf("the same request made task %s after %s and %d sends, want the same task and one send", again.ID, first.ID, len(echo.sends()))
	}
	other := s
	other.Route.Version = ">=0"
	if _, err := w.engine.Submit(t.Context(), other); fault.ReasonOf(err) != "REQUEST_ID_REUSED" {
		t.Errorf("Submit(other version) = %v, want REQUEST_ID_REUSED", err)
	}
	s.Message = text("b")
	if _, err := w.engine.Submit(t.Context(), s); fault.ReasonOf(err) != "REQUEST_ID_REUSED" {
		t.Errorf("Submit(other content) = %v, want REQUEST_ID_REUSED", err)
	}
	s.Caller = "somebody else"
	if other := w.submit(s); other.ID == first.ID {
		t.Error("another caller with the same request id got the first caller's task")
	}
}

// TestARetryMayHaveAnotherDeadline retries as programs do that give each attempt ten minutes from now, a task of the default deadline, and one of
// their own.
func TestARetryMayHaveAnotherDeadline(t *testing.T) {
	w := newWorld(t, &actor{name: "echo", play: delivers("hello")})
	for i, first := range []time.Time{{}, time.Now().Add(10 * time.Minute), time.Now().Add(time.Minute).Round(time.Second)} {
		s := engine.Submission{
			Tenant: tenant, Caller: "tester", Route: orchestrator.Route{Agent: "echo"}, RequestID: fmt.Sprintf("r-%d", i), Message: text("a"), Deadline: first,
			Inputs: []orchestrator.Input{{Name: "spec", Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: "short"}}}}},
		}
		task := w.submit(s)
		if want := "65f404169f88b6a0aef125fd9fceeb083e53a8d2793c0b47a8b87911bf15c273"; first.IsZero() && task.RequestHash != want { // such hashes are in stores
			t.Errorf("the task is kept with the hash %s, want %s", task.RequestHash, want)
		}
		for _, later := range []time.Time{first, {}, time.Now().Add(20 * time.Minute)} {
			s.Deadline = later
			if again := w.submit(s); again.ID != task.ID || !again.Deadline.Equal(task.Deadline) {
				t.Errorf("Submit() by %v and then %v = task %s by %v, want %s by %v", first, later, again.ID, again.Deadline, task.ID, task.Deadline)
			}
			other := s
			other.Message = text("b")
			if _, err := w.engine.Submit(t.Context(), other); fault.ReasonOf(err) != "REQUEST_ID_REUSED" {
				t.Errorf("Submit(other content) by %v = %v, want REQUEST_ID_REUSED", later, err)
			}
		}
	}
}

func TestARetryAfterTheDeadlineIsAnsweredLikeAnyOther(t *testing.T) {
	w := newWorld(t, &actor{name: "echo", play: delivers("hello")})
	s := engine.Submission{
		Tenant: tenant, Caller: "tester", Route: orchestrator.Route{Agent: "echo"}, RequestID: "r-1", Message: text("a"), Deadline: time.Now().Add(time.Minute),
	}
	first := w.submit(s)
	w.awaitEnd(first.ID)
	w.restartAt(func() time.Time { return time.Now().Add(time.Hour) })
	if again := w.submit(s); again.ID != first.ID {
		t.Errorf("the same request made task %s, want %s again", again.ID, first.ID)
	}
	s.RequestID = "r-2"
	if _, err := w.engine.Submit(t.Context(), s); fault.ReasonOf(err) != "DEADLINE_OUT_OF_RANGE" {
		t.Errorf("Submit(a new one with that deadline) = %v, want DEADLINE_OUT_OF_RANGE", err)
	}
}

func TestSubmitRefusesWhatCannotBeATask(t *testing.T) {
	w := newWorld(t, &actor{name: "gone", skill: "s", status: "unavailable"}, &actor{name: "silent", skill: "q", status: "unknown"})
	tests := map[string]struct {
		change func(*engine.Submission)
		want   string
	}{
		"a message without parts":                {func(s *engine.Submission) { s.Message = &a2apb.Message{} }, "MESSAGE_EMPTY"},
		"a part without content":                 {func(s *engine.Submission) { s.Message = &a2apb.Message{Parts: []*a2apb.Part{{}}} }, "PART_EMPTY"},
		"a message of the agent's":               {func(s *engine.Submission) { s.Message.Role = a2apb.Role_ROLE_AGENT }, "ROLE_INVALID"},
		"a context id that no store takes":       {func(s *engine.Submission) { s.Message.ContextId = strings.Repeat("c", 257) }, "CONTEXT_ID_TOO_LONG"},
		"a reply to another task":                {func(s *engine.Submission) { s.Message.TaskId = "some" }, "TASK_ID_GIVEN"},
		"a deadline in the past":                 {func(s *engine.Submission) { s.Deadline = time.Now().Add(-time.Second) }, "DEADLINE_OUT_OF_RANGE"},
		"a deadline too far away":                {func(s *engine.Submission) { s.Deadline = time.Now().Add(9000 * time.Hour) }, "DEADLINE_OUT_OF_RANGE"},
		"an attribute that is an object":         {func(s *engine.Submission) { s.Attributes = map[string]any{"a": map[string]any{}} }, "ATTRIBUTE_KIND"},
		"an attribute that looks like another":   {func(s *engine.Submission) { s.Attributes = map[string]any{"handling\u200b_data": true} }, "ATTRIBUTE_NAME"},
		"a space in an attribute's name":         {func(s *engine.Submission) { s.Attributes = map[string]any{"a ": true} }, "ATTRIBUTE_NAME"},
		"an attribute that is not a number":      {func(s *engine.Submission) { s.Attributes = map[string]any{"a": math.NaN()} }, "ATTRIBUTE_KIND"},
		"an attribute whose digits are not kept": {func(s *engine.Submission) { s.Attributes = map[string]any{"a": []any{float64(1 << 53)}} }, "ATTRIBUTE_KIND"},
		"a list of lists":                        {func(s *engine.Submission) { s.Attributes = map[string]any{"a": []any{"x", []any{"y"}}} }, "ATTRIBUTE_KIND"},
		"too many attributes": {func(s *engine.Submission) {
			s.Attributes = make(consultation.Attributes)
			for i := range orchestrator.MaxAttributes + 1 {
				s.Attributes[strconv.Itoa(i)] = true
			}
		}, "TOO_MANY_ATTRIBUTES"},
		"too many inputs": {func(s *engine.Submission) {
			for i := range orchestrator.MaxInputs + 1 {
				s.Inputs = append(s.Inputs, orchestrator.Input{Name: strconv.Itoa(i), Parts: text("x").GetParts()})
			}
		}, "TOO_MANY_INPUTS"},
		"two inputs of one name": {func(s *engine.Submission) {
			s.Inputs = slices.Repeat([]orchestrator.Input{{Name: "a", Parts: text("x").GetParts()}}, 2)
		}, "INPUT_NAME"},
		"an input without a name":   {func(s *engine.Submission) { s.Inputs = []orchestrator.Input{{Parts: text("x").GetParts()}} }, "INPUT_NAME"},
		"an input without parts":    {func(s *engine.Submission) { s.Inputs = []orchestrator.Input{{Name: "a"}} }, "INPUT_EMPTY"},
		"an input of an empty part": {func(s *engine.Submission) { s.Inputs = []orchestrator.Input{{Name: "a", Parts: []*a2apb.Part{{}}}} }, "INPUT_EMPTY"},
		"data that JSON does not have": {func(s *engine.Submission) {
			s.Message = &a2apb.Message{Parts: []*a2apb.Part{{Content: &a2apb.Part_Data{Data: structpb.NewNumberValue(math.Inf(1))}}}}
		}, "VALUE_INVALID"},
		"an input that JSON does not have": {func(s *engine.Submission) {
			s.Inputs = []orchestrator.Input{{Name: "a", Parts: []*a2apb.Part{{Content: &a2apb.Part_Data{Data: structpb.NewNumberValue(math.NaN())}}}}}
		}, "VALUE_INVALID"},
		"metadata that JSON does not have": {func(s *engine.Submission) {
			s.Message.Metadata = &structpb.Struct{Fields: map[string]*structpb.Value{"k": {}}}
		}, "VALUE_INVALID"},
		"an unknown agent":                       {func(s *engine.Submission) { s.Route.Agent = "nobody" }, "AGENT_NOT_FOUND"},
		"an unknown skill":                       {func(s *engine.Submission) { s.Route = orchestrator.Route{Skill: "juggle"} }, "SKILL_NOT_FOUND"},
		"an agent that is down":                  {func(s *engine.Submission) { s.Route.Agent = "gone" }, "NO_AGENT_AVAILABLE"},
		"a skill whose agent was never heard of": {func(s *engine.Submission) { s.Route = orchestrator.Route{Skill: "q"} }, "NO_AGENT_AVAILABLE"},
		"a message over the item limit":          {func(s *engine.Submission) { s.Message, s.Route.Agent = text(strings.Repeat("x", 400<<10)), "silent" }, "ITEM_TOO_LARGE"},
		"a message over it with its inputs": {func(s *engine.Submission) {
			s.Message, s.Inputs = text(strings.Repeat("x", 200<<10)), []orchestrator.Input{{Name: "a", Parts: text(strings.Repeat("x", 200<<10)).GetParts()}}
		}, "ITEM_TOO_LARGE"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := engine.Submission{Tenant: tenant, Caller: "tester", Message: text("a"), Route: orchestrator.Route{Agent: "silent"}}
			tt.change(&s)
			_, err := w.engine.Submit(t.Context(), s)
			if fault.ReasonOf(err) != tt.want {
				t.Errorf("Submit() = %v, want %s", err, tt.want)
			}
			if fault.KindOf(err) != fault.InvalidArgument || tt.want == "DEADLINE_OUT_OF_RANGE" {
				return // it has no agent, or is about what a route does not have
			}
			if d, told := w.engine.Resolve(t.Context(), s); fault.ReasonOf(told) != tt.want || fault.From(told).Message != fault.From(err).Message {
				t.Errorf("Resolve() = %+v, %v, want the error of Submit: %v", d, told, err)
			}
		})
	}
}

func TestAWrongAttributeIsNamedByItsKey(t *testing.T) {
	w := newWorld(t, &actor{name: "silent", status: "unknown"})
	for _, attributes := range []consultation.Attributes{{"a.b ": true}, {"a.b": []any{[]any{}}}} {
		_, err := w.engine.Submit(t.Context(), engine.Submission{Tenant: tenant, Message: text("a"), Route: orchestrator.Route{Agent: "silent"}, Attributes: attributes})
		for key := range attributes {
			if want := fmt.Sprintf("attributes[%q]", key); fault.KindOf(err) != fault.InvalidArgument || fault.From(err).Violations[0].Field != want {
				t.Errorf("Submit(%v) = %+v, want an error about %s", attributes, fault.From(err), want)
			}
		}
	}
}

func TestALargeMessageIsRefusedWithAdvice(t *testing.T) {
	w := newWorld(t, &actor{name: "silent", status: "unknown"})
	large := text(strings.Repeat("x", orchestrator.MaxMessageBytes))
	_, submit := w.engine.Submit(t.Context(), engine.Submission{Tenant: tenant, Message: large, Route: orchestrator.Route{Agent: "silent"}})
	_, reply := w.engine.Reply(t.Context(), engine.Reply{Key: orchestrator.Key{Tenant: tenant, ID: "any"}, Message: large})
	for call, err := range map[string]error{"Submit": submit, "Reply": reply} {
		f := fault.From(err)
		if f == nil || f.Reason != "ITEM_TOO_LARGE" || len(f.Violations) != 1 || f.Violations[0].Field != "message" || !strings.Contains(f.Message, "send it in several") {
			t.Errorf("%s() = %+v, want ITEM_TOO_LARGE that names the field and says what to do", call, f)
		}
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

func count(log []orchestrator.Event, kind orchestrator.EventType) int {
	n := 0
	for _, e := range log {
		if e.Type == kind {
			n++
		}
	}
	return n
}
