package engine_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/platform/fault"
)

var errCut = fault.New(fault.Unavailable, agentclient.ReasonUnreachable, "the connection was cut")

func TestATaskWhoseStreamIsCutRightAfterItsNameIsAskedForAndNotSentAgain(t *testing.T) {
	for name, once := range map[string]bool{"at least once": false, "at most once": true} {
		t.Run(name, func(t *testing.T) {
			echo := &actor{name: "echo", once: once}
			echo.play = func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
				echo.remember(remoteTask("r1", a2apb.TaskState_TASK_STATE_COMPLETED, "", "done"))
				if err := say(snapshot("r1", a2apb.TaskState_TASK_STATE_WORKING, "on it")); err != nil {
					return err
				}
				return errCut
			}
			w := newWorld(t, echo)
			task, log := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "echo"}}).ID)
			if n := len(echo.sends()); n != 1 || task.State != a2apb.TaskState_TASK_STATE_COMPLETED {
				t.Errorf("state %s, error %+v, after %d sendings, want completed after 1", task.State, task.Error, n)
			}
			if task.Attempts[0].RemoteTaskID != "r1" || !slices.ContainsFunc(log, func(e orchestrator.Event) bool { return e.Detail == "on it" }) {
				t.Errorf("attempt %+v, log %v, want the agent's id of the task and its words", task.Attempts[0], log)
			}
		})
	}
}

func TestWhatAnAgentEndedStaysEnded(t *testing.T) {
	t.Parallel()
	completed := snapshot("r1", a2apb.TaskState_TASK_STATE_COMPLETED, "", "done")
	for name, after := range map[string]func(ctx context.Context, say agentclient.Each) error{
		"its stream is cut": func(context.Context, agentclient.Each) error { return errCut },
		"it says that it failed": func(_ context.Context, say agentclient.Each) error {
			return say(snapshot("r1", a2apb.TaskState_TASK_STATE_FAILED, "no"))
		},
		"it says that it works": func(_ context.Context, say agentclient.Each) error {
			return say(snapshot("r1", a2apb.TaskState_TASK_STATE_WORKING, ""))
		},
		"its stream stays open": func(ctx context.Context, _ agentclient.Each) error { <-ctx.Done(); return context.Canceled },
		"it speaks of another task": func(_ context.Context, say agentclient.Each) error {
			return say(snapshot("r2", a2apb.TaskState_TASK_STATE_CANCELED, ""))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			echo := &actor{name: "echo", once: true, play: func(ctx context.Context, _ *a2apb.Message, say agentclient.Each) error {
				if err := say(completed); err != nil {
					return err
				}
				return after(ctx, say)
			}}
			w := newWorld(t, echo)
			task, _ := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "echo"}}).ID)
			if task.State != a2apb.TaskState_TASK_STATE_COMPLETED || len(task.Artifacts) != 1 || len(echo.sends()) != 1 {
				t.Errorf("state %s with %d artifacts, error %+v, after %d sendings, want completed with 1 after 1", task.State, len(task.Artifacts), task.Error, len(echo.sends()))
			}
		})
	}
}

// TestAnArtifactAfterTheEndIsKept has an agent deliver something once its task has ended: by itself, or as part of the whole task.
func TestAnArtifactAfterTheEndIsKept(t *testing.T) {
	t.Parallel()
	made := &a2apb.Artifact{ArtifactId: "late", Parts: text("late").GetParts()}
	whole := snapshot("r1", a2apb.TaskState_TASK_STATE_COMPLETED, "", "done")
	whole.GetTask().Artifacts = append(whole.GetTask().GetArtifacts(), made)
	for name, late := range map[string]*a2apb.StreamResponse{
		"by itself":   {Payload: &a2apb.StreamResponse_ArtifactUpdate{ArtifactUpdate: &a2apb.TaskArtifactUpdateEvent{TaskId: "r1", Artifact: made}}},
		"in the task": whole,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, &actor{name: "echo", play: func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
				if err := say(snapshot("r1", a2apb.TaskState_TASK_STATE_COMPLETED, "", "done")); err != nil {
					return err
				}
				return say(late)
			}})
			task, _ := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "echo"}}).ID)
			if len(task.Artifacts) != 2 {
				t.Errorf("artifacts = %v, want also the one after the end", task.Artifacts)
			}
		})
	}
}

