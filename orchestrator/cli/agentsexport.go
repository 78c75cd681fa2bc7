package cli

import (
	"context"
	"net/url"
	"slices"

	"github.com/spf13/cobra"

	"github.com/quorate/quorate/platform/fault"
	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
)

func (a *app) agentsExport() *cobra.Command {
	var byURL bool
	cmd := &cobra.Command{
		Use:   "export [NAME]...",
		Short: "Write agents as JSON lines that apply reads",
		Long: "Write agents as JSON lines that apply reads: the card and what an admin added to it, one agent on each line.\n" +
			"Without names, all agents. Tokens, status and earlier versions of cards are left out.",
		Example: "  quorate agents export > agents.jsonl\n  quorate agents export web-fetch --by-url",
		Args: func(_ *cobra.Command, names []string) error {
			if i := slices.IndexFunc(names, step); i >= 0 {
				return usage("%q is no NAME", names[i])
			}
			return nil
		},
		RunE: a.calls(func(ctx context.Context, s *session, names []string) error {
			for _, name := range names {
				agent := &registryv1.Agent{}
				if err := s.get(ctx, agentPath(name), nil, agent); err != nil {
					return err
				}
				if err := a.jsonLine(applicationOf(agent, byURL)); err != nil {
					return err
				}
			}
			if len(names) > 0 {
				return nil
			}
			return a.exportAll(ctx, s, byURL)
		}),
	}
	cmd.Flags().BoolVar(&byURL, "by-url", false, "write the URL of a card instead of the card where it was read by URL")
	return cmd
}

func (a *app) exportAll(ctx context.Context, s *session, byURL bool) error {
	left := ""
	err := pages(maxItems, func(query url.Values) (int, string, error) {
		page := &registryv1.ListAgentsResponse{}
		if err := s.get(ctx, "/v1/agents", query, page); err != nil {
			return 0, "", err
		}
		for _, agent := range page.GetAgents() {
			if err := a.jsonLine(applicationOf(agent, byURL)); err != nil {
				return 0, "", err
			}
		}
		left = page.GetNextPageToken()
		return len(page.GetAgents()), left, nil
	})
	if err == nil && left != "" {
		return fault.New(fault.ResourceExhausted, "EXPORT_INCOMPLETE", "there are more than %d agents; the others are not in this export", maxItems)
	}
	return err
}

// applicationOf returns the request that recreates an agent.
func applicationOf(agent *registryv1.Agent, byURL bool) *registryv1.ApplyAgentRequest {
	request := &registryv1.ApplyAgentRequest{Metadata: agent.GetMetadata(), Name: ownName(agent)}
	if byURL && agent.GetCardUri() != "" {
		request.Source = &registryv1.ApplyAgentRequest_CardUri{CardUri: agent.GetCardUri()}
	} else {
		request.Source = &registryv1.ApplyAgentRequest_Card{Card: agent.GetCard()}
	}
	return request
}

// ownName returns the agent's name if its card has a different one.
func ownName(agent *registryv1.Agent) string {
	if stringIn(agent.GetCard(), "name") == agent.GetName() {
		return ""
	}
	return agent.GetName()
}
