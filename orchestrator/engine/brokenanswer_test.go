package engine_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/storetest"
	"github.com/quorate/quorate/platform/fault"
)

// breaking is an agent that names its task, delivers an artifact and then ends its answer with an error.
type breaking struct {
	*worker
	with  error
	shows func(since time.Duration) (*a2apb.Task, error) // what it says of the task when it is asked for it that long after the error

	broke    time.Time
	canceled int
}

func (b *breaking) Send(_ context.Context, m *a2apb.Message, _ bool, each agentclient.Each) error {
	b.mu.Lock()
	b.sends, b.broke = append(b.sends, m.GetMessageId()), time.Now()
	b.mu.Unlock()
	if err := each(snapshot("r1", a2apb.TaskState_TASK_STATE_WORKING, "on it")); err != nil {
		return err
	}
	if err := each(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_ArtifactUpdate{
		ArtifactUpdate: &a2apb.TaskArtifactUpdateEvent{TaskId: "r1", Artifact: chunks("half")},
	}}); err != nil {
		return err
	}
	return b.with
}

func (b *breaking) Task(context.Context, string, int32) (*a2apb.Task, error) {
	return b.shows(time.Since(b.broke))
}

func (b *breaking) Cancel(context.Context, string, *structpb.Struct) (*a2apb.Task, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.canceled++
	return remoteTask("r1", a2apb.TaskState_TASK_STATE_CANCELED, ""), nil
}

// newBreaking returns an agent whose answer ends with an error, unless its reason is "".
func newBreaking(reason string, shows func(since time.Duration) (*a2apb.Task, error)) *breaking {
	b := &breaking{worker: newWorker(), shows: shows}
	if reason != "" {
		b.with = fault.New(fault.FailedPrecondition, reason, "boom")
	}
	return b
}

// stumbles answers with an error for so long when the agent is asked for its task; then that is completed.
func stumbles(reason string, until time.Duration) func(since time.Duration) (*a2apb.Task, error) {
	return func(since time.Duration) (*a2apb.Task, error) {
		if since < until {
			return nil, fault.New(fault.FailedPrecondition, reason, "boom, for now")
		}
		return remoteTask("r1", a2apb.TaskState_TASK_STATE_COMPLETED, "", "whole"), nil
	}
}

