package cli

import (
	"context"
	"net/url"

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
			all := &orchestratorv1.ListTasksResponse{}
			err := pages(limit, func(query url.Values) (int, string, error) {
				if filter != "" {
					query.Set("filter", filter)
				}
				page := &orchestratorv1.ListTasksResponse{}
				err := s.get(ctx, "/v1/tasks", query, page)
				all.Tasks = append(all.Tasks, page.GetTasks()...)
				all.NextPageToken = page.GetNextPageToken()
				return len(page.GetTasks()), all.GetNextPageToken(), err
			})
			if err != nil {
				return err
			}
			return a.show(all, func() {
				rows := [][]string{{"TASK", "STATE", "PHASE", "AGENT", "SKILL", "ACCEPTED", "CHANGED"}}
				for _, task := range all.GetTasks() {
					rows = append(rows, []string{
						task.GetId(), stateName(task.GetState()), task.GetPhase(), task.GetAgent(), task.GetSkill(),
						a.when(task.GetCreateTime()), a.when(task.GetUpdateTime()),
					})
				}
				a.list(rows, "tasks", all.GetNextPageToken())
			})
		}),
	}
	addLimit(cmd, &limit, 50)
	cmd.Flags().StringVar(&filter, "filter", "", "only tasks that pass, such as state=TASK_STATE_FAILED: comparisons of id, context_id, parent_task_id, state, phase,\n"+
		"agent, skill, blocked, create_time, update_time and deadline")
	return cmd
}
