package cli

import (
	"context"
	"os"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/structpb"

	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
)

func (a *app) agentsRegister() *cobra.Command {
	var file, metadata inputFile
	var replace bool
	request := &registryv1.RegisterAgentRequest{}
	cmd := &cobra.Command{
		Use:   "register [CARD_URL]",
		Short: "Register an agent by the URL of its card, or by the card itself",
		Example: "  quorate agents register https://agent.example.com\n" +
			"  quorate agents register https://planner.example.com --name route-planner\n" +
			"  quorate agents register -f card.json --metadata metadata.json --validate-only\n" +
			"  quorate agents register -f card.json --replace",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args)+len(file) == 0 || len(args) > 1 || (len(args) == 1 && file != "") {
				return usage("takes either the card's URL or -f with the card")
			}
			if file == "" && (args[0] == "-" || isFile(args[0])) {
				return usage("%s is a file: give it with -f", args[0])
			}
			return nil
		},
		RunE: a.calls(func(ctx context.Context, s *session, args []string) error {
			if err := a.fillRegistration(request, args, file, metadata); err != nil {
				return err
			}
			// ApplyAgent takes the same request as RegisterAgent, and also says what it had to do.
			response := &registryv1.ApplyAgentResponse{}
			if err := s.postOnce(ctx, choose(replace, "/v1/agents:apply", "/v1/agents:register"), request, response); err != nil {
				return err
			}
			if done := response.GetOutcome(); done != "" {
				a.err.line("%s", done)
			}
			a.warn(response.GetWarnings())
			a.validated(request)
			return a.show(response, func() { a.agentDetails(response.GetAgent()) })
		}),
	}
	flags := cmd.Flags()
	flags.VarP(&file, "file", "f", "file with the card as JSON; - reads stdin")
	flags.Var(&metadata, "metadata", "file with inputs, outputs and consultation rules as JSON; - reads stdin")
	flags.Var((*nonEmpty)(&request.Name), "name", "register it under this name (default: the card's name, if that is valid)")
	flags.BoolVar(&replace, "replace", false, "replace the card of an agent with that name; without --metadata it keeps its metadata")
	flags.Var((*nonEmpty)(&request.RequestId), "request-id", "id by which a repeated request gets the first answer (default random)")
	validates(cmd, &request.ValidateOnly)
	return cmd
}

// isFile reports whether a file of that name exists, which is never true of the URL of a card.
func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

func (a *app) fillRegistration(request *registryv1.RegisterAgentRequest, args []string, file, metadata inputFile) error {
	request.RequestId = requestID(request.GetRequestId())
	if file != "" {
		content, err := a.readFile(string(file))
		if err != nil {
			return err
		}
		if err := parseMessage(string(file), content, &structpb.Struct{}); err != nil {
			return err
		}
		request.Source = &registryv1.RegisterAgentRequest_CardJson{CardJson: string(content)}
	} else {
		request.Source = &registryv1.RegisterAgentRequest_CardUri{CardUri: args[0]}
	}
	if metadata != "" {
		request.Metadata = &registryv1.AgentMetadata{}
		return a.readMessage(string(metadata), request.GetMetadata())
	}
	return nil
}
