package engine_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
)

// TestAnArtifactThatWasReplacedIsForgotten has an agent replace an artifact, as one does that gives it another id each time, and then return to it.
func TestAnArtifactThatWasReplacedIsForgotten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := &actor{name: "agent"}
		a.play = func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
			for _, id := range []string{"one", "two", "one"} {
				made := &a2apb.Artifact{ArtifactId: id, Parts: text(id).GetParts(), Metadata: beside("of", id)}
				if err := say(snapshotOf(withArtifacts(remoteTask("r1", a2apb.TaskState_TASK_STATE_WORKING, ""), made))); err != nil {
					return err
				}
				<-time.After(time.Second)
			}
			return say(snapshot("r1", a2apb.TaskState_TASK_STATE_COMPLETED, ""))
		}
		s := newStage(t, a)
		s.start()
		defer s.stop()
		var shown []string
		err := s.engine.WatchDrafts(t.Context(), s.accept(a.name, "r"), 0, func(orchestrator.Event) error { return nil }, func(drafts []*a2apb.Artifact) error {
			for _, x := range drafts {
				if about := x.GetMetadata(); about != nil {
					shown = append(shown, about.GetFields()["of"].GetStringValue())
				}
			}
			return nil
		})
		if err != nil || len(shown) != 3 {
			t.Errorf("WatchDrafts() = %v after the metadata of %q, want that of each of 3", err, shown)
		}
	})
}
