package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
)

// maxAboutBytes is the maximum size of the metadata of an agent's task.
const maxAboutBytes = 256 << 10

// setMetadata adds metadata to what the agent said of its whole task before. That of a status update counts as the task's, as in the SDKs of the A2A
// project. What Quorate says of its own tasks is left out: an agent may be another Quorate.
func (h *remoteState) setMetadata(before, added *structpb.Struct) error {
	if _, ours := added.GetFields()[orchestrator.TaskExtension]; ours {
		added = &structpb.Struct{Fields: maps.Clone(added.GetFields())}
		delete(added.GetFields(), orchestrator.TaskExtension)
	}
	switch {
	case len(added.GetFields()) == 0:
		h.metadata = before
		return nil
	case before == nil:
		h.metadata = added
	default:
		proto.Merge(before, added)
		h.metadata = before
	}
	if bytes, values := proto.Size(h.metadata), orchestrator.Values(h.metadata); bytes > maxAboutBytes || values > orchestrator.MaxTaskValues {
		return fault.New(fault.FailedPrecondition, "METADATA_TOO_LARGE", "the metadata of the agent's task has %d bytes and %d values; a task holds at most %d bytes and %d values",
			bytes, values, maxAboutBytes, orchestrator.MaxTaskValues)
	}
	return nil
}

// showDraft puts what the agent has made so far into a task that waits for its caller, who may have to judge it. If a review stands in between, or an
// artifact is so large that it may not fit a store, that has to wait for the delivery. The conversation may go on and change its own copy.
func (h *remoteState) showDraft(t *orchestrator.Task) {
	if t.Guarded() {
		return
	}
	before := t.Artifacts
	t.Artifacts, t.Metadata = nil, nil
	for i, a := range h.artifacts {
		switch {
		case proto.Size(a) > maxQuestionBytes:
			continue
		case i < len(before) && proto.Equal(before[i], a): // it need not be written again
			a = before[i]
		default:
			a = proto.CloneOf(a)
		}
		t.Artifacts = append(t.Artifacts, a)
	}
	if h.metadata != nil {
		t.Metadata = proto.CloneOf(h.metadata)
	}
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

// omitUnreviewedMetadata drops the metadata of the agent's task if the agent has had its artifacts reviewed without any, before it delivered them: the metadata may be
// set by its framework, so that it could not know them, and the review would count for nothing. It returns a note for the log.
func (e *Engine) omitUnreviewedMetadata(ctx context.Context, t *orchestrator.Task, h *remoteState) (note string, err error) {
	if h.metadata == nil || !t.Guarded() {
		return "", nil
	}
	asked, err := e.Ledger.Consultations(ctx, t.Tenant, t.ID)
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
