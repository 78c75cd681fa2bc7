package cli

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
)

func (a *app) agentsList() *cobra.Command {
	var limit int
	var filter string
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List the agents with their status",
		Example: "  quorate agents list\n  quorate agents list --filter 'skills:fetch_url AND status=available'",
		Args:    arguments(),
		RunE: a.calls(func(ctx context.Context, s *session, _ []string) error {
			agents, next, err := list(ctx, s, "/v1/agents", filtered(filter), limit, (*registryv1.ListAgentsResponse).GetAgents)
			if err != nil {
				return err
			}
			all := &registryv1.ListAgentsResponse{Agents: agents, NextPageToken: next}
			return a.show(all, func() {
				a.agentTable(agents, next)
				a.first(len(agents) == 0 && filter == "", "quorate agents register URL")
			})
		}),
	}
	addLimit(cmd, &limit, 1000)
	cmd.Flags().StringVar(&filter, "filter", "", "only agents that match, such as status=unavailable: comparisons of name, description, version, status,\n"+
		"skills, tags, input_types, output_types, streaming, push_notifications, card_uri, source.type, source.location,\n"+
		"source.present, verification.state, pending_change, draining, capacity, in_flight, create_time and update_time")
	return cmd
}

func (a *app) agentTable(agents []*registryv1.Agent, next string) {
	rows := [][]string{{"NAME", "STATUS", "VERSION", "SKILLS", "RULES", "LAST SEEN"}}
	for _, agent := range agents {
		rows = append(rows, []string{
			agent.GetName(), agent.GetStatus().GetStatus(), agent.GetVersion() + choose(agent.GetPendingChange() == nil, "", " (change waits)"),
			strconv.Itoa(len(readCard(agent.GetCard()).skills)),
			strconv.Itoa(len(agent.GetMetadata().GetConsultationRequirements())),
			a.when(agent.GetStatus().GetLastHeartbeat()),
		})
	}
	a.list(rows, "agents", next)
}

// list prints a table with a header, or a note that it is empty, and says if there is more.
func (a *app) list(rows [][]string, what, next string) {
	if len(rows) == 1 {
		a.err.line("no %s", what)
		return
	}
	a.out.table("", rows)
	if next != "" {
		a.err.line("there are more %s; raise --limit to see them", what)
	}
}

// first says how the first of a list is made or found, if there is none.
func (a *app) first(none bool, command string) {
	if none {
		a.err.line("  try: %s", command)
	}
}