func TestWhatIsSaidOfAnotherTaskIsNotTakenAsSaidOfThisOne(t *testing.T) {
	t.Parallel()
	foreign := &a2apb.Artifact{ArtifactId: "foreign", Parts: text("of another").GetParts()}
	for name, stray := range map[string]*a2apb.StreamResponse{
		"that it is completed": {Payload: &a2apb.StreamResponse_StatusUpdate{StatusUpdate: &a2apb.TaskStatusUpdateEvent{
			TaskId: "r2", Status: &a2apb.TaskStatus{State: a2apb.TaskState_TASK_STATE_COMPLETED, Message: text("words of another")},
		}}},
		"that it asks":         snapshot("r2", a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, "words of another"),
		"what was made":        {Payload: &a2apb.StreamResponse_ArtifactUpdate{ArtifactUpdate: &a2apb.TaskArtifactUpdateEvent{TaskId: "r2", Artifact: foreign}}},
		"an answer in message": {Payload: &a2apb.StreamResponse_Message{Message: &a2apb.Message{TaskId: "r2", Parts: foreign.GetParts()}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, &actor{name: "echo", play: func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
				for _, r := range []*a2apb.StreamResponse{
					snapshot("r1", a2apb.TaskState_TASK_STATE_WORKING, "on it"), stray, stray, snapshot("r1", a2apb.TaskState_TASK_STATE_COMPLETED, "", "done"),
				} {
					if err := say(r); err != nil {
						return err
					}
				}
				return nil
			}})
			task, log := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "echo"}}).ID)
			if task.State != a2apb.TaskState_TASK_STATE_COMPLETED || len(task.Artifacts) != 1 || task.Artifacts[0].GetArtifactId() != "a" {
				t.Errorf("state %s, artifacts %v, want completed with what this task's agent made of it", task.State, task.Artifacts)
			}
			told := 0
			for _, e := range log {
				if strings.Contains(e.Detail, "another task") {
					told++
				}
			}
			if told != 1 || task.Attempts[0].RemoteTaskID != "r1" {
				t.Errorf("the log says %d times that something was ignored, attempt %+v, want once, and the task r1; log %v", told, task.Attempts[0], log)
			}
		})
	}
}

func TestAnAgentThatAnswersWithAnotherTaskThanItIsAskedForFailsTheTask(t *testing.T) {
	t.Parallel()
	echo := &actor{name: "echo"}
	echo.play = func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
		echo.remember(remoteTask("r1", a2apb.TaskState_TASK_STATE_WORKING, ""))
		echo.confuse("r1", remoteTask("r2", a2apb.TaskState_TASK_STATE_COMPLETED, "", "of another"))
		return say(snapshot("r1", a2apb.TaskState_TASK_STATE_WORKING, ""))
	}
	w := newWorld(t, echo)
	task, _ := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "echo"}}).ID)
	if task.State != a2apb.TaskState_TASK_STATE_FAILED || task.Error.Reason != agentclient.ReasonAnswerInvalid || len(task.Artifacts) != 0 {
		t.Errorf("state %s, error %+v with %d artifacts, want failed as %s without any", task.State, task.Error, len(task.Artifacts), agentclient.ReasonAnswerInvalid)
	}
}

// TestAMessageAfterATaskTakesNothingAway has an agent end its answer with a message although it has named a task, which A2A does not allow.
func TestAMessageAfterATaskTakesNothingAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &actor{name: "echo", play: func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
		if err := say(snapshot("r1", a2apb.TaskState_TASK_STATE_WORKING, "", "made")); err != nil {
			return err
		}
		return say(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_Message{Message: text("that is all")}})
	}})
	task, _ := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "echo"}}).ID)
	if task.State != a2apb.TaskState_TASK_STATE_COMPLETED || len(task.Artifacts) != 2 || task.Artifacts[0].GetArtifactId() != "a" || task.Artifacts[1].GetArtifactId() != orchestrator.AnswerID {
		t.Errorf("state %s, artifacts %v, want completed with what was made and the message", task.State, task.Artifacts)
	}
}

// TestASnapshotWithoutArtifactsTakesNoneAway has an agent that leaves them out of what it says of the whole task.
func TestASnapshotWithoutArtifactsTakesNoneAway(t *testing.T) {
	t.Parallel()
	for _, state := range []a2apb.TaskState{a2apb.TaskState_TASK_STATE_COMPLETED, a2apb.TaskState_TASK_STATE_FAILED} {
		w := newWorld(t, &actor{name: "echo", play: func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
			if err := say(snapshot("r1", a2apb.TaskState_TASK_STATE_WORKING, "", "made")); err != nil {
				return err
			}
			return say(snapshot("r1", state, ""))
		}})
		task, log := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "echo"}}).ID)
		if task.State != state || len(task.Artifacts) != 1 {
			t.Errorf("state %s, artifacts %v, want %s with what was made; log %v", task.State, task.Artifacts, state, log)
		}
		kept := slices.ContainsFunc(log, func(e orchestrator.Event) bool { return e.Detail == "kept what echo had delivered; artifacts: 1" })
		if failed := state == a2apb.TaskState_TASK_STATE_FAILED; kept != failed {
			t.Errorf("of a task in state %s the log says that what was made is kept: %t; log %v", state, kept, log)
		}
	}
}

