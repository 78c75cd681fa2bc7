package cli

import (
	"context"
	"net/url"
	"strings"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/structpb"

	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
)

const keysPath = "/v1/signingKeys"

func (a *app) keys() *cobra.Command {
	cmd := a.clients("keys", "Make API keys, and say whose signatures on agents' cards are trusted", "key")
	cmd.AddCommand(a.keysNew(), a.keysPin(), a.keysList(), a.keysDelete())
	return cmd
}

func (a *app) keysPin() *cobra.Command {
	request := &registryv1.PinSigningKeyRequest{}
	cmd := &cobra.Command{
		Use:   "pin FILE",
		Short: "Trust a public key, given as JSON Web Key with kid; - reads stdin",
		Long: "Trust a public key, given as JSON Web Key with kid; - reads stdin. Existing cards are checked again.\n" +
			"A key does not change: pin a new one with a new kid beside it, and delete the old one when no card is signed with it any more.",
		Example: "  quorate keys pin acme.jwk --agent web-fetch",
		Args:    arguments("FILE"),
		RunE: a.calls(func(ctx context.Context, s *session, args []string) error {
			request.Jwk = &structpb.Struct{}
			if err := a.readMessage(args[0], request.GetJwk()); err != nil {
				return err
			}
			request.RequestId = requestID("")
			key := &registryv1.SigningKey{}
			if err := s.postOnce(ctx, keysPath, request, key); err != nil {
				return err
			}
			return a.show(key, func() { a.out.line("pinned %s (SHA-256 %s)", key.GetKeyId(), key.GetThumbprint()) })
		}),
	}
	cmd.Flags().StringArrayVar(&request.Agents, "agent", nil, "only for this agent's cards and, if it is the only one, its verdicts; can be repeated (default the cards of all agents)")
	return cmd
}

func (a *app) keysList() *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List the trusted keys",
		Example: "  quorate keys list",
		Args:    arguments(),
		RunE: a.calls(func(ctx context.Context, s *session, _ []string) error {
			keys, next, err := list(ctx, s, keysPath, nil, limit, (*registryv1.ListSigningKeysResponse).GetSigningKeys)
			if err != nil {
				return err
			}
			all := &registryv1.ListSigningKeysResponse{SigningKeys: keys, NextPageToken: next}
			return a.show(all, func() { a.keyTable(all) })
		}),
	}
	addLimit(cmd, &limit, 500)
	return cmd
}

func (a *app) keyTable(all *registryv1.ListSigningKeysResponse) {
	rows := [][]string{{"KEY", "AGENTS", "PINNED", "SHA-256"}}
	for _, key := range all.GetSigningKeys() {
		agents := choose(len(key.GetAgents()) == 0, "all", strings.Join(key.GetAgents(), ", "))
		rows = append(rows, []string{key.GetKeyId(), agents, a.when(key.GetCreateTime()), key.GetThumbprint()})
	}
	a.list(rows, "keys", all.GetNextPageToken())
}

func (a *app) keysDelete() *cobra.Command {
	return &cobra.Command{
		Use:     "delete KEY",
		Aliases: []string{"rm"},
		Short:   "Stop trusting a key; the cards that it has signed are checked again",
		Example: "  quorate keys delete acme-2025",
		Args:    arguments("KEY"),
		RunE: a.calls(func(ctx context.Context, s *session, args []string) error {
			answer := &emptypb.Empty{}
			if err := s.delete(ctx, keysPath+"/"+url.PathEscape(args[0]), nil, answer); err != nil {
				return err
			}
			return a.show(answer, func() { a.out.line("deleted %s", args[0]) })
		}),
	}
}
