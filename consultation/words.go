package consultation

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

func code(verdict string) string { return "CONSULTATION_" + strings.ToUpper(verdict) }

func (in Input) doesNotApply(r Requirement, why string) string {
	return fmt.Sprintf("Requirement %q does not apply: %s.", r.ID, why)
}

func (in Input) lookedFor(r Requirement) string {
	content := "the content under review"
	if digest := in.Subject.Digests[r.Phase]; digest != "" {
		content = "content " + digest
	}
	proof := fmt.Sprintf("recorded by %s itself", r.TargetAgent)
	switch needed(in.Lowest, r.MinLevel) {
	case LevelCarried:
		proof = "in the trace of a consultation that Quorate carried"
	case LevelSigned:
		proof = fmt.Sprintf("signed by %s with a key that is pinned for it alone", r.TargetAgent)
	}
	return fmt.Sprintf("an approval by %s of %s, %s", r.TargetAgent, content, proof)
}

// reason says what the verdict means, and what to do about it.
func (in Input) reason(r Requirement, f finding) string {
	if f.verdict == VerdictApproved {
		return fmt.Sprintf("Requirement %q is met: found %s.", r.ID, f.found)
	}
	need := fmt.Sprintf("Requirement %q (%s, mandatory) is not met.", r.ID, r.Phase)
	if !r.Mandatory {
		need = fmt.Sprintf("Requirement %q (%s, recommended) is not met; it does not block.", r.ID, r.Phase)
	}
	return fmt.Sprintf("%s Looked for %s; found %s. %s", need, in.lookedFor(r), f.found, in.advice(r, f))
}

func (in Input) advice(r Requirement, f finding) string {
	if in.Subject.Ended {
		return "The task has ended; its gates have what they found before."
	}
	ask := fmt.Sprintf("quorate consultations request %s --requirement %s", in.Subject.TaskID, r.ID)
	if !KnownPhase(r.Phase) || r.TargetAgent == in.Subject.SourceAgent {
		return fmt.Sprintf("Correct the requirement in the metadata of %s, then cancel this task, which keeps the rules that it was accepted under, and submit it anew.", in.Subject.SourceAgent)
	}
	if correct := f.correction(r, ask); correct != "" {
		return correct
	}
	switch f.verdict {
	case VerdictRejected:
		return fmt.Sprintf("%s stays as it is: cancel this task and submit one that says the feedback too or, if %s may judge otherwise now, ask again: %s",
			in.content(r), r.TargetAgent, ask)
	case VerdictDeferred:
		if f.asking != "" {
			return fmt.Sprintf("An admin sees it with: quorate tasks get %[1]s, and answers with: quorate tasks reply %[1]s --text …; to have %[2]s asked anew, first: quorate tasks cancel %[1]s",
				f.asking, r.TargetAgent)
		}
	case VerdictPending:
		if f.unsent { // the process that issued it may have ended
			return fmt.Sprintf("Nothing shows that %s was sent the question. To have it sent: %s", r.TargetAgent, ask)
		}
		return fmt.Sprintf("Wait for %s to answer.", r.TargetAgent)
	case VerdictUnavailable:
		return "It is looked for again; if it lasts, an operator finds out why in the log (consultation evidence unavailable) or with quorate doctor serve."
	case VerdictUnauthenticated:
		if f.level != "" {
			how, level := "send its verdict to Quorate with its own credential, or sign it", needed(in.Lowest, r.MinLevel)
			if level == LevelSigned {
				how = "sign its verdict"
			}
			return fmt.Sprintf("Evidence of level %s is needed: have %s %s. %s", level, r.TargetAgent, how, f.next(r, "To have it asked: "+ask))
		}
		return "Find out who sent the refused spans. " + f.next(r, fmt.Sprintf("To have %s itself asked: %s", r.TargetAgent, ask))
	case VerdictMissing:
		return fmt.Sprintf("To have %s asked: %s", r.TargetAgent, ask)
	}
	return "To ask again: " + ask
}

