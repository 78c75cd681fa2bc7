package consultation

import (
	"slices"
	"time"
)

// Verdicts on a requirement.
const (
	VerdictApproved        = "approved"        // the only one that lets a mandatory requirement pass
	VerdictRejected        = "rejected"        // the target said no to the current content
	VerdictDeferred        = "deferred"        // the target wants to be asked again later, or asks something first
	VerdictError           = "error"           // the target could not review
	VerdictMissing         = "missing"         // no consultation, or no answer
	VerdictStale           = "stale"           // the answer is about other content
	VerdictPending         = "pending"         // the question is open
	VerdictUnauthenticated = "unauthenticated" // the only answers are not by the target, or below the level required
	VerdictUnavailable     = "unavailable"     // the evidence could not be read
)

// maxEvidence bounds the pieces of evidence in a verdict.
const maxEvidence = 20

// Subject is a task to be checked.
type Subject struct {
	Tenant, TaskID string
	TaskTime       time.Time         // when the task was accepted; consultations of an earlier task with its id do not count
	SourceAgent    string            // executes the task
	Phases         []string          // whose requirements are checked
	Digests        map[string]string // by phase: digest of the content under review now
	Attributes     Attributes
	Requirements   []Requirement // of the source agent, in its order
	Ended          bool          // nothing can be done about the task any more
	NotBegun       bool          // a step of a plan that is about to get a task: only its agent is known
}

// Input is everything on which a decision depends.
type Input struct {
	Subject       Subject
	Consultations []Consultation
	Evidence      []Evidence
	Now           time.Time
	Trouble       error    // why consultations and evidence could not be read; nil when they could
	Unread        []string // ids of consultations for which the Traces could not be queried
	Lowest        string   // lowest level of evidence that counts, even if a requirement asks for less; empty is LevelRecorded
}

// Decision says whether a task may pass.
type Decision struct {
	Allowed      bool // every mandatory requirement that applies is approved
	Requirements []RequirementVerdict

	// CheckAgain is when to check again, because evidence may appear in a backend that sends no notification; if zero, OnChange notifies.
	CheckAgain time.Duration
}

// RequirementVerdict says whether one requirement is met, and why.
type RequirementVerdict struct {
	Requirement Requirement
	Applies     bool
	Verdict     string     // one of the Verdict constants; empty when the requirement does not apply
	Code        string     // "CONSULTATION_" and the verdict in upper case; empty when the requirement does not apply
	Reason      string     // explains the verdict, and says what to do
	LookedFor   string     // the evidence that would suffice
	Found       string     // the evidence that exists
	Evidence    []Evidence // of the newest attempt first; at most 20 pieces
	Lowest      string     // lowest level of evidence that counts; empty when the requirement does not apply
	Level       string     // of the evidence on which the verdict is based; empty when there is none
}

// Blocks reports whether v prevents the task from passing.
func (v RequirementVerdict) Blocks() bool {
	return v.Requirement.Mandatory && v.Applies && v.Verdict != VerdictApproved
}

// Decide checks the requirements of the subject's phases. It is a pure function, whose result does not depend on the order of consultations and
// evidence, or on duplicates.
//
// For each requirement, the highest attempt about the current content counts, and of that the most restrictive outcome; a newer attempt that is open
// blocks. Evidence below the lowest level, which a requirement can only raise, neither approves nor rejects: the requirement is then unauthenticated.
// Time matters only for whether a consultation has expired. Evidence that differs from its consultation in any field is ignored. A requirement with
// an unknown phase always applies and is never met.
func Decide(in Input) Decision {
	d := Decision{Allowed: true}
	for _, r := range in.Subject.Requirements {
		if KnownPhase(r.Phase) && !slices.Contains(in.Subject.Phases, r.Phase) {
			continue
		}
		v := in.decide(r)
		d.Requirements = append(d.Requirements, v)
		d.Allowed = d.Allowed && !v.Blocks()
	}
	return d
}

// finding is the material for the verdict on one requirement.
type finding struct {
	verdict  string
	found    string
	level    string
	asking   string    // the task in which the target asks something before it judges
	unsent   bool      // nothing shows that the question is on its way
	until    time.Time // how long the target, which was asked, can answer: another request would return the same consultation; zero if it cannot
	mistaken bool      // the target has to correct what it sends
	late     time.Time // until when a verdict counts that the target did not send before it answered
	attempts []attempt // newest first
}

