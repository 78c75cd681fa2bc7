package cli

import (
	"context"

	"github.com/spf13/cobra"

	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
)

func (a *app) agentsRefresh() *cobra.Command {
	request := &registryv1.RefreshAgentCardRequest{}
	cmd := &cobra.Command{
		Use:     "refresh NAME",
		Short:   "Read an agent's card again now, from its URL or from another one",
		Example: "  quorate agents refresh web-fetch\n  quorate agents refresh web-fetch --card-url https://new.example.com",
		Args:    arguments("NAME"),
		RunE: a.calls(func(ctx context.Context, s *session, args []string) error {
			request.Name, request.RequestId = args[0], requestID("")
			response := &registryv1.RefreshAgentCardResponse{}
			if err := s.postOnce(ctx, agentPath(args[0])+":refreshCard", request, response); err != nil {
				return err
			}
			a.warn(response.GetWarnings())
			a.validated(request)
			return a.show(response, func() { a.agentDetails(response.GetAgent()) })
		}),
	}
	cmd.Flags().Var((*nonEmpty)(&request.CardUri), "card-url", "URL of the card from now on (default: as before)")
	cmd.Flags().Var((*nonEmpty)(&request.Etag), "etag", "only if the agent still has this etag")
	validates(cmd, &request.ValidateOnly)
	return cmd
}

func validates(cmd *cobra.Command, only *bool) {
	cmd.Flags().BoolVar(only, "validate-only", false, "check everything without writing")
}

// validated says that a request that was only checked has changed nothing.
func (a *app) validated(request interface{ GetValidateOnly() bool }) {
	if request.GetValidateOnly() {
		a.err.line("valid; nothing was written")
	}
}

// warn prints warnings about an accepted request.
func (a *app) warn(warnings []*registryv1.Warning) {
	for _, w := range warnings {
		a.err.line("warning: %s: %s (%s)", w.GetField(), w.GetMessage(), w.GetCode())
	}
}
