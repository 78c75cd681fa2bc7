package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
)

// maxMetadataBytes is the maximum size of the metadata of an agent's task.
const maxMetadataBytes = 256 << 10

// setMetadata adds metadata to what the agent said of its whole task before. That of a status update counts as the task's, as in the SDKs of the A2A
// project. What Quorate says of its own tasks is left out: an agent may be another Quorate.
func (h *remoteState) setMetadata(before, added *structpb.Struct) error {
	if _, ours := added.GetFields()[orchestrator.TaskExtension]; ours {
		added = &structpb.Struct{Fields: maps.Clone(added.GetFields())}
		delete(added.GetFields(), orchestrator.TaskExtension)
	}
	switch {
	case len(added.GetFields()) == 0:
		if h.metadata = before; before == nil {
			h.metadataMemory = 0
		}
		return nil
	case before == nil:
		h.metadata = added
	default:
		proto.Merge(before, added)
		h.metadata = before
	}
	bytes, values := proto.Size(h.metadata), orchestrator.Values(h.metadata)
	if h.metadataMemory = bytes + values*orchestrator.ValueBytes; bytes > maxMetadataBytes || values > orchestrator.MaxTaskValues {
		return fault.New(fault.FailedPrecondition, "METADATA_TOO_LARGE", "the metadata of the agent's task has %d bytes and %d values; a task holds at most %d bytes and %d values",
			bytes, values, maxMetadataBytes, orchestrator.MaxTaskValues)
	}
	return nil
}

// omitUnreviewedMetadata drops the metadata of the agent's task if the agent has had its artifacts reviewed without any, before it delivered them:
// the metadata may be set by its framework, so that it could not know them, and the review would count for nothing. It returns a note for the log.
func (e *Engine) omitUnreviewedMetadata(ctx context.Context, t *orchestrator.Task, h *remoteState) (note string, err error) {
	if h.metadata == nil || !t.Guarded() {
		return "", nil
	}
	asked, err := e.Ledger.Consultations(ctx, t.Tenant, t.ID, t.CreateTime)
	if err != nil {
		return "", fmt.Errorf("look for what was reviewed of task %s: %w", t.ID, err)
	}
	digest := orchestrator.ArtifactsDigest(h.artifacts)
	if !slices.ContainsFunc(asked, func(c consultation.Consultation) bool { return c.SubjectDigest == digest }) {
		return "", nil
	}
	h.metadata = nil
	return "; the metadata of its task is left out, since a review was asked for without it", nil
}
