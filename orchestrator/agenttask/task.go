package agenttask

import (
	"cmp"
	"errors"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/orchestrator"
)

// Task is an agent's task as far as the agent has told of it. It is not safe for concurrent use. The zero value is a task of which nothing is known.
type Task struct {
	ID        string // the agent's own; "" until it names one
	ContextID string // the agent's own
	State     a2apb.TaskState
	Status    *a2apb.Message // what the agent said with its state
	Artifacts []*a2apb.Artifact
	Metadata  *structpb.Struct // of the task as a whole

	whole                        map[string]bool // the ids of artifacts whose last chunk has come
	bytes, values                int             // of all artifacts
	statusMemory, metadataMemory int             // about how many bytes of memory these take

	asked string // identifies the question with which the agent waits
	reply reply

	strayed      bool              // a response was about another task
	strayFailure *a2apb.TaskStatus // of the last response, if that was about another task
}

// Apply adds a response of the agent, and reports whether that says something that must be stored before the end. A task does not leave a terminal state
// (A2A §4.1.3): after that, only artifacts count, by themselves or with the whole task. Responses about a task other than the first one named are ignored.
// A response that no task takes is refused with a fault, and must be the last.
func (h *Task) Apply(r *a2apb.StreamResponse) (news bool, err error) {
	if h.Ended() && r.GetArtifactUpdate() == nil && r.GetTask() == nil {
		return false, nil
	}
	if err := cmp.Or(checkPlain(r), CheckIDs(r)); err != nil {
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
		h.State = a2apb.TaskState_TASK_STATE_COMPLETED
		h.setContextID(m.GetContextId())
		return true, h.applyArtifact(&a2apb.TaskArtifactUpdateEvent{Artifact: &a2apb.Artifact{
			ArtifactId: orchestrator.AnswerID, Name: orchestrator.AnswerID, Parts: m.GetParts(), Metadata: m.GetMetadata(), Extensions: m.GetExtensions(),
		}})
	case *a2apb.StreamResponse_Task:
		t := p.Task
		if h.Ended() {
			return false, h.Correct(t)
		}
		h.setContextID(t.GetContextId())
		named, said := h.setID(t.GetId()), h.setStatus(t.GetStatus())
		return named || said, errors.Join(h.replaceArtifacts(t.GetArtifacts()), h.setMetadata(nil, t.GetMetadata()))
	case *a2apb.StreamResponse_StatusUpdate:
		h.setContextID(p.StatusUpdate.GetContextId())
		named, said := h.setID(p.StatusUpdate.GetTaskId()), h.setStatus(p.StatusUpdate.GetStatus())
		return named || said, h.setMetadata(h.Metadata, p.StatusUpdate.GetMetadata())
	case *a2apb.StreamResponse_ArtifactUpdate:
		named := h.setID(p.ArtifactUpdate.GetTaskId())
		return named, h.applyArtifact(p.ArtifactUpdate)
	default:
		return false, nil // a kind of response that a newer version of A2A has
	}
}

// setStatus takes what the agent says of its state. Without a state, or with one that only newer versions of A2A have, it says nothing about that, and still
// waits if it did.
func (h *Task) setStatus(s *a2apb.TaskStatus) bool {
	known := s.GetState() != a2apb.TaskState_TASK_STATE_UNSPECIFIED
	news := known && s.GetState() != h.State || s.GetMessage() != nil && !proto.Equal(s.GetMessage(), h.Status)
	asked := h.asked
	if known {
		h.State, h.asked = s.GetState(), QuestionOf(s)
	}
	switch {
	case s.GetMessage() != nil:
		h.Status, h.statusMemory = s.GetMessage(), proto.Size(s.GetMessage())+orchestrator.Overhead(s.GetMessage())
	case asked != "" && h.asked == "", h.Ended(): // what it said or asked before says nothing about this state
		h.Status, h.statusMemory = nil, 0
	}
	return news
}

// Ended reports whether the agent has ended its task.
func (h *Task) Ended() bool { return orchestrator.Terminal(h.State) }

// MirroredState returns the state that our task takes over while the agent works.
func (h *Task) MirroredState() a2apb.TaskState {
	if h.WaitsForCaller() {
		return h.State
	}
	return a2apb.TaskState_TASK_STATE_WORKING
}

// Memory returns about how many bytes of memory what the agent has made takes.
func (h *Task) Memory() int {
	return h.bytes + h.values*orchestrator.ValueBytes + h.statusMemory + h.metadataMemory
}

// Snapshot returns the response by which an agent shows the whole of its task.
func Snapshot(t *a2apb.Task) *a2apb.StreamResponse {
	return &a2apb.StreamResponse{Payload: &a2apb.StreamResponse_Task{Task: t}}
}
