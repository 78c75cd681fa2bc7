package engine_test

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/platform/fault"
)

// TestWhatIsSaidInATaskIsBounded has an agent ask without end: everybody who reads the task gets all that was said.
func TestWhatIsSaidInATaskIsBounded(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		asks, replies int // bytes
		parts         int // of a reply, besides
		refused       string
		failed        string
	}{
		"by its caller": {asks: 10, replies: 300 << 10, refused: "TURNS_TOO_LARGE"},
		"in values":     {asks: 10, replies: 10, parts: 60_000, refused: "TURNS_TOO_LARGE"},
		"by its agent":  {asks: 200 << 10, replies: 10, refused: "TASK_ENDED", failed: "TURNS_TOO_LARGE"},
		"in a question": {asks: 300 << 10, replies: 10, refused: "TASK_ENDED", failed: "QUESTION_TOO_LARGE"},
		"in number":     {asks: 10, replies: 10, refused: "TASK_ENDED", failed: "TOO_MANY_TURNS"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var asked atomic.Int64
				asks := &actor{name: "asks"}
				asks.play = func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
					question := snapshot("r1", a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, strings.Repeat("?", test.asks))
					question.GetTask().GetStatus().GetMessage().MessageId = "q" + strconv.FormatInt(asked.Add(1), 10)
					asks.remember(question.GetTask())
					return say(question)
				}
				s := newStage(t, asks)
				s.start()
				defer s.stop()
				k := s.accept(asks.name, "r")
				var err error
				for n := 0; err == nil && n <= orchestrator.MaxTurns; n++ {
					<-time.After(time.Second)
					reply := text(strings.Repeat("!", test.replies))
					reply.Parts = append(reply.Parts, slices.Repeat([]*a2apb.Part{{Content: &a2apb.Part_Text{}}}, test.parts)...)
					_, err = s.engine.Reply(t.Context(), engine.Reply{Key: k, Caller: "tester", Message: reply})
				}
				if fault.ReasonOf(err) != test.refused {
					t.Errorf("Reply() = %v in the end, want %s", err, test.refused)
				}
				got, err := s.store.Task(t.Context(), k)
				if err != nil || got.CheckTurn(nil) != nil {
					t.Errorf("too much was said in the task: %v, %v", err, got.CheckTurn(nil))
				}
				if test.failed != "" && (got.Error == nil || got.Error.Reason != test.failed) {
					t.Errorf("the task is in state %s with %+v, want %s", got.State, got.Error, test.failed)
				}
			})
		})
	}
}

// TestWhatAnAgentDeliversHasABoundInValues has an agent stream empty parts, each of which takes a hundred bytes in memory.
func TestWhatAnAgentDeliversHasABoundInValues(t *testing.T) {
	t.Parallel()
	const parts, updates = 10_000, 100
	for name, again := range map[string]bool{"in one artifact": true, "in many": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := &actor{name: "agent", play: func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
				for n := range updates {
					update := &a2apb.TaskArtifactUpdateEvent{TaskId: "r1", Append: again, Artifact: &a2apb.Artifact{
						ArtifactId: "a", Parts: slices.Repeat([]*a2apb.Part{{Content: &a2apb.Part_Text{}}}, parts),
					}}
					if !again {
						update.Artifact.ArtifactId = strconv.Itoa(n)
					}
					if err := say(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_ArtifactUpdate{ArtifactUpdate: update}}); err != nil {
						return err
					}
				}
				return say(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_StatusUpdate{StatusUpdate: &a2apb.TaskStatusUpdateEvent{
					TaskId: "r1", Status: &a2apb.TaskStatus{State: a2apb.TaskState_TASK_STATE_COMPLETED},
				}}})
			}}
			w := newWorld(t, a)
			task, log := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "agent"}}).ID)
			if task.Error == nil || task.Error.Reason != "ARTIFACTS_TOO_LARGE" || !strings.Contains(task.Error.Message, "262144 values") {
				t.Errorf("state %s (%+v) with %d artifacts, want ARTIFACTS_TOO_LARGE with the limit; log %v", task.State, task.Error, len(task.Artifacts), log)
			}
		})
	}
}

// TestAnArtifactInPiecesCountsAsTheWhole has an agent say with each piece what the artifact is, which is more than the piece itself.
func TestAnArtifactInPiecesCountsAsTheWhole(t *testing.T) {
	t.Parallel()
	const pieces = 1000
	name := strings.Repeat("n", orchestrator.MaxTaskBytes/pieces)
	play := func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
		for n := range pieces {
			update := &a2apb.TaskArtifactUpdateEvent{TaskId: "r1", Append: n > 0, Artifact: &a2apb.Artifact{
				ArtifactId: "a", Name: name, Metadata: beside("name", name), Parts: text("some").GetParts(),
			}}
			if err := say(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_ArtifactUpdate{ArtifactUpdate: update}}); err != nil {
				return err
			}
		}
		return say(snapshot("r1", a2apb.TaskState_TASK_STATE_COMPLETED, ""))
	}
	w := newWorld(t, &actor{name: "agent", play: play})
	task, log := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "agent"}}).ID)
	if len(task.Artifacts) != 1 || len(task.Artifacts[0].GetParts()) != pieces || task.State != a2apb.TaskState_TASK_STATE_COMPLETED {
		t.Errorf("state %s (%+v) with %d artifacts, want one of %d parts; log %v", task.State, task.Error, len(task.Artifacts), pieces, log)
	}
}
