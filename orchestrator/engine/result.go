package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/orchestrator"
)

// guardedProgress returns the events for what the agent said, as far as the log has room. It leaves out the words while a gate may still hold back
// the work.
func guardedProgress(t *orchestrator.Task, said ...string) []orchestrator.Event {
	if t.Guarded() {
		said = slices.Clone(said)
		for i, text := range said {
			if text != strayMessage {
				said[i] = "the agent reports progress; its words are held back until the gate opens"
			}
		}
	}
	return progressEvents(t, said...)
}

// progressEvents returns progress events with texts, as far as the log has room.
func progressEvents(t *orchestrator.Task, texts ...string) []orchestrator.Event {
	var events []orchestrator.Event
	for _, text := range texts {
		switch at := t.LastEvent + uint64(len(events)); {
		case at == orchestrator.MaxEvents:
			text = fmt.Sprintf("the log has %d entries; further progress is not logged", at)
		case at > orchestrator.MaxEvents:
			return events
		}
		events = append(events, event(t, orchestrator.EventProgress, text))
	}
	return events
}

// storeResult stores how the agent ended.
func (e *Engine) storeResult(ctx context.Context, c *conversation) (stepResult, error) {
	why := c.remote.failure()
	if why != nil && c.task.Guarded() { // no reviewer has seen the agent's words
		why.Message = "the agent ended without delivering; its words are held back, since a review stands between it and the caller"
	}
	if c.task.Guarded() {
		c.remote.artifacts = numbered(c.remote.artifacts)
	}
	note, err := e.omitUnreviewedMetadata(ctx, &c.task, &c.remote)
	if err != nil {
		return stepResult{}, err
	}
	return e.transition(ctx, &c.task, sameAttempt, func(t *orchestrator.Task) []orchestrator.Event {
		c.remote.recordIDs(t)
		e.storeTurns(t, &c.remote)
		said := guardedProgress(t, c.unsavedProgress...)
		e.closeAttempt(t, why)
		if c.remote.status != nil {
			t.StatusMessage = c.remote.status
		}
		t.Artifacts, t.Metadata = c.remote.artifacts, c.remote.metadata
		if why != nil {
			return append(said, e.fail(t, why)...)
		}
		delivered := event(t, orchestrator.EventDelivered, fmt.Sprintf("%s delivered; artifacts: %d%s", t.Agent, len(t.Artifacts), note))
		return append(append(said, delivered), e.passPhase(t, orchestrator.PhaseExecution)...)
	})
}

// numbered returns artifacts with their numbers as ids: callers would get as many bytes as an agent likes in ids, which no reviewer sees. An id that is
// also the name, which reviewers see, stays.
func numbered(list []*a2apb.Artifact) []*a2apb.Artifact {
	out := make([]*a2apb.Artifact, len(list))
	for i, a := range list {
		if a.GetArtifactId() != a.GetName() {
			a = proto.CloneOf(a)
			a.ArtifactId = fmt.Sprintf("artifact-%d", i+1)
		}
		out[i] = a
	}
	return out
}
