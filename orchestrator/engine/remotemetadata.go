package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agenttask"
)

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
