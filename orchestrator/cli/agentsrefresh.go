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
		Short:   "Read an agent's card again now, from where it was or from another URL",
		Example: "  quorate agents refresh web-fetch\n  quorate agents refresh web-fetch --card-url https://new.example.com",
		Args:    arguments("NAME"),
		RunE: a.calls(func(ctx context.Context, s *session, args []string) error {
			request.Name, request.RequestId = args[0], requestID("")
			response := &registryv1.RefreshAgentCardResponse{}
			if err := s.postOnce(ctx, agentPath(args[0])+":refreshCard", request, response); err != nil {
				return err
			}
			a.warn(response.GetWarnings())
			return a.show(response, func() { a.agentDetails(response.GetAgent()) })
		}),
	}
	cmd.Flags().StringVar(&request.CardUri, "card-url", "", "where the card is from now on (default where it was)")
	cmd.Flags().StringVar(&request.Etag, "etag", "", "only if this is still the agent's etag")
	return cmd
}

// warn tells of what was accepted but deserves a look.
func (a *app) warn(warnings []*registryv1.Warning) {
	for _, w := range warnings {
		a.err.line("warning: %s: %s (%s)", w.GetField(), w.GetMessage(), w.GetCode())
	}
}