// correction is the advice when the target answers, but not in a way that counts. It is empty for other findings.
func (f finding) correction(r Requirement, ask string) string {
	mend := r.TargetAgent + " has to correct what it sends; docs/errors.md explains each reason."
	switch {
	case f.mistaken && (f.verdict == VerdictPending || f.verdict == VerdictMissing || f.verdict == VerdictUnauthenticated && f.level == ""):
		return mend + " " + f.next(r, "To have it asked again: "+ask)
	case f.verdict == VerdictMissing && !f.late.IsZero():
		return fmt.Sprintf("%s has to send its verdict before it answers, and docs/reviewing.md lists what keeps it from coming; until %s it still counts. To have it asked again: %s",
			r.TargetAgent, f.late.Format(time.RFC3339), ask)
	}
	return ""
}

// next returns ask, or until when the target can answer what it was asked already.
func (f finding) next(r Requirement, ask string) string {
	if f.until.IsZero() {
		return ask
	}
	return fmt.Sprintf("%s was asked, and can answer until %s.", r.TargetAgent, f.until.Format(time.RFC3339))
}

// content names what is reviewed in a phase. A task at a gate can no longer change it.
func (in Input) content(r Requirement) string {
	switch r.Phase {
	case PhasePreExecution:
		return "The task's message"
	case PhaseOnError:
		return "What " + in.Subject.SourceAgent + " failed with"
	default:
		return "What " + in.Subject.SourceAgent + " has delivered"
	}
}

// describe says what became of an attempt.
func (a attempt) describe() string {
	text := fmt.Sprintf("attempt %d: ", a.Attempt)
	switch {
	case len(a.evidence) > 0:
		text += fmt.Sprintf("%s by %s", a.evidence[0].Outcome, a.TargetAgent)
		if feedback := a.evidence[0].Feedback; feedback != "" {
			text += fmt.Sprintf(" (%q)", feedback)
		}
	case a.unread:
		text += "no answer from the traces"
	case len(a.weak) > 0:
		text += fmt.Sprintf("%s in the name of %s, at level %s only", a.weak[0].Outcome, a.TargetAgent, a.weak[0].Level)
	case a.State == StateOpen && !a.CarryTime.IsZero():
		text += "answered, no evidence in the traces yet"
	case a.State == StateAsking:
		text += fmt.Sprintf("%s does not judge yet and asks %q, until %s", a.TargetAgent, a.Feedback, a.ExpireTime.Format(time.RFC3339))
	case a.State == StateOpen:
		text += "no answer yet, open until " + a.ExpireTime.Format(time.RFC3339)
	case a.State == StateExpired:
		text += "no answer in time"
	case a.State == StateFailed:
		text += fmt.Sprintf("failed (%q)", a.Feedback)
	default:
		text += "no evidence"
	}
	if len(a.evidence) == 0 && len(a.Refused) > 0 {
		text += "; refused " + a.refusals()
	}
	return text
}

// refusals lists some of the refused spans.
func (a attempt) refusals() string {
	const most = 3
	var names []string
	for _, r := range slices.SortedFunc(slices.Values(a.Refused), func(x, y Refusal) int {
		return strings.Compare(x.Recorder+" "+x.Reason, y.Recorder+" "+y.Reason)
	}) {
		recorder := r.Recorder
		if recorder == "" {
			recorder = "a caller that is no agent"
		}
		if r.Backend != "" {
			recorder = r.Backend
		}
		why := r.Reason
		if r.Detail != "" {
			why += ": " + r.Detail
		}
		names = append(names, fmt.Sprintf("a span from %s (%s)", recorder, why))
	}
	if len(names) > most {
		names = append(names[:most], fmt.Sprintf("%d more", len(names)-most))
	}
	return strings.Join(names, ", ")
}
