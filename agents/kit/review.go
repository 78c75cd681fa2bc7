package kit

import (
	"context"
	"log/slog"
	"slices"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/quorate/quorate/platform/bounded"
	"github.com/quorate/quorate/platform/fault"
)

// Verdicts of a consultation.
const (
	Approved = "approved"
	Rejected = "rejected"
	Deferred = "deferred" // not now; a new consultation may be requested later
	Failed   = "error"    // the agent could not review
)

// MaxFeedbackBytes is the maximum length of feedback in evidence. Longer feedback is cut.
const MaxFeedbackBytes = 1024

// Outcome is the answer to a consultation.
type Outcome struct {
	Verdict  string // Approved, Rejected, Deferred or Failed
	Feedback string // for the agent that asked
}

// Review is a consultation to answer.
type Review struct {
	ConsultationID string
	TaskID         string // Quorate's id of the task under review
	RequirementID  string
	Phase          string
	SourceAgent    string
	SubjectDigest  string      // of Parts, as sha256:<hex>; the kit has verified it
	Text           string      // the text parts under review, separated by line breaks, though they may be pieces of one text, in which a word is divided
	Parts          []*a2a.Part // all parts under review; metadata and the like are in data parts after those that they belong to
}

// Reviewer answers a consultation. An error counts as the outcome error, and so does a panic; its text is passed on only if it is a fault.
type Reviewer func(ctx context.Context, r Review) (Outcome, error)

// answer has the consultation reviewed, records the verdict, and only then answers.
func (a *Agent) answer(ctx context.Context, t *Task) error {
	if t.assignment.TargetAgent != a.config.Name {
		return fault.New(fault.FailedPrecondition, "NOT_THE_TARGET", "the consultation is for agent %q, this is %s", t.assignment.TargetAgent, a.config.Name)
	}
	if a.verdicts == nil {
		return fault.New(fault.FailedPrecondition, "NO_SERVER", "agent %s has no Quorate server where its verdict could be recorded", a.config.Name)
	}
	subject, err := subjectOf(t.assignment, t.Parts[min(1, len(t.Parts)):]) // the first part is the request in words
	if err != nil {
		return err
	}
	outcome := a.review(ctx, t, subject)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := a.verdicts.record(ctx, t, outcome); err != nil {
		return err
	}
	text := outcome.Verdict
	if outcome.Feedback != "" {
		text += ": " + outcome.Feedback
	}
	return t.AddArtifact(ctx, Artifact{Name: "verdict", MediaType: "text/plain", Text: text})
}

// review returns a valid outcome, whatever the reviewer does.
func (a *Agent) review(ctx context.Context, t *Task, subject []*a2a.Part) Outcome {
	if a.config.Reviewer == nil {
		return Outcome{Failed, "this agent does not review"}
	}
	outcome, err := a.judge(ctx, Review{
		ConsultationID: t.assignment.ConsultationID, TaskID: t.assignment.TaskID, RequirementID: t.assignment.RequirementID, Phase: t.assignment.Phase,
		SourceAgent: t.assignment.SourceAgent, SubjectDigest: t.assignment.SubjectDigest, Text: textOf(subject), Parts: subject,
	})
	switch {
	case err != nil && fault.KindOf(err) != fault.Internal:
		outcome = Outcome{Failed, fault.From(err).Message}
	case err != nil:
		a.config.Logger.ErrorContext(ctx, "review failed", slog.String("consultation_id", t.assignment.ConsultationID), slog.Any("error", err))
		outcome = Outcome{Failed, "the reviewer met an internal error"}
	case !slices.Contains([]string{Approved, Rejected, Deferred, Failed}, outcome.Verdict):
		outcome = Outcome{Failed, "the reviewer gave no verdict that counts"}
	}
	outcome.Feedback = bounded.Text(printable(outcome.Feedback), MaxFeedbackBytes)
	return outcome
}

// judge calls the reviewer, whose panics become errors: whoever asked directly waits for a verdict.
func (a *Agent) judge(ctx context.Context, r Review) (outcome Outcome, err error) {
	defer asError(&err)
	return a.config.Reviewer(ctx, r)
}
