package cli

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"
)

func (a *app) consultations() *cobra.Command {
	cmd := a.clients("consultations", "Have agents consulted and check what a task still needs", "consultation")
	cmd.AddCommand(a.consultationsRequest(), a.consultationsList(), a.consultationsCheck())
	return cmd
}

func (a *app) consultationsList() *cobra.Command {
	return &cobra.Command{
		Use:     "list TASK",
		Aliases: []string{"ls"},
		Short:   "List the consultations of a task, oldest first",
		Example: "  quorate consultations list 01jb9x",
		Args:    arguments("TASK"),
		RunE: a.calls(func(ctx context.Context, s *session, args []string) error {
			list, err := s.consultations(ctx, args[0])
			if err != nil {
				return err
			}
			return a.show(list, func() {
				rows := [][]string{{"CONSULTATION", "REQUIREMENT", "PHASE", "TARGET", "ATTEMPT", "STATE", "OUTCOME", "ISSUED", "FEEDBACK"}}
				for _, c := range list.GetConsultations() {
					rows = append(rows, []string{
						c.GetId(), c.GetRequirementId(), c.GetPhase(), c.GetTargetAgent(), strconv.Itoa(int(c.GetAttempt())),
						c.GetState(), c.GetOutcome(), a.when(c.GetIssueTime()), cut(firstLine(c.GetFeedback())),
					})
				}
				a.list(rows, "consultations", "")
			})
		}),
	}
}

func (a *app) consultationsCheck() *cobra.Command {
	var phase string
	cmd := &cobra.Command{
		Use:     "check TASK",
		Short:   "Show for each requirement of a task whether it is met; exit code 8 if any is not",
		Example: "  quorate consultations check 01jb9x --phase pre-completion",
		Args:    arguments("TASK"),
		RunE: a.calls(func(ctx context.Context, s *session, args []string) error {
			check, err := s.check(ctx, args[0], phase)
			if err != nil {
				return err
			}
			err = a.show(check, func() {
				a.out.line("%s", choose(check.GetAllowed(), "allowed", "BLOCKED"))
				for _, requirement := range check.GetRequirements() {
					a.requirement(requirement)
				}
				for _, agent := range check.GetNotBegun() {
					a.out.line("The step of %s has not begun: check again when it has", agent)
				}
			})
			if err == nil && !check.GetAllowed() {
				err = &resultError{code: exitBlocked}
			}
			return err
		}),
	}
	cmd.Flags().StringVar(&phase, "phase", "", "pre-execution, design-review, pre-completion or on-error (default: all up to the task's phase)")
	return cmd
}
