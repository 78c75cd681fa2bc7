package engine

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
)

// remoteState is what an agent has said in an attempt, assembled from snapshots and updates.
type remoteState struct {
	taskID    string
	contextID string // the agent's own
	state     a2apb.TaskState
	status    *a2apb.Message
	artifacts []*a2apb.Artifact
	bytes     int              // total of all artifacts
	values    int              // total of all artifacts
	metadata  *structpb.Struct // the metadata of the agent's task
	asked     string           // identifies the question with which the agent waits
	replied   bool             // to the question answered: while the agent waits with that question, it has not read the reply
	answered  string
	delivered bool // the agent has the reply
	repeats   bool // the agent asks the same question again
	strayed   bool // a response was about another task

	strayFailure *a2apb.TaskStatus // of the last response, if that was about another task

	statusMemory, metadataMemory int // about how many bytes of memory these take
}

const maxArtifacts = 1000

// apply adds one response and reports whether it says something that must be stored before the end. A task does not leave a terminal state (A2A
// §4.1.3): after that, only artifacts count. Responses about a task other than the first one named are ignored.
func (h *remoteState) apply(r *a2apb.StreamResponse) (news bool, err error) {
	if h.ended() && r.GetArtifactUpdate() == nil {
		return false, nil
	}
	if err := cmp.Or(checkNesting(r), checkRemoteIDs(r)); err != nil {
		return false, err
	}
	makeReadable(r)
	if h.strayFailure = nil; h.isStray(r) {
		h.noteStrayFailure(r.GetStatusUpdate())
		news, h.strayed = !h.strayed, true
		return news, nil
	}
	switch p := r.GetPayload().(type) {
	case *a2apb.StreamResponse_Message:
		m := p.Message
		h.state = a2apb.TaskState_TASK_STATE_COMPLETED
		h.setContextID(m.GetContextId())
		return true, h.applyArtifact(&a2apb.TaskArtifactUpdateEvent{Artifact: &a2apb.Artifact{
			ArtifactId: orchestrator.AnswerID, Name: orchestrator.AnswerID, Parts: m.GetParts(), Metadata: m.GetMetadata(), Extensions: m.GetExtensions(),
		}})
	case *a2apb.StreamResponse_Task:
		t := p.Task
		h.setContextID(t.GetContextId())
		named, said := h.setTaskID(t.GetId()), h.setStatus(t.GetStatus())
		return named || said, errors.Join(h.replaceArtifacts(t.GetArtifacts()), h.setMetadata(nil, t.GetMetadata()))
	case *a2apb.StreamResponse_StatusUpdate:
		h.setContextID(p.StatusUpdate.GetContextId())
		named, said := h.setTaskID(p.StatusUpdate.GetTaskId()), h.setStatus(p.StatusUpdate.GetStatus())
		return named || said, h.setMetadata(h.metadata, p.StatusUpdate.GetMetadata())
	case *a2apb.StreamResponse_ArtifactUpdate:
		named := h.setTaskID(p.ArtifactUpdate.GetTaskId())
		return named, h.applyArtifact(p.ArtifactUpdate)
	default:
		return false, nil // a kind of response that a newer version of A2A has
	}
}

func (h *remoteState) setStatus(s *a2apb.TaskStatus) bool {
	news := (s.GetState() != h.state && s.GetState() != a2apb.TaskState_TASK_STATE_UNSPECIFIED) || (s.GetMessage() != nil && !proto.Equal(s.GetMessage(), h.status))
	if s.GetState() != a2apb.TaskState_TASK_STATE_UNSPECIFIED {
		h.state = s.GetState()
	}
	asked := h.asked
	h.asked = questionOf(s)
	switch {
	case s.GetMessage() != nil:
		h.status, h.statusMemory = s.GetMessage(), memoryOf(s.GetMessage())
	case asked != "" && h.asked == "": // it goes on, and what it asked says nothing about that
		h.status, h.statusMemory = nil, 0
	}
	return news
}

// replaceArtifacts takes the artifacts of a snapshot. One without any takes none away: some agents leave them out.
func (h *remoteState) replaceArtifacts(artifacts []*a2apb.Artifact) error {
	if len(artifacts) == 0 {
		return nil
	}
	h.artifacts, h.bytes, h.values = artifacts, 0, 0
	for _, a := range artifacts {
		h.bytes, h.values = h.bytes+proto.Size(a), h.values+orchestrator.Values(a)
	}
	return h.checkSize()
}

