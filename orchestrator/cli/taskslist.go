package cli

import (
	"context"

	"github.com/spf13/cobra"

	orchestratorv1 "github.com/quorate/quorate/proto/gen/quorate/orchestrator/v1"
)

func (a *app) tasksList() *cobra.Command {
	var limit int
	var filter string
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List the tasks, newest first",
		Example: "  quorate tasks list --limit 10\n  quorate tasks list --filter 'blocked=true AND agent=web-fetch'",
		Args:    arguments(),
		RunE: a.calls(func(ctx context.Context, s *session, _ []string) error {
			tasks, next, err := list(ctx, s, "/v1/tasks", filtered(filter), limit, (*orchestratorv1.ListTasksResponse).GetTasks)
			if err != nil {
				return err
			}
			return a.show(&orchestratorv1.ListTasksResponse{Tasks: tasks, NextPageToken: next}, func() {
				rows := [][]string{{"TASK", "STATE", "PHASE", "AGENT", "SKILL", "ACCEPTED", "CHANGED"}}
				for _, task := range tasks {
					rows = append(rows, []string{
						task.GetId(), stateName(task.GetState()), task.GetPhase(), task.GetAgent(), task.GetSkill(),
						a.when(task.GetCreateTime()), a.when(task.GetUpdateTime()),
					})
				}
				a.list(rows, "tasks", next)
				a.first(len(tasks) == 0 && filter == "", "quorate tasks submit --agent NAME --text TEXT")
			})
		}),
	}
	addLimit(cmd, &limit, 50)
	cmd.Flags().StringVar(&filter, "filter", "", "only tasks that pass, such as state=FAILED: comparisons of id, context_id, parent_task_id, state, phase,\n"+
		"agent, skill, blocked, create_time, update_time and deadline")
	return cmd
}
