package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/quorate/quorate/platform/terminal"
	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
)

func (a *app) agentsApprove() *cobra.Command {
	var etag string
	var yes, check bool
	cmd := &cobra.Command{
		Use:   "approve NAME",
		Short: "Put the change of an agent that waits into force",
		Long: "Put the change of an agent that waits into force.\n" +
			"It is shown first, and nothing else is approved: if the agent has changed meanwhile, that is a conflict.\n" +
			"Without a terminal, --etag says which change was seen.",
		Example: "  quorate agents approve web-fetch\n  quorate agents approve web-fetch --etag ff016a0ce83e2c40e4a3ee4a71e1d0c9",
		Args:    arguments("NAME"),
		RunE: a.calls(func(ctx context.Context, s *session, args []string) error {
			seen, err := a.seeChange(ctx, s, args[0], "approve", etag, yes || check)
			if err != nil {
				return err
			}
			request := &registryv1.ApproveAgentChangeRequest{Name: args[0], Etag: seen, RequestId: requestID(""), ValidateOnly: check}
			response := &registryv1.ApproveAgentChangeResponse{}
			if err := s.postOnce(ctx, agentPath(args[0])+":approveChange", request, response); err != nil {
				return err
			}
			a.warn(response.GetWarnings())
			a.validated(request)
			return a.show(response, func() {
				if !check {
					a.out.line("approved the change of %s", args[0])
				}
			})
		}),
	}
	decides(cmd, &etag, &yes)
	validates(cmd, &check)
	return cmd
}

func (a *app) agentsReject() *cobra.Command {
	var etag string
	var yes bool
	cmd := &cobra.Command{
		Use:     "reject NAME",
		Short:   "Refuse the change of an agent that waits; it has no effect when it comes again",
		Example: "  quorate agents reject web-fetch",
		Args:    arguments("NAME"),
		RunE: a.calls(func(ctx context.Context, s *session, args []string) error {
			seen, err := a.seeChange(ctx, s, args[0], "reject", etag, yes)
			if err != nil {
				return err
			}
			request := &registryv1.RejectAgentChangeRequest{Name: args[0], Etag: seen, RequestId: requestID("")}
			response := &registryv1.RejectAgentChangeResponse{}
			if err := s.postOnce(ctx, agentPath(args[0])+":rejectChange", request, response); err != nil {
				return err
			}
			return a.show(response, func() { a.out.line("rejected the change of %s", args[0]) })
		}),
	}
	decides(cmd, &etag, &yes)
	return cmd
}

func decides(cmd *cobra.Command, etag *string, yes *bool) {
	cmd.Flags().Var((*nonEmpty)(etag), "etag", "the agent's etag with which the change was seen; it is not shown again")
	cmd.Flags().BoolVarP(yes, "yes", "y", false, "show the change, and do not ask")
}

// seeChange shows the change that waits, asks whether to do with it what verb says, and returns the etag of the agent as it was shown.
func (a *app) seeChange(ctx context.Context, s *session, name, verb, etag string, yes bool) (string, error) {
	switch {
	case etag != "":
		return etag, nil
	case !yes && !terminal.Is(a.stdin):
		return "", usage("there is no terminal to ask at: say with --etag which change you have seen, or --yes")
	}
	agent := &registryv1.Agent{}
	if err := s.get(ctx, agentPath(name), nil, agent); err != nil {
		return "", err
	}
	if agent.GetPendingChange() == nil {
		return agent.GetEtag(), nil // the server says that none waits
	}
	for _, row := range changeRows(agent.GetPendingChange()) {
		a.err.line("%s: %s", row[0], row[1])
	}
	if !yes && !a.confirm(fmt.Sprintf("%s this change of %s?", verb, name)) {
		return "", cmp.Or(ctx.Err(), errors.New("nothing was changed"))
	}
	return agent.GetEtag(), nil
}

// pendingChange prints the change that waits, if any.
func (a *app) pendingChange(agent *registryv1.Agent) {
	change := agent.GetPendingChange()
	if change == nil {
		return
	}
	a.section("Waits for approval since "+a.when(change.GetCreateTime())+", brought by "+broughtBy(change), changeRows(change))
	a.err.line("decide: quorate agents approve %s, or quorate agents reject %s", agent.GetName(), agent.GetName())
}

func broughtBy(change *registryv1.PendingChange) string {
	switch change.GetAuthor() {
	case "agent":
		return "the agent"
	case "refresher":
		return "the server of its card"
	}
	return "its " + change.GetAuthor()
}

func changeRows(change *registryv1.PendingChange) [][]string {
	var rows [][]string
	for _, d := range change.GetDifferences() {
		rows = append(rows, []string{d.GetField(), difference(d)})
	}
	return rows
}

func difference(d *registryv1.Difference) string {
	switch {
	case d.GetOld() == "" && d.GetNew() == "":
		return ""
	case d.GetOld() == "":
		return "new: " + d.GetNew()
	case d.GetNew() == "":
		return "gone: " + d.GetOld()
	}
	return d.GetOld() + " becomes " + d.GetNew()
}