// applyArtifact applies an artifact update: append adds its parts to the artifact of that id (A2A §4.2.2), and its metadata, as the SDKs of the A2A
// project do.
func (h *remoteState) applyArtifact(u *a2apb.TaskArtifactUpdateEvent) error {
	a := u.GetArtifact()
	if a == nil {
		return nil
	}
	i := slices.IndexFunc(h.artifacts, func(old *a2apb.Artifact) bool { return old.GetArtifactId() == a.GetArtifactId() })
	switch {
	case i < 0:
		h.artifacts = append(h.artifacts, a)
	case u.GetAppend():
		a = extend(h.artifacts[i], a)
	default:
		old := h.artifacts[i]
		h.bytes, h.values = h.bytes-proto.Size(old), h.values-orchestrator.Values(old)
		h.artifacts[i] = a
	}
	h.bytes, h.values = h.bytes+proto.Size(a), h.values+orchestrator.Values(a)
	return h.checkSize()
}

// extend adds a piece to an artifact, and returns what it has added: the id comes with each piece, and with some agents all metadata.
func extend(a, piece *a2apb.Artifact) (added *a2apb.Artifact) {
	added = &a2apb.Artifact{Parts: piece.GetParts()}
	a.Parts = append(a.Parts, piece.GetParts()...)
	if proto.Equal(a.GetMetadata(), piece.GetMetadata()) {
		return added
	}
	if added.Metadata = piece.GetMetadata(); a.GetMetadata() == nil {
		a.Metadata = added.GetMetadata()
	} else {
		proto.Merge(a.GetMetadata(), added.GetMetadata())
	}
	return added
}

// correct takes the artifacts and the metadata of the agent's task, which was read after the end. If that does not say itself that it has ended, it may
// be older than what was heard: then it adds only artifacts that were not received before, and those of which there is more.
func (h *remoteState) correct(t *a2apb.Task) error {
	if err := checkNesting(snapshot(t)); err != nil {
		return err
	}
	makeReadable(snapshot(t))
	if orchestrator.Terminal(t.GetStatus().GetState()) {
		return errors.Join(h.replaceArtifacts(t.GetArtifacts()), h.setMetadata(h.metadata, t.GetMetadata()))
	}
	for _, a := range t.GetArtifacts() {
		i := slices.IndexFunc(h.artifacts, func(old *a2apb.Artifact) bool { return old.GetArtifactId() == a.GetArtifactId() })
		if i >= 0 && proto.Size(h.artifacts[i]) >= proto.Size(a) {
			continue
		}
		if err := h.applyArtifact(&a2apb.TaskArtifactUpdateEvent{Artifact: a}); err != nil {
			return err
		}
	}
	return h.setMetadata(h.metadata, t.GetMetadata())
}

func (h *remoteState) checkSize() error {
	if h.bytes > orchestrator.MaxTaskBytes || h.values > orchestrator.MaxTaskValues || len(h.artifacts) > maxArtifacts {
		return fault.New(fault.FailedPrecondition, "ARTIFACTS_TOO_LARGE",
			"the agent delivered %d artifacts with %d bytes and %d values; a task holds at most %d artifacts with %d bytes and %d values",
			len(h.artifacts), h.bytes, h.values, maxArtifacts, orchestrator.MaxTaskBytes, orchestrator.MaxTaskValues)
	}
	return nil
}

func (h *remoteState) ended() bool { return orchestrator.Terminal(h.state) }

// mirroredState returns the state that the task takes over while the agent works.
func (h *remoteState) mirroredState() a2apb.TaskState {
	if h.waitsForCaller() {
		return h.state
	}
	return a2apb.TaskState_TASK_STATE_WORKING
}

const maxProgressRunes = 500

// progressText returns what the agent last said, for the log; the full text is in the status message.
func (h *remoteState) progressText() string {
	text := []rune(messageText(h.status))
	if len(text) > maxProgressRunes {
		return string(text[:maxProgressRunes]) + "… (cut)"
	}
	return string(text)
}

// failure returns why the agent did not deliver, or nil when it did.
func (h *remoteState) failure() *orchestrator.Error {
	var reason, verb string
	switch h.state {
	case a2apb.TaskState_TASK_STATE_FAILED:
		reason, verb = reasonFailed, "the agent failed"
	case a2apb.TaskState_TASK_STATE_REJECTED:
		reason, verb = reasonRejected, "the agent rejected the task"
	case a2apb.TaskState_TASK_STATE_CANCELED:
		reason, verb = reasonCanceled, "the agent canceled the task"
	default:
		return nil
	}
	if text := h.progressText(); text != "" {
		verb += ": " + text
	}
	return &orchestrator.Error{Reason: reason, Message: verb}
}

func messageText(m *a2apb.Message) string {
	var texts []string
	for _, p := range m.GetParts() {
		if p.GetText() != "" {
			texts = append(texts, p.GetText())
		}
	}
	return strings.Join(texts, "\n")
}
