package orchestrator

import (
	"slices"
	"strconv"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/platform/fault"
)

// Limits of a task. A submission beyond them is refused with an error that names the limit.
const (
	MaxAttributes   = 64
	MaxEvents       = 2000           // progress beyond it is not logged; the log says so
	DefaultDeadline = 24 * time.Hour // from acceptance
	MaxDeadline     = 30 * 24 * time.Hour
	MaxTaskBytes    = 4 << 20 // all artifacts of a task together
	MaxConsultHops  = 5       // a consultation of a consultation of …
	EndRoom         = 8 << 10 // bytes of a stored state that only the end of a task may use
)

// Phase is where in its life a task is.
type Phase string

// The phases in the order a task passes them; OnError is passed instead of the reviews when the agent fails.
const (
	PhasePreExecution  Phase = consultation.PhasePreExecution
	PhaseExecution     Phase = "execution"
	PhaseDesignReview  Phase = consultation.PhaseDesignReview
	PhasePreCompletion Phase = consultation.PhasePreCompletion
	PhaseOnError       Phase = consultation.PhaseOnError
	PhaseDone          Phase = "done"
)

// Task is one piece of accepted work. Message and Artifacts are shared between copies and must not be changed in place.
type Task struct {
	Tenant       string
	ID           string
	ContextID    string
	Owner        string // the principal who submitted it
	RequestHash  string `json:",omitempty"` // of the submission, to tell a retry from another request with the same id
	State        a2apb.TaskState
	Phase        Phase
	Agent        string
	Skill        string                     `json:",omitempty"`
	Attributes   consultation.Attributes    `json:",omitempty"`
	Requirements []consultation.Requirement `json:",omitempty"` // the agent's rules when the task was accepted: nobody can change them under it
	Attempts     []Attempt
	Gates        []Gate    `json:",omitempty"`
	Turns        []Turn    `json:",omitempty"` // what was said after Message, in order
	Webhooks     []Webhook `json:",omitempty"` // who is told of the task
	Decision     Decision
	Plan         *Plan   `json:",omitempty"` // not nil when it is done by other tasks
	Error        *Error  `json:",omitempty"`
	Parent       *Parent `json:",omitempty"`
	TraceID      string
	SpanID       string
	CancelAsked  bool   `json:",omitempty"`
	AtMostOnce   bool   `json:",omitempty"` // the message is not sent again when it is not known what became of it
	Released     bool   `json:",omitempty"` // artifacts and progress may be shown: no mandatory gate holds them back
	Untold       bool   `json:",omitempty"` // it has ended, and consultations have not been told: those about it, or the one that it carries
	Shard        int    // of those who share the work; chosen when the task is accepted
	OwnerEpoch   uint64 // of the lease under which the task was last worked on; an owner with an earlier one may not write any more
	Version      uint64 // counts the task's writes; the etag
	LastEvent    uint64
	CreateTime   time.Time
	UpdateTime   time.Time
	Deadline     time.Time
	NextDue      time.Time `json:",omitzero"`  // nothing is sent before; zero when nothing has to wait
	VersionRange string    `json:",omitempty"` // a registry.VersionRange that the version of whoever does it has to be in
	Inputs       []Given   `json:",omitempty"` // those that the message has; a plan has its own

	// Stores keep these apart from the rest, which is small and rewritten with every step.
	Message       *a2apb.Message    `json:"-"` // what was submitted
	StatusMessage *a2apb.Message    `json:"-"` // the last thing the agent said
	Artifacts     []*a2apb.Artifact `json:"-"` // what the agent delivered
}

// Attempt is one commission of an agent. Its message id is stored before any byte leaves and stays the same however often the message is sent.
type Attempt struct {
	Number        int
	Agent         string
	MessageID     string
	RemoteTaskID  string `json:",omitempty"`
	RemoteContext string `json:",omitempty"` // the agent's own context id
	Question      string `json:",omitempty"` // the last one of the agent's that is among the turns
	Binding       string
	Sends         int
	NotTaken      bool `json:",omitempty"` // the agent surely did not take the last sending
	StartTime     time.Time
	EndTime       time.Time `json:",omitzero"`
	Error         *Error    `json:",omitempty"`
}

