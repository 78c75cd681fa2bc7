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
	var tag string
	cmd := &cobra.Command{
		Use:     "find [SKILL]",
		Aliases: []string{"list", "ls"},
		Short:   "List the agents that have a skill, a tag or both, or all skills",
		Example: "  quorate skills find fetch_url --available\n  quorate skills find --tag web",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return arguments("SKILL")(cmd, args)
		},
		RunE: a.calls(func(ctx context.Context, s *session, args []string) error {
			switch {
			case tag != "" && step(tag):
				return usage("--tag %q cannot be looked up", tag)
			case len(args) == 0 && tag == "" && available:
				return usage("--available needs a SKILL or a --tag")
			case len(args) == 0 && tag == "":
				return a.allSkills(ctx, s, limit)
			case len(args) == 0:
				return a.agentsWith(ctx, s, "/v1/tags/"+url.PathEscape(tag)+"/agents", "", available, limit)
			default:
				return a.agentsWith(ctx, s, "/v1/skills/"+url.PathEscape(args[0])+"/agents", tag, available, limit)
			}
		}),
	}
	cmd.Flags().BoolVar(&available, "available", false, "only agents that are available now")
	cmd.Flags().StringVar(&tag, "tag", "", "only agents whose skill has this tag")
	addLimit(cmd, &limit, 1000)
	return cmd
}

func (a *app) allSkills(ctx context.Context, s *session, limit int) error {
	skills, next, err := list(ctx, s, "/v1/skills", nil, limit, (*registryv1.ListSkillsResponse).GetSkills)
	if err != nil {
		return err
	}
	return a.show(&registryv1.ListSkillsResponse{Skills: skills, NextPageToken: next}, func() {
		rows := [][]string{{"SKILL", "AGENT", "STATUS", "DESCRIPTION"}}
		for _, skill := range skills {
			rows = append(rows, []string{skill.GetId(), skill.GetAgentName(), skill.GetAgentStatus(), cut(firstLine(skill.GetDescription()))})
		}
		a.list(rows, "skills", next)
	})
}

func (a *app) agentsWith(ctx context.Context, s *session, path, tag string, available bool, limit int) error {
	query := url.Values{}
	if available {
		query.Set("available_only", "true")
	}
	if tag != "" {
		query.Set("tag", tag)
	}
	agents, next, err := list(ctx, s, path, query, limit, (*registryv1.FindAgentsBySkillResponse).GetAgents)
	if err != nil {
		return err
	}
	return a.show(&registryv1.FindAgentsBySkillResponse{Agents: agents, NextPageToken: next}, func() {
		a.agentTable(agents, next)
		a.first(len(agents) == 0, "quorate skills find") // which lists all
	})
}
