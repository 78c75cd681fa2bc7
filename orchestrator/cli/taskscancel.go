package cli

import (
	"context"

	"github.com/spf13/cobra"

	orchestratorv1 "github.com/quorate/quorate/proto/gen/quorate/orchestrator/v1"
)

func (a *app) tasksCancel() *cobra.Command {
	return &cobra.Command{
		Use:     "cancel TASK",
		Short:   "Ask for the end of a task",
		Example: "  quorate tasks cancel 01jb9x",
		Args:    arguments("TASK"),
		RunE: a.calls(func(ctx context.Context, s *session, args []string) error {
			task := &orchestratorv1.Task{}
			if err := s.post(ctx, taskPath(args[0])+":cancel", &orchestratorv1.CancelTaskRequest{Id: args[0]}, task); err != nil {
				return err
			}
			return a.show(task, func() {
				a.out.line("%s  %s", task.GetId(), stateName(task.GetState()))
				if !ended(task) {
					a.err.line("the agent was asked to stop; see how it ends: quorate tasks watch %s", task.GetId())
				}
			})
		}),
	}
}
