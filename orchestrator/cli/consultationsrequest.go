package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/pause"
	consultationv1 "github.com/quorate/quorate/proto/gen/quorate/consultation/v1"
)

func (a *app) consultationsRequest() *cobra.Command {
	var requirement string
	var waits bool
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:     "request TASK",
		Short:   "Have the target of a requirement consulted about a task",
		Example: "  quorate consultations request 01jb9x --requirement review --wait",
		Args:    arguments("TASK"),
		RunE: a.calls(func(ctx context.Context, s *session, args []string) error {
			if timeout <= 0 {
				return usage("--timeout must be longer than 0")
			}
			request := &consultationv1.RequestConsultationRequest{TaskId: args[0], RequirementId: requirement, RequestId: requestID("")}
			c := &consultationv1.Consultation{}
			if err := s.postOnce(ctx, taskPath(args[0])+"/consultations", request, c); err != nil {
				return err
			}
			if !waits {
				return a.show(c, func() {
					a.consultation(c)
					a.err.line("see its outcome: quorate consultations list %s", args[0])
				})
			}
			closed, err := a.outcome(ctx, s, c, timeout)
			if ctx.Err() != nil {
				a.err.line("the consultation goes on; see its outcome: quorate consultations list %s", args[0])
			}
			if fault.ReasonOf(err) == reasonOpen {
				a.whyUnmet(ctx, s, c)
			}
			if err != nil {
				return err
			}
			return a.closed(ctx, s, closed)
		}),
	}
	cmd.Flags().StringVar(&requirement, "requirement", "", "id of the requirement")
	cmd.Flags().BoolVar(&waits, "wait", false, "wait for the outcome; exit code 8 when it is not an approval")
	cmd.Flags().DurationVar(&timeout, "timeout", 10*time.Minute, "how long to wait at most")
	_ = cmd.MarkFlagRequired("requirement") // the flag exists
	return cmd
}

const (
	maxPoll    = 2 * time.Second
	reasonOpen = "CONSULTATION_OPEN"
)

// outcome polls until the consultation is closed. It keeps polling while the server is unreachable.
func (a *app) outcome(ctx context.Context, s *session, asked *consultationv1.Consultation, timeout time.Duration) (*consultationv1.Consultation, error) {
	var away error // why the last poll was not answered
	end := time.Now().Add(timeout)
	for delay := firstPause / 2; asked.GetState() == "open"; delay = min(2*delay, maxPoll) {
		switch {
		case time.Until(end) < delay && away != nil:
			return nil, fmt.Errorf("waiting for consultation %s: %w", asked.GetId(), away)
		case time.Until(end) < delay:
			return nil, fault.New(fault.DeadlineExceeded, reasonOpen, "consultation %s has no outcome after %v; see it with quorate consultations list %s",
				asked.GetId(), timeout, asked.GetTaskId())
		case pause.For(ctx, delay) != nil:
			return nil, ctx.Err()
		}
		list, err := s.consultations(ctx, asked.GetTaskId())
		if err != nil && fault.KindOf(err) != fault.Unavailable {
			return nil, err
		}
		if err != nil && away == nil {
			a.err.line("the server gives no answer; trying again")
		}
		away = err
		for _, c := range list.GetConsultations() {
			if c.GetId() == asked.GetId() {
				asked = c
			}
		}
	}
	return asked, nil
}

// closed prints a consultation for whose outcome was waited, and why it is no approval, if so.
func (a *app) closed(ctx context.Context, s *session, c *consultationv1.Consultation) error {
	err := a.show(c, func() { a.consultation(c) })
	if err != nil || c.GetOutcome() == "approved" {
		return err
	}
	if c.GetState() == "asking" {
		a.err.line("%s asks before it judges; an admin answers with: quorate tasks reply %s --text …", c.GetTargetAgent(), c.GetCarrierTaskId())
	} else {
		a.whyUnmet(ctx, s, c)
	}
	return &resultError{code: exitBlocked}
}

// whyUnmet prints the verdict on the requirement. Only the verdict says which evidence was refused, and why.
func (a *app) whyUnmet(ctx context.Context, s *session, c *consultationv1.Consultation) {
	check, err := s.check(ctx, c.GetTaskId(), c.GetPhase())
	if err != nil { // the outcome is known all the same
		a.err.line("see why: quorate consultations check %s", c.GetTaskId())
		return
	}
	for _, r := range check.GetRequirements() {
		if r.GetId() == c.GetRequirementId() {
			a.err.line("%s: %s", r.GetCode(), r.GetReason())
		}
	}
}

func (a *app) consultation(c *consultationv1.Consultation) {
	a.out.table("", fields(
		"Consultation", c.GetId(),
		"Task", c.GetTaskId(),
		"Requirement", c.GetRequirementId(),
		"Phase", c.GetPhase(),
		"Target", c.GetTargetAgent(),
		"State", c.GetState(),
		"Outcome", c.GetOutcome(),
		"Feedback", c.GetFeedback(),
		"Digest", c.GetSubjectDigest(),
		"Trace", c.GetTraceId(),
		"Issued", a.when(c.GetIssueTime()),
		"Expires", a.when(c.GetExpireTime()),
	))
}
