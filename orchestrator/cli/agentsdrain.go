package cli

import (
	"context"

	"github.com/spf13/cobra"

	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
)

func (a *app) agentsDrain() *cobra.Command {
	request := &registryv1.DrainAgentRequest{}
	cmd := &cobra.Command{
		Use:     "drain NAME",
		Short:   "Keep new tasks from an agent until it is resumed; its current tasks continue",
		Example: "  quorate agents drain web-fetch --reason 'new version at noon'",
		Args:    arguments("NAME"),
		RunE: a.calls(func(ctx context.Context, s *session, args []string) error {
			request.Name, request.RequestId = args[0], requestID("")
			status := &registryv1.AgentStatus{}
			if err := s.postOnce(ctx, agentPath(args[0])+":drain", request, status); err != nil {
				return err
			}
			if err := a.show(status, func() { a.out.line("drained %s", args[0]) }); err != nil {
				return err
			}
			a.err.line("put it back: quorate agents resume %s", args[0])
			return nil
		}),
	}
	cmd.Flags().StringVar(&request.Reason, "reason", "", "reason, which is shown with the status")
	return cmd
}

func (a *app) agentsResume() *cobra.Command {
	return &cobra.Command{
		Use:     "resume NAME",
		Short:   "Give a drained agent tasks again",
		Example: "  quorate agents resume web-fetch",
		Args:    arguments("NAME"),
		RunE: a.calls(func(ctx context.Context, s *session, args []string) error {
			request := &registryv1.ResumeAgentRequest{Name: args[0], RequestId: requestID("")}
			status := &registryv1.AgentStatus{}
			if err := s.postOnce(ctx, agentPath(args[0])+":resume", request, status); err != nil {
				return err
			}
			return a.show(status, func() { a.out.line("resumed %s", args[0]) })
		}),
	}
}
