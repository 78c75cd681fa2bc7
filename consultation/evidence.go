package consultation

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/quorate/quorate/platform/fault"
)

// Outcomes of a consultation.
const (
	OutcomeApproved = "approved"
	OutcomeRejected = "rejected"
	OutcomeDeferred = "deferred"
	OutcomeError    = "error"
)

// outcomes, the most restrictive first.
var outcomes = []string{OutcomeRejected, OutcomeError, OutcomeDeferred, OutcomeApproved}

// knownOutcome reports whether outcome is one of the four.
func knownOutcome(outcome string) bool { return slices.Contains(outcomes, outcome) }

// SchemaVersion is the version of the evidence span's attributes.
const SchemaVersion = 1

// Evidence is the outcome of a consultation as recorded in a span.
type Evidence struct {
	TraceID        string    `json:"trace_id"`
	SpanID         string    `json:"span_id"`
	SourceAgent    string    `json:"source_agent"`
	TargetAgent    string    `json:"target_agent"`
	TaskID         string    `json:"task_id"`
	RequirementID  string    `json:"requirement_id"`
	Outcome        string    `json:"outcome"`
	Feedback       string    `json:"feedback,omitempty"` // at most MaxFeedbackBytes
	Timestamp      time.Time `json:"timestamp"`          // when it was received
	ConsultationID string    `json:"consultation_id"`
	Attempt        int       `json:"attempt"`
	SubjectDigest  string    `json:"subject_digest"`
	Recorder       string    `json:"recorder"` // the authenticated exporter of the span; empty below LevelRecorded
	Level          string    `json:"level"`
	Backend        string    `json:"backend,omitempty"` // the Traces in which the span was found; empty if it was received
}

// answers reports whether e counts for c. It repeats the checks of Record, because other programs may write to the store.
func (e Evidence) answers(c Consultation) bool {
	return e.ConsultationID == c.ID && e.TaskID == c.TaskID && e.RequirementID == c.RequirementID &&
		e.SourceAgent == c.SourceAgent && e.TargetAgent == c.TargetAgent &&
		(e.Recorder == c.TargetAgent || e.Recorder == "" && e.Level == LevelCarried) &&
		e.Attempt == c.Attempt && e.SubjectDigest == c.SubjectDigest &&
		e.TraceID == c.TraceID && !e.Timestamp.After(c.ExpireTime) && knownOutcome(e.Outcome) && KnownLevel(e.Level)
}

// worst returns the most restrictive piece of list, the earliest among equals; ok is false for an empty list.
func worst(list []Evidence) (e Evidence, ok bool) {
	for _, outcome := range outcomes {
		for _, e := range list {
			if e.Outcome == outcome {
				return e, true
			}
		}
	}
	return Evidence{}, false
}

// Recorder is the sender of a span, by its credential.
type Recorder struct {
	Tenant string
	Agent  string // empty when the sender is not an agent

	backend string // the Traces in which the span was found; no credential vouches for it then
}

// level returns the level of cl if r recorded it.
func (cl *Claim) level(r Recorder) string {
	switch {
	case cl.signed:
		return LevelSigned
	case r.backend != "":
		return LevelCarried
	}
	return LevelRecorded
}

// Claim is the content of a verdict span, not checked yet.
type Claim struct {
	TraceID, SpanID string // lower-case hexadecimal
	ServiceName     string // of the resource
	ConsultationID  string
	TaskID          string
	RequirementID   string
	Phase           string
	SourceAgent     string
	TargetAgent     string
	Outcome         string
	Feedback        string
	SubjectDigest   string
	Attempt         int
	SchemaVersion   int
	Signature       string // detached JWS over Payload; may be empty
	Unreadable      error  // why the span could not be read into the fields above; nil when it could

	signed bool // proven has verified the signature
}

// MostRestrictiveFirst sorts claims in the order in which those that came together are to be recorded: a gate opens at the first approval.
func MostRestrictiveFirst(claims []Claim) {
	slices.SortStableFunc(claims, func(x, y Claim) int { return slices.Index(outcomes, x.Outcome) - slices.Index(outcomes, y.Outcome) })
}

var (
	traceForm = regexp.MustCompile(`^[0-9a-f]{32}$`)
	spanForm  = regexp.MustCompile(`^[0-9a-f]{16}$`)
)