// attempt is one consultation with the evidence that fits it.
type attempt struct {
	Consultation
	evidence []Evidence // counts; the most restrictive first
	weak     []Evidence // below the lowest level that counts
	unread   bool       // there may be evidence that could not be searched for
}

func (in Input) decide(r Requirement) RequirementVerdict {
	v := RequirementVerdict{Requirement: r}
	holds, why := r.Condition.Holds(in.Subject.Attributes)
	if !holds && KnownPhase(r.Phase) {
		v.Reason = in.doesNotApply(r, why)
		return v
	}
	v.Applies = true
	f := in.find(r)
	v.Verdict, v.Code, v.Found = f.verdict, code(f.verdict), f.found
	v.Lowest, v.Level = needed(in.Lowest, r.MinLevel), f.level
	v.LookedFor = in.lookedFor(r)
	v.Reason = in.reason(r, f)
	for _, a := range f.attempts {
		v.Evidence = append(append(v.Evidence, a.evidence...), a.weak...)
	}
	if len(v.Evidence) > maxEvidence {
		v.Evidence = v.Evidence[:maxEvidence]
	}
	return v
}

func (in Input) find(r Requirement) finding {
	switch {
	case !KnownPhase(r.Phase):
		return finding{verdict: VerdictMissing, found: "a requirement that nobody can meet, because its phase is unknown"}
	case r.TargetAgent == in.Subject.SourceAgent:
		return finding{verdict: VerdictMissing, found: "a requirement that nobody can meet, because it names the agent that executes the task"}
	case in.Trouble != nil:
		return finding{verdict: VerdictUnavailable, found: "no answer from the evidence store"}
	}
	f := finding{attempts: in.attempts(r)}
	if len(f.attempts) == 0 {
		f.verdict, f.found = VerdictMissing, "no consultation"
		return f
	}
	decisive := f.attempts[0]
	digest := in.Subject.Digests[r.Phase]
	if !decisive.open() {
		i := slices.IndexFunc(f.attempts, func(a attempt) bool { return digest != "" && a.SubjectDigest == digest })
		if i < 0 {
			return f.withoutCurrent()
		}
		decisive = f.attempts[i]
	}
	f.verdict, f.found, f.level = decisive.verdict(), decisive.describe(), decisive.level()
	if decisive.State == StateAsking {
		f.asking = decisive.CarrierTaskID
	}
	f.unsent = !decisive.Sent() && !decisive.Direct
	if decisive.open() && !f.unsent {
		f.until = decisive.ExpireTime
	}
	f.mistaken = decisive.mistaken()
	if decisive.Feedback == answeredInVain && in.Now.Before(decisive.ExpireTime) {
		f.late = decisive.ExpireTime
	}
	return f
}

// withoutCurrent returns the verdict when no attempt is about the current content.
func (f finding) withoutCurrent() finding {
	f.verdict, f.found = VerdictMissing, f.attempts[0].describe()+", about other content than now"
	for _, a := range f.attempts {
		if len(a.evidence) > 0 {
			f.verdict, f.found = VerdictStale, a.describe()+", about other content than now"
			break
		}
	}
	return f
}

// open reports whether a may still get its first answer.
func (a attempt) open() bool { return a.Unanswered() && len(a.evidence) == 0 }

func (a attempt) verdict() string {
	switch {
	case len(a.evidence) > 0:
		return a.evidence[0].Outcome // verdicts on an answer have the names of outcomes
	case a.unread:
		return VerdictUnavailable
	case a.forged(), len(a.weak) > 0:
		return VerdictUnauthenticated
	case a.State == StateAsking:
		return VerdictDeferred
	case a.open():
		return VerdictPending
	}
	return VerdictMissing
}

// level returns the level of the evidence on which the verdict on a is based, or "" when there is none.
func (a attempt) level() string {
	switch {
	case len(a.evidence) > 0:
		return a.evidence[0].Level
	case len(a.weak) > 0:
		return a.weak[0].Level
	}
	return ""
}
