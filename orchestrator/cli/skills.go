package cli

import (
	"context"
	"net/url"

	"github.com/spf13/cobra"

	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
)

func (a *app) skills() *cobra.Command {
	cmd := a.clients("skills", "Find agents by what they can do", "skill")
	cmd.AddCommand(a.skillsFind())
	return cmd
}

func (a *app) skillsFind() *cobra.Command {
	var limit int
	var available bool
	cmd := &cobra.Command{
		Use:     "find [SKILL]",
		Aliases: []string{"list", "ls"},
		Short:   "List the agents that have a skill, or all skills",
		Example: "  quorate skills find fetch_url --available",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return arguments("SKILL")(cmd, args)
		},
		RunE: a.calls(func(ctx context.Context, s *session, args []string) error {
			if len(args) == 0 {
				if available {
					return usage("--available needs a SKILL")
				}
				return a.allSkills(ctx, s, limit)
			}
			return a.agentsWith(ctx, s, args[0], available, limit)
		}),
	}
	cmd.Flags().BoolVar(&available, "available", false, "only agents that are available now")
	addLimit(cmd, &limit, 1000)
	return cmd
}

func (a *app) allSkills(ctx context.Context, s *session, limit int) error {
	all := &registryv1.ListSkillsResponse{}
	err := pages(limit, func(query url.Values) (int, string, error) {
		page := &registryv1.ListSkillsResponse{}
		err := s.get(ctx, "/v1/skills", query, page)
		all.Skills = append(all.Skills, page.GetSkills()...)
		all.NextPageToken = page.GetNextPageToken()
		return len(page.GetSkills()), all.GetNextPageToken(), err
	})
	if err != nil {
		return err
	}
	return a.show(all, func() {
		rows := [][]string{{"SKILL", "AGENT", "STATUS", "DESCRIPTION"}}
		for _, skill := range all.GetSkills() {
			rows = append(rows, []string{skill.GetId(), skill.GetAgentName(), skill.GetAgentStatus(), cut(firstLine(skill.GetDescription()), 60)})
		}
		a.list(rows, "skills", all.GetNextPageToken())
	})
}

func (a *app) agentsWith(ctx context.Context, s *session, skill string, available bool, limit int) error {
	all := &registryv1.FindAgentsBySkillResponse{}
	err := pages(limit, func(query url.Values) (int, string, error) {
		if available {
			query.Set("available_only", "true")
		}
		page := &registryv1.FindAgentsBySkillResponse{}
		err := s.get(ctx, "/v1/skills/"+url.PathEscape(skill)+"/agents", query, page)
		all.Agents = append(all.Agents, page.GetAgents()...)
		all.NextPageToken = page.GetNextPageToken()
		return len(page.GetAgents()), all.GetNextPageToken(), err
	})
	if err != nil {
		return err
	}
	return a.show(all, func() { a.agentTable(all.GetAgents(), all.GetNextPageToken()) })
}