// Gate is a phase's latest consultation check.
type Gate struct {
	Phase        Phase
	Allowed      bool
	Digest       string // of the content the verdict is about
	Requirements []consultation.RequirementVerdict
	CheckTime    time.Time
}

// Error is why a task failed or is blocked: a reason for programs and a sentence for people.
type Error struct {
	Reason  string
	Message string
}

// Parent names the task that a task serves: it carries a consultation of it, or it is a step of its plan.
type Parent struct {
	TaskID         string
	ConsultationID string `json:",omitempty"`
	Hops           int    // how many consultations deep the task is
	Spare          bool   `json:",omitempty"` // another agent is there to step in, so that this one is not tried for long
}

// Carries reports whether the task carries a consultation.
func (t *Task) Carries() bool { return t.Parent != nil && t.Parent.ConsultationID != "" }

// Etag changes with every write of the task.
func (t *Task) Etag() string { return strconv.FormatUint(t.Version, 10) }

// Match returns the Conflict fault "ETAG_MISMATCH" when etag is that of another state of the task; an empty one is of any.
func (t *Task) Match(etag string) error {
	if etag == "" || etag == t.Etag() {
		return nil
	}
	return fault.New(fault.Conflict, "ETAG_MISMATCH", "task %s has changed since it was read; read it again and retry", t.ID).With("task", t.ID).With("etag", t.Etag())
}

// Ended reports whether the task is in a terminal state of A2A.
func (t *Task) Ended() bool { return Terminal(t.State) }

// Room returns how many bytes of its state's limit a store leaves free: a task that is under way keeps those that its end, or its way there after a failure,
// will need. It could not end otherwise, not even by its deadline.
func (t *Task) Room() int {
	if t.Ended() || t.Phase == PhaseOnError {
		return 0
	}
	return EndRoom
}

// Terminal reports whether a state is one that a task does not leave (A2A §4.1.3).
func Terminal(s a2apb.TaskState) bool {
	switch s {
	case a2apb.TaskState_TASK_STATE_COMPLETED, a2apb.TaskState_TASK_STATE_FAILED,
		a2apb.TaskState_TASK_STATE_CANCELED, a2apb.TaskState_TASK_STATE_REJECTED:
		return true
	default:
		return false
	}
}

// Blocked reports whether a gate holds the task, or the step whose wait it shows, until somebody is consulted.
func (t *Task) Blocked() bool {
	switch {
	case t.State != a2apb.TaskState_TASK_STATE_INPUT_REQUIRED:
		return false
	case t.Plan != nil:
		return t.Plan.Asking != nil && t.Plan.Asking.Gate != ""
	case len(t.Gates) == 0:
		return false
	}
	last := t.Gates[len(t.Gates)-1]
	return last.Phase == t.Phase && !last.Allowed
}

// Open returns the attempt that has not ended, or nil.
func (t *Task) Open() *Attempt {
	if n := len(t.Attempts); n > 0 && t.Attempts[n-1].EndTime.IsZero() {
		return &t.Attempts[n-1]
	}
	return nil
}

// EditOpen returns the attempt that has not ended in a copy of the list, which other holders of the task share, so that it may be changed; or nil.
func (t *Task) EditOpen() *Attempt {
	t.Attempts = slices.Clone(t.Attempts)
	return t.Open()
}

// Guarded reports whether a mandatory requirement that applies stands between the agent's work and the caller.
func (t *Task) Guarded() bool {
	for _, r := range t.Requirements {
		if !r.Mandatory || (r.Phase != string(PhaseDesignReview) && r.Phase != string(PhasePreCompletion)) {
			continue
		}
		if holds, _ := r.Condition.Holds(t.Attributes); holds {
			return true
		}
	}
	return false
}

// SetGate records the latest check of a phase, in place of an earlier one of the same phase.
func (t *Task) SetGate(g Gate) {
	gates := slices.DeleteFunc(slices.Clone(t.Gates), func(old Gate) bool { return old.Phase == g.Phase })
	gates = append(gates, g)
	t.Gates = gates
}
