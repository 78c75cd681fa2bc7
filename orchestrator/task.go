package orchestrator

import (
	"slices"
	"strconv"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/platform/fault"
)

// Limits of a task. A submission that exceeds one is refused with an error that names the limit.
const (
	MaxAttributes   = 64
	MaxEvents       = 2000           // progress beyond it is not logged, and the log says so
	DefaultDeadline = 24 * time.Hour // from acceptance
	MaxDeadline     = 30 * 24 * time.Hour
	MaxMessageBytes = 350 << 10 // of one message; that of a step, which brings what other steps made, may have MaxTaskBytes
	MaxTaskBytes    = 4 << 20   // total size of a task's artifacts; one may have it all
	MaxArtifacts    = 1000
	MaxTaskValues   = 1 << 18 // how many Values they have; each takes some hundred bytes of memory
	MaxConsultHops  = 5       // a consultation of a consultation of …
	MaxHops         = 8       // tasks of this Quorate or others that a message is sent for, one after the other
	EndRoom         = 8 << 10 // bytes of a stored state that are reserved for the end of the task
)

// Phase is a stage in the life of a task.
type Phase string

// The phases in the order in which a task passes them. When the agent fails, PhaseOnError takes the place of the reviews.
const (
	PhasePreExecution  Phase = consultation.PhasePreExecution
	PhaseExecution     Phase = "execution"
	PhaseDesignReview  Phase = consultation.PhaseDesignReview
	PhasePreCompletion Phase = consultation.PhasePreCompletion
	PhaseOnError       Phase = consultation.PhaseOnError
	PhaseDone          Phase = "done"
)

// Task is one accepted piece of work. Messages, Artifacts and Metadata are shared between copies of a task and must not be changed in place.
type Task struct {
	Tenant       string
	ID           string
	ContextID    string
	Owner        string // the principal who submitted it
	RequestHash  string `json:",omitempty"` // hash of the submission, to tell a retry from a different request under the same id
	State        a2apb.TaskState
	Phase        Phase
	Agent        string
	Skill        string                     `json:",omitempty"`
	SkillAsked   bool                       `json:",omitempty"` // the caller asked for the skill, which the agent is told; otherwise the router found it
	Attributes   consultation.Attributes    `json:",omitempty"`
	Requirements []consultation.Requirement `json:",omitempty"` // the agent's rules when the task was accepted; they cannot change afterwards
	Attempts     []Attempt
	Gates        []Gate    `json:",omitempty"`
	Turns        []Turn    `json:",omitempty"` // the messages after Message, in order
	Webhooks     []Webhook `json:",omitempty"` // receivers of push notifications
	Decision     Decision
	Plan         *Plan   `json:",omitempty"` // not nil when the task is done through other tasks
	Error        *Error  `json:",omitempty"`
	Parent       *Parent `json:",omitempty"`
	TraceID      string
	SpanID       string
	Traced       bool           `json:",omitempty"` // Quorate records its own spans of the task: it did so for the call that submitted it
	CancelAsked  bool           `json:",omitempty"`
	CancelWith   CancelMetadata `json:",omitempty"` // what the agent is told with each request to stop
	AtMostOnce   bool           `json:",omitempty"` // the message is not sent again when its fate is unknown
	Released     bool           `json:",omitempty"` // no mandatory gate holds back the artifacts and the progress
	Untold       bool           `json:",omitempty"` // the task has ended, but consultations about it, or the one that it carries, do not know yet
	Shard        int            // part of the work to which the task belongs; chosen when the task is accepted
	OwnerEpoch   uint64         // epoch of the lease under which the task was last written; an owner with a lower one may not write
	Version      uint64         // number of writes; the etag
	LastEvent    uint64
	CreateTime   time.Time
	UpdateTime   time.Time
	Deadline     time.Time
	NextDue      time.Time `json:",omitzero"`  // nothing is sent before this time; zero when nothing has to wait
	VersionRange string    `json:",omitempty"` // a registry.VersionRange that the version of the agent must be in
	Inputs       []Given   `json:",omitempty"` // the inputs that the message has; a plan has its own

	// Stores keep these fields apart from the others, which are small and rewritten with every step.
	Message       *a2apb.Message    `json:"-"` // what was submitted
	StatusMessage *a2apb.Message    `json:"-"` // the last message of the agent
	Artifacts     []*a2apb.Artifact `json:"-"` // what the agent delivered, or has made when it asked something
	Metadata      *structpb.Struct  `json:"-"` // what the agent said of its whole task at that time; nil for nothing
}