// wellFormed returns a refusal if cl is invalid for any consultation.
func (cl Claim) wellFormed() error {
	switch {
	case !traceForm.MatchString(cl.TraceID) || strings.Trim(cl.TraceID, "0") == "":
		return refuse(fault.InvalidArgument, ReasonMalformed, "the trace id is not 32 hexadecimal digits")
	case !spanForm.MatchString(cl.SpanID) || strings.Trim(cl.SpanID, "0") == "":
		return refuse(fault.InvalidArgument, ReasonMalformed, "the span id is not 16 hexadecimal digits")
	case cl.SchemaVersion != SchemaVersion:
		return refuse(fault.InvalidArgument, ReasonSchema, "the schema version is %d, want %d", cl.SchemaVersion, SchemaVersion)
	case !knownOutcome(cl.Outcome):
		return refuse(fault.InvalidArgument, ReasonUnknownOutcome, "the outcome %q is not approved, rejected, deferred or error", fault.Clip(cl.Outcome))
	case len(cl.Feedback) > MaxFeedbackBytes:
		return refuse(fault.InvalidArgument, ReasonFeedbackTooLong, "the feedback has %d bytes; the limit is %d", len(cl.Feedback), MaxFeedbackBytes)
	case !utf8.ValidString(cl.Feedback):
		return refuse(fault.InvalidArgument, ReasonMalformed, "the feedback is not valid UTF-8")
	case cl.SourceAgent == cl.TargetAgent:
		return refuse(fault.PermissionDenied, ReasonSelfReview, "an agent cannot review its own work")
	}
	return nil
}

// from returns a refusal if r is not the target of c.
func (cl Claim) from(r Recorder, c Consultation) error {
	if r.backend != "" {
		r.Agent = c.TargetAgent // as the span says; its level says that nothing proves it
	}
	switch {
	case r.Agent == "":
		return refuse(fault.PermissionDenied, ReasonNotAnAgent, "only an agent's own credential can record its verdict; quorate agents token makes one")
	case r.Agent != c.TargetAgent:
		return refuse(fault.PermissionDenied, ReasonNotTheTarget, "the consultation asks another agent than %q", r.Agent)
	case cl.TargetAgent != c.TargetAgent:
		return refuse(fault.PermissionDenied, ReasonNotTheTarget, "the span names the target %q, want %q", fault.Clip(cl.TargetAgent), c.TargetAgent)
	case cl.ServiceName != r.Agent:
		return refuse(fault.PermissionDenied, ReasonOtherService, "the resource's service.name is %q, want %q", fault.Clip(cl.ServiceName), r.Agent)
	}
	return nil
}

// matches returns a refusal if cl is not an answer to c. It says what c has: whoever gets this far has shown that it was asked.
func (cl Claim) matches(c Consultation) error {
	for _, field := range []struct{ reason, what, got, want string }{
		{ReasonUnknownConsultation, "id", cl.ConsultationID, c.ID},
		{ReasonOtherTask, "task", cl.TaskID, c.TaskID},
		{ReasonOtherRequirement, "requirement", cl.RequirementID, c.RequirementID},
		{ReasonOtherPhase, "phase", cl.Phase, c.Phase},
		{ReasonOtherSource, "source agent", cl.SourceAgent, c.SourceAgent},
		{ReasonOtherAttempt, "attempt", strconv.Itoa(cl.Attempt), strconv.Itoa(c.Attempt)},
		{ReasonOtherDigest, "subject digest", cl.SubjectDigest, c.SubjectDigest},
		{ReasonOtherTrace, "trace", cl.TraceID, c.TraceID},
	} {
		if field.got != field.want {
			return refuse(fault.PermissionDenied, field.reason, "the %s is %q, want %q as in the question", field.what, fault.Clip(field.got), field.want)
		}
	}
	return nil
}

func (cl Claim) evidence(r Recorder, received time.Time) Evidence {
	e := Evidence{
		TraceID: cl.TraceID, SpanID: cl.SpanID, SourceAgent: cl.SourceAgent, TargetAgent: cl.TargetAgent, TaskID: cl.TaskID,
		RequirementID: cl.RequirementID, Outcome: cl.Outcome, Feedback: cl.Feedback, Timestamp: received,
		ConsultationID: cl.ConsultationID, Attempt: cl.Attempt, SubjectDigest: cl.SubjectDigest, Recorder: r.Agent, Level: cl.level(r),
		Backend: r.backend,
	}
	if cl.signed {
		e.Recorder = cl.TargetAgent
	}
	return e
}

func refuse(kind fault.Kind, reason, format string, args ...any) error {
	return fault.New(kind, reason, format, args...)
}
