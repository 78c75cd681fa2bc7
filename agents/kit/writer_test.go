package kit_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/quorate/quorate/agents/kit"
	"github.com/quorate/quorate/agents/kit/board"
	"github.com/quorate/quorate/platform/fault"
)

// TestTextIsSeenWhileItIsWritten has a handler write more only after the caller has seen what it wrote before, in each binding.
func TestTextIsSeenWhileItIsWritten(t *testing.T) {
	t.Parallel()
	for _, binding := range bindings {
		seen := make(chan struct{})
		agent, _ := start(t, kit.Config{Handler: func(ctx context.Context, task *kit.Task) error {
			w := task.ArtifactWriter(ctx, kit.Artifact{Name: "answer", MediaType: "text/markdown", Metadata: map[string]any{"model": "m"}})
			sun := "日"
			for _, piece := range []string{"Hel", "lo ", sun[:1]} { // the last is not whole
				if _, err := fmt.Fprint(w, piece); err != nil {
					return err
				}
			}
			<-seen
			if _, err := fmt.Fprint(w, sun[1:]+"本"); err != nil {
				return err
			}
			return w.Close()
		}})
		c := client(t, agent, binding)
		updates, id := stream(t, c, func() { close(seen) })
		var got []string
		for _, u := range updates {
			got = append(got, fmt.Sprintf("%s %q %t %t %s %v", u.Artifact.Name, u.Artifact.Parts[0].Text(), u.Append, u.LastChunk, u.Artifact.Parts[0].MediaType, u.Artifact.Metadata["model"]))
		}
		want := []string{`answer "Hello " false false text/markdown m`, `answer "日本" true true text/markdown <nil>`}
		if !slices.Equal(got, want) || updates[0].Artifact.ID != updates[1].Artifact.ID {
			t.Errorf("%s: the updates are %q, want %q of one artifact", binding, got, want)
		}
		assertWhole(t, c, id, 2, "Hello 日本")
	}
}

func TestAnArtifactIsClosedWithItsTask(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		handler kit.Handler
		want    string // text of the artifact
		state   a2a.TaskState
	}{
		"not closed": {func(ctx context.Context, task *kit.Task) error {
			_, err := fmt.Fprint(task.ArtifactWriter(ctx, kit.Artifact{Name: "answer"}), "all of it")
			return err
		}, "all of it", a2a.TaskStateCompleted},
		"the handler fails": {func(ctx context.Context, task *kit.Task) error {
			_, _ = fmt.Fprint(task.ArtifactWriter(ctx, kit.Artifact{Name: "answer"}), "half of it")
			return fault.New(fault.Unavailable, "MODEL_AWAY", "the model is away")
		}, "half of it", a2a.TaskStateFailed},
		"too large": {func(ctx context.Context, task *kit.Task) error {
			if err := task.AddArtifact(ctx, kit.Artifact{Name: "other", Text: strings.Repeat("x", board.MaxBytes-50_000)}); err != nil {
				return err
			}
			_, err := fmt.Fprint(task.ArtifactWriter(ctx, kit.Artifact{Name: "answer"}), strings.Repeat("x", 100_000))
			return err
		}, strings.Repeat("x", board.MaxBytes-50_000), a2a.TaskStateFailed},
		"nothing is written": {func(ctx context.Context, task *kit.Task) error {
			return task.ArtifactWriter(ctx, kit.Artifact{Name: "answer"}).Close()
		}, "", a2a.TaskStateCompleted},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			agent, _ := start(t, kit.Config{Handler: test.handler})
			task := send(t, client(t, agent, a2a.TransportProtocolJSONRPC), say("go"))
			if task.Status.State != test.state || len(task.Artifacts) != 1 {
				t.Fatalf("the task is %s with %d artifacts, want %s with one", task.Status.State, len(task.Artifacts), test.state)
			}
			var got strings.Builder
			for _, part := range task.Artifacts[0].Parts {
				got.WriteString(part.Text())
			}
			if got.String() != test.want {
				t.Errorf("the artifact is %.50q of %d bytes, want %.50q", got.String(), got.Len(), test.want)
			}
		})
	}
}

// TestAModelMayTalkForHalfAnHour writes ten words a second. Afterwards nothing can be added.
func TestAModelMayTalkForHalfAnHour(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var said strings.Builder
		b := board.New(board.Options{Work: func(ctx context.Context, job *board.Job) error {
			w := kit.NewTask(job).ArtifactWriter(ctx, kit.Artifact{Name: "speech"})
			for i := range 10 * 60 * 30 {
				word := fmt.Sprintf("%d ", i)
				said.WriteString(word)
				if _, err := fmt.Fprint(w, word); err != nil {
					return err
				}
				<-time.After(100 * time.Millisecond)
			}
			if err := errors.Join(w.Close(), w.Close()); err != nil { // once more, as with defer
				return err
			}
			if _, err := fmt.Fprint(w, "more"); fault.ReasonOf(err) != "ARTIFACT_CLOSED" {
				t.Errorf("Write() after Close() = %v, want ARTIFACT_CLOSED", err)
			}
			var made strings.Builder
			for _, part := range w.Artifact().Parts {
				made.WriteString(part.Text())
			}
			if made.String() != said.String() {
				t.Errorf("Artifact() has %d bytes, want the %d that were written", made.Len(), said.Len())
			}
			return nil
		}})
		result, err := b.SendMessage(t.Context(), request(say("go")))
		if task, ok := result.(*a2a.Task); err != nil || !ok || task.Status.State != a2a.TaskStateCompleted {
			t.Errorf("SendMessage() = %+v, %v, want a task that is completed", result, err)
		}
		if err := b.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
