package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agenttask"
	"github.com/quorate/quorate/platform/fault"
)

// storeResult stores how the agent ended.
func (e *Engine) storeResult(ctx context.Context, c *conversation) (stepResult, error) {
	why := c.remote.Failure()
	if why != nil && c.task.Guarded() { // no reviewer has seen the agent's words
		why.Message = "the agent ended without delivering; its words are held back, since a review stands between it and the caller"
	}
	return e.storeEnd(ctx, c, why)
}

// storeFailure stores that the exchange has failed for good, with what the agent had delivered by then. If the agent has not ended its task, it is asked
// to stop: nobody would get the rest of its work.
func (e *Engine) storeFailure(ctx context.Context, c *conversation, f *fault.Error) (stepResult, error) {
	var notes []string
	if c.broken != nil && !c.remote.Ended() {
		note, _ := e.cancelRemote(ctx, &c.task)
		notes = append(notes, note)
	}
	next, err := e.storeEnd(ctx, c, errorOf(f), notes...)
	if fault.KindOf(err) == fault.InvalidArgument { // the store will never accept what was delivered
		return e.failAttempt(ctx, &c.task, f, notes...)
	}
	return next, err
}

// storeEnd stores what the agent said and delivered, and why it failed, if it did. notes are for the log.
func (e *Engine) storeEnd(ctx context.Context, c *conversation, why *orchestrator.Error, notes ...string) (stepResult, error) {
	if c.task.Guarded() {
		c.remote.Artifacts = numbered(c.remote.Artifacts)
	}
	note, err := e.omitUnreviewedMetadata(ctx, &c.task, &c.remote)
	if err != nil {
		return stepResult{}, err
	}
	return e.transition(ctx, &c.task, sameAttempt, func(t *orchestrator.Task) []orchestrator.Event {
		c.remote.RecordIDs(t)
		c.remote.RecordTurns(t, e.now())
		said := guardedProgress(t, c.unsavedProgress...)
		e.closeAttempt(t, why)
		t.StatusMessage = c.remote.Status
		if why == nil || len(c.remote.Artifacts) > 0 { // a question may have shown a draft before
			t.Artifacts = c.remote.Artifacts
		}
		if why == nil || c.remote.Metadata != nil {
			t.Metadata = c.remote.Metadata
		}
		if why == nil {
			delivered := event(t, orchestrator.EventDelivered, fmt.Sprintf("%s delivered; artifacts: %d%s", t.Agent, len(t.Artifacts), note))
			return append(append(said, delivered), e.passPhase(t, orchestrator.PhaseExecution)...)
		}
		said = append(said, notedEvents(t, notes...)...)
		if len(t.Artifacts) > 0 {
			said = append(said, keptEvent(t, note))
		}
		return append(said, e.fail(t, why)...)
	})
}

// keepDraft stores what the agent has delivered if the task is about to end without its result, because of its deadline or a request to cancel. What
// does not fit is left out.
func (e *Engine) keepDraft(ctx context.Context, c *conversation) {
	if len(c.remote.Artifacts) == 0 || c.refused || c.task.Guarded() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
	defer cancel()
	ends := func(read, now *orchestrator.Task) bool {
		return attemptOpen(read, now) && (now.CancelAsked || e.isOverdue(now))
	}
	_, err := e.updateOwned(ctx, &c.task, ends, func(t *orchestrator.Task) []orchestrator.Event {
		c.remote.RecordIDs(t)
		c.remote.ShowDraft(t)
		return []orchestrator.Event{keptEvent(t, "")}
	})
	if err != nil && !errors.Is(err, errMoved) {
		e.Logger.WarnContext(ctx, "what an agent delivered of a task that ends cannot be stored", taskAttr(&c.task), errAttr(err))
	}
}

// keptEvent returns the event for what is kept of a task that does not complete.
func keptEvent(t *orchestrator.Task, note string) orchestrator.Event {
	return event(t, orchestrator.EventDelivered, fmt.Sprintf("kept what %s had delivered; artifacts: %d%s", t.Agent, len(t.Artifacts), note))
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

// omitUnreviewedMetadata drops the metadata of the agent's task if the agent has had its artifacts reviewed without any, before it delivered them:
// the metadata may be set by its framework, so that it could not know them, and the review would count for nothing. It returns a note for the log.
func (e *Engine) omitUnreviewedMetadata(ctx context.Context, t *orchestrator.Task, h *agenttask.Task) (note string, err error) {
	if h.Metadata == nil || !t.Guarded() {
		return "", nil
	}
	asked, err := e.Ledger.Consultations(ctx, t.Tenant, t.ID, t.CreateTime)
	if err != nil {
		return "", fmt.Errorf("look for what was reviewed of task %s: %w", t.ID, err)
	}
	digest := orchestrator.ArtifactsDigest(h.Artifacts)
	if !slices.ContainsFunc(asked, func(c consultation.Consultation) bool { return c.SubjectDigest == digest }) {
		return "", nil
	}
	h.Metadata = nil
	return "; the metadata of its task is left out, since a review was asked for without it", nil
}
