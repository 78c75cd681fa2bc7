package engine_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/platform/fault"
)

// TestWhoWatchesATaskThatIsRemovedIsToldSo has the retention of a task end right after each call to the store by somebody who watches it.
func TestWhoWatchesATaskThatIsRemovedIsToldSo(t *testing.T) {
	t.Parallel()
	atEveryCall(t, 2, func(t *testing.T, call int) bool {
		t.Helper()
		s := newStage(t, &actor{name: "agent", play: delivers("done")})
		s.start()
		k := s.accept("agent", "r")
		s.pass()
		log, err := s.store.Events(t.Context(), k, 0, 1000)
		if err != nil {
			t.Fatal(err)
		}
		s.stop()
		s.moment = &moment{at: int64(call), act: func() { s.store.Forget(k) }}
		s.boot() // it answers calls, and makes none of its own
		var seen []orchestrator.Event
		_, err = s.engine.Watch(t.Context(), k, 0, true, func(e orchestrator.Event) error {
			seen = append(seen, e)
			return nil
		})
		if gone := fault.KindOf(err) == fault.NotFound; (err != nil || !slices.Equal(seen, log)) && !gone {
			t.Errorf("Watch() of a task that is removed after call %d = %v after %v, want all of %v, or that it is not found", call, err, seen, log)
		}
		return s.moment.met()
	})
}

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
		err := s.engine.WatchDrafts(t.Context(), s.accept(a.name, "r"), 0, func(orchestrator.Event, func(string) bool) error { return nil }, func(drafts []engine.Draft) error {
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

// TestTheLastWordAboutAnArtifactIsKnownAtTheEnd has an agent say of one of two artifacts that it is whole in the moment in which it ends its task.
func TestTheLastWordAboutAnArtifactIsKnownAtTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := &actor{name: "agent", play: func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
			piece := func(id string, last bool, parts ...*a2apb.Part) error {
				return say(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_ArtifactUpdate{ArtifactUpdate: &a2apb.TaskArtifactUpdateEvent{
					TaskId: "r1", Append: last, LastChunk: last, Artifact: &a2apb.Artifact{ArtifactId: id, Parts: parts},
				}}})
			}
			if err := errors.Join(piece("whole", false, text("all").GetParts()...), piece("open", false, text("all").GetParts()...)); err != nil {
				return err
			}
			<-time.After(time.Second)
			return errors.Join(piece("whole", true), say(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_StatusUpdate{
				StatusUpdate: &a2apb.TaskStatusUpdateEvent{TaskId: "r1", Status: &a2apb.TaskStatus{State: a2apb.TaskState_TASK_STATE_COMPLETED}},
			}}))
		}}
		s := newStage(t, a)
		s.start()
		defer s.stop()
		shown, ended := false, false
		err := s.engine.WatchDrafts(t.Context(), s.accept(a.name, "r"), 0, func(e orchestrator.Event, isWhole func(string) bool) error {
			if ended = orchestrator.Terminal(e.State); ended && (!isWhole("whole") || isWhole("open")) {
				t.Errorf("at the end whole is whole: %t, and open: %t, want only the first", isWhole("whole"), isWhole("open"))
			}
			return nil
		}, func(drafts []engine.Draft) error {
			shown = len(drafts) == 2
			return nil
		})
		if err != nil || !ended || !shown {
			t.Errorf("WatchDrafts() = %v, ended %t, and drafts were shown %t, want the end behind those of both artifacts", err, ended, shown)
		}
	})
}

// replaced is a store in which, between a read of a task and one of its events, a new task takes the place of the first: the same request comes again just
// when that is no longer kept. The new one has fewer events.
type replaced struct{ orchestrator.Store }

func (s replaced) Events(ctx context.Context, k orchestrator.Key, after uint64, limit int) ([]orchestrator.Event, error) {
	if after > 0 {
		return nil, nil
	}
	return s.Store.Events(ctx, k, after, min(limit, 1))
}

func TestAWatchEndsWithATaskThatIsNotKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &actor{name: "agent", play: delivers("done")})
	id := w.submit(engine.Submission{Route: orchestrator.Route{Agent: "agent"}}).ID
	w.awaitEnd(id)
	w.before = func(s orchestrator.Store) orchestrator.Store { return replaced{s} }
	w.restart()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	var seen []uint64
	task, err := w.engine.Watch(ctx, orchestrator.Key{Tenant: tenant, ID: id}, 0, true, func(e orchestrator.Event) error {
		seen = append(seen, e.Sequence)
		return ctx.Err()
	})
	if err != nil || !task.Ended() || len(seen) != 1 {
		t.Errorf("Watch() = %s, %v after events %v, want the end after the first event", task.State, err, seen)
	}
}
