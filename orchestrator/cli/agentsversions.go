package cli

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
)

func (a *app) agentsVersions() *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:     "versions NAME",
		Short:   "List the versions of an agent's card, newest first",
		Example: "  quorate agents versions web-fetch",
		Args:    arguments("NAME"),
		RunE: a.calls(func(ctx context.Context, s *session, args []string) error {
			versions, next, err := list(ctx, s, agentPath(args[0])+"/versions", nil, limit, (*registryv1.ListAgentVersionsResponse).GetVersions)
			if err != nil {
				return err
			}
			all := &registryv1.ListAgentVersionsResponse{Versions: versions, NextPageToken: next}
			return a.show(all, func() { a.versionTable(all) })
		}),
	}
	addLimit(cmd, &limit, 100)
	return cmd
}

func (a *app) versionTable(all *registryv1.ListAgentVersionsResponse) {
	rows := [][]string{{"VERSION", "LIVE", "CARD", "TAKEN", "BREAKING CHANGES"}}
	for _, v := range all.GetVersions() {
		var breaking []string
		for _, change := range v.GetBreakingChanges() {
			breaking = append(breaking, change.GetMessage())
		}
		if more := len(breaking) - 3; more > 0 {
			breaking = append(breaking[:3], "and "+strconv.Itoa(more)+" more")
		}
		rows = append(rows, []string{
			strconv.FormatInt(v.GetVersion(), 10), choose(v.GetLive(), "live", ""), v.GetCardVersion(), a.when(v.GetCreateTime()), strings.Join(breaking, "; "),
		})
	}
	a.list(rows, "versions", all.GetNextPageToken())
}

func (a *app) agentsRollback() *cobra.Command {
	request := &registryv1.SetLiveVersionRequest{}
	cmd := &cobra.Command{
		Use:   "rollback NAME VERSION",
		Short: "Make an earlier version of an agent's card live, or a later one again",
		Long: "Make an earlier version of an agent's card live, or a later one again.\n" +
			"It stays until an admin changes it or the agent publishes yet another card.",
		Example: "  quorate agents rollback web-fetch 3 --validate-only\n  quorate agents rollback web-fetch 3",
		Args:    arguments("NAME", "VERSION"),
		RunE: a.calls(func(ctx context.Context, s *session, args []string) error {
			number, err := strconv.ParseInt(args[1], 10, 64)
			if err != nil || number < 1 {
				return usage("%q is no version: give a number that %q lists", args[1], "quorate agents versions")
			}
			request.Name, request.Version, request.RequestId = args[0], number, requestID("")
			response := &registryv1.SetLiveVersionResponse{}
			if err := s.postOnce(ctx, agentPath(args[0])+":setLiveVersion", request, response); err != nil {
				return err
			}
			a.warn(response.GetWarnings())
			a.validated(request)
			return a.show(response, func() { a.agentDetails(response.GetAgent()) })
		}),
	}
	cmd.Flags().Var((*nonEmpty)(&request.Etag), "etag", "only if the agent still has this etag")
	validates(cmd, &request.ValidateOnly)
	return cmd
}