func TestAnErrorInTheMiddleOfAnAnswerIsNotTheEndOfTheTask(t *testing.T) {
	t.Parallel()
	const refused, denied, invalid = agentclient.ReasonRefused, agentclient.ReasonDenied, agentclient.ReasonAnswerInvalid
	working, completed, failed := a2apb.TaskState_TASK_STATE_WORKING, a2apb.TaskState_TASK_STATE_COMPLETED, a2apb.TaskState_TASK_STATE_FAILED
	forgotten := fault.New(fault.NotFound, agentclient.ReasonTaskNotFound, "no such task")
	ends := func(after time.Duration, task *a2apb.Task, said func(time.Duration) string) func(time.Duration) (*a2apb.Task, error) {
		return func(since time.Duration) (*a2apb.Task, error) {
			if since < after {
				return remoteTask("r1", working, said(since)), nil
			}
			return task, nil
		}
	}
	quiet := func(time.Duration) string { return "on it" }
	unreadable := func(time.Duration) (*a2apb.Task, error) { // the empty part is not kept
		task := remoteTask("r1", working, "on it", "half")
		task.Artifacts[0].Parts = append(task.Artifacts[0].GetParts(), &a2apb.Part{})
		return task, nil
	}
	stamped := func(time.Duration) (*a2apb.Task, error) {
		task := remoteTask("r1", working, "on it")
		task.Status.Timestamp = timestamppb.New(time.Now())
		return task, nil
	}
	for name, test := range map[string]struct {
		with      string
		shows     func(time.Duration) (*a2apb.Task, error)
		state     a2apb.TaskState
		reason    string
		delivered string
		within    time.Duration
		canceled  int
	}{
		"it has failed":                        {refused, ends(0, remoteTask("r1", failed, "no"), quiet), failed, "AGENT_FAILED", "half", time.Second, 0},
		"it has failed with more":              {refused, ends(0, remoteTask("r1", failed, "no", "whole"), quiet), failed, "AGENT_FAILED", "whole", time.Second, 0},
		"it completes":                         {refused, ends(30*time.Second, remoteTask("r1", completed, "", "whole"), quiet), completed, "", "whole", time.Minute, 0},
		"it completes and leaves out the work": {refused, ends(0, remoteTask("r1", completed, ""), quiet), completed, "", "half", time.Second, 0},
		"it said what is not A2A and completes": {
			invalid, ends(30*time.Second, remoteTask("r1", completed, "", "whole"), quiet), completed, "", "whole", time.Minute, 0,
		},
		"it goes on for long": {
			refused, ends(time.Hour, remoteTask("r1", completed, "", "whole"), func(since time.Duration) string { return since.Truncate(30 * time.Second).String() }),
			completed, "", "whole", time.Hour + time.Minute, 0,
		},
		"it is said to work for ever":                       {refused, ends(24*time.Hour, nil, quiet), failed, refused, "half", 2 * time.Minute, 1},
		"it is said to work for ever, with an empty part":   {refused, unreadable, failed, refused, "half", 2 * time.Minute, 1},
		"it is said to work for ever, each time since now":  {refused, stamped, failed, refused, "half", 2 * time.Minute, 1},
		"it stumbles when it is asked":                      {refused, stumbles(refused, 20*time.Second), completed, "", "whole", time.Minute, 0},
		"it is away when it is asked":                       {refused, stumbles(agentclient.ReasonUnreachable, 20*time.Second), completed, "", "whole", time.Minute, 0},
		"its stream ends early and it stumbles":             {"", stumbles(refused, 20*time.Second), completed, "", "whole", time.Minute, 0},
		"its stream ends early and it says nothing":         {"", stumbles(refused, 24*time.Hour), failed, refused, "half", time.Minute, 0},
		"its stream ends early and it denies for a while":   {"", stumbles(denied, 2*time.Minute), completed, "", "whole", 3 * time.Minute, 0},
		"its stream ends early and it denies":               {"", stumbles(denied, 24*time.Hour), failed, denied, "half", 6 * time.Minute, 0},
		"a credential expires and it says nothing for long": {denied, ends(10*time.Minute, remoteTask("r1", completed, "", "whole"), quiet), completed, "", "whole", 11 * time.Minute, 0},
		"nobody knows it":                                   {refused, func(time.Duration) (*a2apb.Task, error) { return nil, forgotten }, failed, refused, "half", time.Second, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				agent := newBreaking(test.with, test.shows)
				s := &simulation{t: t, store: &storetest.Memory{}, worker: agent.worker, client: agent}
				s.start()
				<-time.After(time.Second)
				k := s.submit("r")
				<-time.After(test.within)
				task, err := s.store.Task(t.Context(), k)
				if err != nil || task.State != test.state || (task.Error == nil) != (test.reason == "") || task.Error != nil && task.Error.Reason != test.reason {
					t.Fatalf("after %s the task is in state %s (%+v), %v, want %s (%s)", test.within, task.State, task.Error, err, test.state, test.reason)
				}
				if len(task.Artifacts) != 1 || task.Artifacts[0].GetParts()[0].GetText() != test.delivered {
					t.Errorf("artifacts = %v, want %q", task.Artifacts, test.delivered)
				}
				if task.Error != nil && test.reason == refused && !strings.Contains(task.Error.Message, "boom") {
					t.Errorf("the task failed with %q, want the agent's error", task.Error.Message)
				}
				s.stop()
				if len(agent.sent()) != 1 || agent.canceled != test.canceled {
					t.Errorf("the agent got %d messages and was asked to stop %d times, want 1 and %d", len(agent.sent()), agent.canceled, test.canceled)
				}
			})
		})
	}
}

// TestTheLogSaysWhyAnAgentIsAskedForItsTask has the stream of an agent end before its task does.
func TestTheLogSaysWhyAnAgentIsAskedForItsTask(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		with  error
		after time.Duration
		want  string
	}{
		"with an error":    {fault.New(fault.FailedPrecondition, agentclient.ReasonRefused, "boom"), time.Second, "boom; its task goes on, so it is asked for it until nothing has changed for 1m0s"},
		"without an error": {nil, 20 * time.Second, "worker does not stream the rest of its task; it is asked for it until it has ended"},
		"for a moment":     {nil, 5 * time.Second, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				agent := &breaking{worker: newWorker(), with: test.with}
				agent.shows = func(time.Duration) (*a2apb.Task, error) {
					return remoteTask("r1", a2apb.TaskState_TASK_STATE_WORKING, "on it"), nil
				}
				s := &simulation{t: t, store: &storetest.Memory{}, worker: agent.worker, client: agent}
				s.start()
				<-time.After(time.Second)
				k := s.submit("r")
				<-time.After(test.after)
				log, err := s.store.Events(t.Context(), k, 0, 100)
				s.stop()
				if err != nil {
					t.Fatal(err)
				}
				var noted []string
				for _, e := range log {
					if e.Type == orchestrator.EventRemark {
						noted = append(noted, e.Detail)
					}
				}
				if got := strings.Join(noted, "\n"); got != test.want {
					t.Errorf("the log says %q, want %q", got, test.want)
				}
			})
		})
	}
}
