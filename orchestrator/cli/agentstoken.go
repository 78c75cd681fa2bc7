package cli

import (
	"context"

	"github.com/spf13/cobra"

	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
)

func (a *app) agentsToken() *cobra.Command {
	return &cobra.Command{
		Use:     "token NAME",
		Short:   "Make a new token for an agent and revoke the earlier one",
		Example: "  (umask 077 && quorate agents token my-agent > my-agent.token)",
		Args:    arguments("NAME"),
		RunE: a.calls(func(ctx context.Context, s *session, args []string) error {
			response := &registryv1.IssueAgentTokenResponse{}
			request := &registryv1.IssueAgentTokenRequest{Name: args[0], RequestId: requestID("")}
			if err := s.post(ctx, agentPath(args[0])+":issueToken", request, response); err != nil {
				return err
			}
			a.err.line("this token is not shown again")
			return a.show(response, func() { a.out.line("%s", response.GetToken()) })
		}),
	}
}
