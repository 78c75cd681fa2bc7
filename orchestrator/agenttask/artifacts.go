package agenttask

import (
	"errors"
	"slices"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
)

// replaceArtifacts takes the artifacts of a snapshot. One without any takes none away: some agents leave them out.
func (h *Task) replaceArtifacts(artifacts []*a2apb.Artifact) error {
	if len(artifacts) == 0 {
		return nil
	}
	h.Artifacts, h.whole, h.bytes, h.values = artifacts, nil, 0, 0
	for _, a := range artifacts {
		h.count(1, a)
	}
	return h.checkSize()
}

// applyArtifact applies an artifact update: append adds its parts to the artifact of that id (A2A §4.2.2), and its metadata, as the SDKs of the A2A
// project do.
func (h *Task) applyArtifact(u *a2apb.TaskArtifactUpdateEvent) error {
	a := u.GetArtifact()
	if a == nil {
		return nil
	}
	i := h.indexOf(a)
	switch {
	case i < 0:
		h.Artifacts = append(h.Artifacts, a)
		h.count(1, a)
	case u.GetAppend():
		h.extend(h.Artifacts[i], a)
	default:
		h.count(-1, h.Artifacts[i])
		h.Artifacts[i] = a
		h.count(1, a)
	}
	h.noteWhole(u)
	return h.checkSize()
}

func (h *Task) noteWhole(u *a2apb.TaskArtifactUpdateEvent) {
	switch id := u.GetArtifact().GetArtifactId(); {
	case !u.GetLastChunk():
		delete(h.whole, id)
	case h.whole == nil:
		h.whole = map[string]bool{id: true}
	default:
		h.whole[id] = true
	}
}

// IsWhole reports whether the agent has sent what it says is the last chunk of the artifact with this id.
func (h *Task) IsWhole(id string) bool { return h.whole[id] }

// indexOf returns where the artifact with the id of a is, or -1.
func (h *Task) indexOf(a *a2apb.Artifact) int {
	return slices.IndexFunc(h.Artifacts, func(old *a2apb.Artifact) bool { return old.GetArtifactId() == a.GetArtifactId() })
}

// extend adds a piece to an artifact. Some agents give each piece all metadata, or that of the piece: what it has under the same keys as before counts once.
func (h *Task) extend(a, piece *a2apb.Artifact) {
	h.count(1, &a2apb.Artifact{Parts: piece.GetParts()})
	a.Parts = append(a.Parts, piece.GetParts()...)
	if piece.GetMetadata() == nil || proto.Equal(a.GetMetadata(), piece.GetMetadata()) {
		return
	}
	h.count(-1, &a2apb.Artifact{Metadata: a.GetMetadata()})
	if a.GetMetadata() == nil {
		a.Metadata = piece.GetMetadata()
	} else {
		proto.Merge(a.GetMetadata(), piece.GetMetadata())
	}
	h.count(1, &a2apb.Artifact{Metadata: a.GetMetadata()})
}

// count counts an artifact, or a part of one, n times: with 1 once more, and with -1 once less.
func (h *Task) count(n int, a *a2apb.Artifact) {
	h.bytes, h.values = h.bytes+n*proto.Size(a), h.values+n*orchestrator.Values(a)
}

// Correct takes the artifacts and the metadata of the agent's task, which was read or told after the end. If that does not say itself that it has ended, it may
// be older than what was heard: then it adds only artifacts that were not received before, and those of which there is more.
func (h *Task) Correct(t *a2apb.Task) error {
	if err := checkPlain(Snapshot(t)); err != nil {
		return err
	}
	makeReadable(Snapshot(t))
	if orchestrator.Terminal(t.GetStatus().GetState()) {
		return errors.Join(h.replaceArtifacts(t.GetArtifacts()), h.setMetadata(h.Metadata, t.GetMetadata()))
	}
	for _, a := range t.GetArtifacts() {
		if i := h.indexOf(a); i >= 0 && proto.Size(h.Artifacts[i]) >= proto.Size(a) {
			continue
		}
		if err := h.applyArtifact(&a2apb.TaskArtifactUpdateEvent{Artifact: a}); err != nil {
			return err
		}
	}
	return h.setMetadata(h.Metadata, t.GetMetadata())
}

func (h *Task) checkSize() error {
	if h.bytes > orchestrator.MaxTaskBytes || h.values > orchestrator.MaxTaskValues || len(h.Artifacts) > orchestrator.MaxArtifacts {
		return fault.New(fault.FailedPrecondition, "ARTIFACTS_TOO_LARGE",
			"the agent delivered %d artifacts with %d bytes and %d values; a task holds at most %d artifacts with %d bytes and %d values",
			len(h.Artifacts), h.bytes, h.values, orchestrator.MaxArtifacts, orchestrator.MaxTaskBytes, orchestrator.MaxTaskValues)
	}
	return nil
}