// Attempt is one assignment of the task to an agent. Its message id is stored before anything is sent, and stays the same however often the message
// is sent.
type Attempt struct {
	Number        int
	Agent         string
	MessageID     string
	RemoteTaskID  string `json:",omitempty"`
	RemoteContext string `json:",omitempty"` // the agent's own context id
	Question      string `json:",omitempty"` // identifies the agent's last question among the turns
	Binding       string
	Sends         int
	NotTaken      bool `json:",omitempty"` // the agent certainly did not accept the last sending
	StartTime     time.Time
	EndTime       time.Time `json:",omitzero"`
	Error         *Error    `json:",omitempty"` // why it failed or, while it is open, why the message is to be sent again
}

// Error says why a task failed or is blocked: a reason for programs and a message for people.
type Error struct {
	Reason  string
	Message string
}

// Parent refers to the task that this task serves, by carrying a consultation for it or by being a step of its plan.
type Parent struct {
	TaskID         string
	ConsultationID string `json:",omitempty"`
	Hops           int    // depth of consultations about consultations
	Spare          bool   `json:",omitempty"` // another agent is there to step in, so that this one is not tried for long
}

// CarriesConsultation reports whether the task carries a consultation.
func (t *Task) CarriesConsultation() bool { return t.Parent != nil && t.Parent.ConsultationID != "" }

// IsStep reports whether the task is a step of a plan.
func (t *Task) IsStep() bool { return t.Parent != nil && t.Parent.ConsultationID == "" }

// Hops returns how many consultations deep the task is: 0 unless it serves a consultation, or a task that does.
func (t *Task) Hops() int {
	if t.Parent == nil {
		return 0
	}
	return t.Parent.Hops
}

// MessageLimit returns how many bytes one message of the task may have. What agents have made is not to be lost on its way to the next one.
func (t *Task) MessageLimit() int {
	if t.IsStep() {
		return MaxTaskBytes
	}
	return MaxMessageBytes
}

// Key returns the task's key.
func (t *Task) Key() Key { return Key{Tenant: t.Tenant, ID: t.ID} }

// ParentKey returns the key of the task that this one, which has a Parent, serves.
func (t *Task) ParentKey() Key { return Key{Tenant: t.Tenant, ID: t.Parent.TaskID} }

// Etag returns the task's etag, which changes with every write.
func (t *Task) Etag() string { return strconv.FormatUint(t.Version, 10) }

// CheckEtag returns a Conflict fault with the reason ETAG_MISMATCH unless etag is the task's current one, empty or *.
func (t *Task) CheckEtag(etag string) error {
	if etag == "" || etag == "*" || etag == t.Etag() {
		return nil
	}
	return fault.New(fault.Conflict, "ETAG_MISMATCH", "task %s has changed since it was read; read it again and retry", t.ID).With("task", t.ID).With("etag", t.Etag())
}

// Ended reports whether the task is in a terminal state.
func (t *Task) Ended() bool { return Terminal(t.State) }

// ReservedBytes returns how many bytes of the limit of a stored state must stay free. An active task reserves what its end, or its way there after a
// failure, will need; otherwise it could not end, not even by its deadline.
func (t *Task) ReservedBytes() int {
	switch {
	case t.Ended() || t.Phase == PhaseOnError:
		return 0
	case t.CancelWith != "": // which is dropped at the end
		return EndRoom / 2
	default:
		return EndRoom
	}
}

// Terminal reports whether a task never leaves a state (A2A §4.1.3).
func Terminal(s a2apb.TaskState) bool {
	switch s {
	case a2apb.TaskState_TASK_STATE_COMPLETED, a2apb.TaskState_TASK_STATE_FAILED,
		a2apb.TaskState_TASK_STATE_CANCELED, a2apb.TaskState_TASK_STATE_REJECTED:
		return true
	default:
		return false
	}
}

// OpenAttempt returns the current attempt, or nil when none is open.
func (t *Task) OpenAttempt() *Attempt {
	if n := len(t.Attempts); n > 0 && t.Attempts[n-1].EndTime.IsZero() {
		return &t.Attempts[n-1]
	}
	return nil
}

// EditOpenAttempt returns the current attempt for editing, or nil. It copies the list of attempts first, because other copies of the task share it.
func (t *Task) EditOpenAttempt() *Attempt {
	t.Attempts = slices.Clone(t.Attempts)
	return t.OpenAttempt()
}