// TestAFailureUnderAnotherIDIsTheTasks has agents end their stream as the A2A project's server for JavaScript did before 1.0 when its agent broke down:
// with the failure of a task that nobody knows, in the context of the one that it named, which it says is working for ever after.
func TestAFailureUnderAnotherIDIsTheTasks(t *testing.T) {
	t.Parallel()
	status := func(task, room string, state a2apb.TaskState, words string) *a2apb.StreamResponse {
		return &a2apb.StreamResponse{Payload: &a2apb.StreamResponse_StatusUpdate{StatusUpdate: &a2apb.TaskStatusUpdateEvent{
			TaskId: task, ContextId: room, Status: &a2apb.TaskStatus{State: state, Message: text(words)},
		}}}
	}
	failed := status("r2", "room", a2apb.TaskState_TASK_STATE_FAILED, "thrown")
	for name, test := range map[string]struct {
		says []*a2apb.StreamResponse
		cut  error
		want a2apb.TaskState
	}{
		"at the end":         {[]*a2apb.StreamResponse{failed}, nil, a2apb.TaskState_TASK_STATE_FAILED},
		"in another context": {[]*a2apb.StreamResponse{status("r2", "other", a2apb.TaskState_TASK_STATE_FAILED, "thrown")}, nil, a2apb.TaskState_TASK_STATE_COMPLETED},
		"before other words": {[]*a2apb.StreamResponse{failed, status("r1", "room", a2apb.TaskState_TASK_STATE_WORKING, "on it")}, nil, a2apb.TaskState_TASK_STATE_COMPLETED},
		"before a cut":       {[]*a2apb.StreamResponse{failed}, errCut, a2apb.TaskState_TASK_STATE_COMPLETED},
		"without a failure":  {[]*a2apb.StreamResponse{status("r2", "room", a2apb.TaskState_TASK_STATE_CANCELED, "no")}, nil, a2apb.TaskState_TASK_STATE_COMPLETED},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := &actor{name: "agent"}
			a.play = func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
				begun := snapshot("r1", a2apb.TaskState_TASK_STATE_WORKING, "")
				begun.GetTask().ContextId = "room"
				if test.want == a2apb.TaskState_TASK_STATE_COMPLETED {
					a.remember(remoteTask("r1", a2apb.TaskState_TASK_STATE_COMPLETED, "", "done"))
				} else {
					a.remember(remoteTask("r1", a2apb.TaskState_TASK_STATE_WORKING, ""))
				}
				for _, r := range append([]*a2apb.StreamResponse{begun}, test.says...) {
					if err := say(r); err != nil {
						return err
					}
				}
				return test.cut
			}
			w := newWorld(t, a)
			task, log := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "agent"}}).ID)
			if task.State != test.want || task.Error != nil && !strings.Contains(task.Error.Message, "thrown") {
				t.Errorf("state %s, error %+v, want %s; log %v", task.State, task.Error, test.want, log)
			}
		})
	}
}

// TestAnArtifactThatIsSentAnewReplacesTheOldOne has an agent send three drafts of one artifact, of which a task has room for one.
func TestAnArtifactThatIsSentAnewReplacesTheOldOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &actor{name: "agent", play: func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
		for _, draft := range []string{"first ", "second ", "third "} {
			if err := say(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_ArtifactUpdate{ArtifactUpdate: &a2apb.TaskArtifactUpdateEvent{
				TaskId: "r1", Artifact: remoteTask("", 0, "", draft+strings.Repeat("x", orchestrator.MaxTaskBytes/2)).GetArtifacts()[0],
			}}}); err != nil {
				return err
			}
		}
		return say(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_StatusUpdate{StatusUpdate: &a2apb.TaskStatusUpdateEvent{
			TaskId: "r1", Status: &a2apb.TaskStatus{State: a2apb.TaskState_TASK_STATE_COMPLETED},
		}}})
	}})
	task, _ := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "agent"}}).ID)
	if task.State != a2apb.TaskState_TASK_STATE_COMPLETED || len(task.Artifacts) != 1 || !strings.HasPrefix(task.Artifacts[0].GetParts()[0].GetText(), "third ") {
		t.Errorf("state %s (%+v) with %d artifacts, want completed with the third draft", task.State, task.Error, len(task.Artifacts))
	}
}
