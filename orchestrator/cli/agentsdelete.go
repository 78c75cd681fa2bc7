package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/quorate/quorate/platform/terminal"
)

func (a *app) agentsDelete() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:     "delete NAME",
		Aliases: []string{"rm"},
		Short:   "Remove an agent, its status and its token; its tasks keep their history",
		Example: "  quorate agents delete web-fetch --yes",
		Args:    arguments("NAME"),
		RunE: a.calls(func(ctx context.Context, s *session, args []string) error {
			if err := a.confirmDeletion(ctx, yes, "delete agent "+args[0]+"?"); err != nil {
				return err
			}
			answer := &emptypb.Empty{}
			if err := s.delete(ctx, agentPath(args[0]), nil, answer); err != nil {
				return err
			}
			return a.show(answer, func() { a.out.line("deleted %s", args[0]) })
		}),
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask; without a terminal nothing is asked")
	return cmd
}

// confirmDeletion asks a yes-or-no question at the terminal, unless there is none or yes was given. Any other answer is an error.
func (a *app) confirmDeletion(ctx context.Context, yes bool, question string) error {
	if yes || !terminal.Is(a.stdin) {
		return nil
	}
	if !a.confirm(question) {
		return cmp.Or(ctx.Err(), errors.New("nothing was deleted"))
	}
	return nil
}

// confirm asks a yes-or-no question at the terminal.
func (a *app) confirm(question string) bool {
	_, _ = io.WriteString(a.err, terminal.Escape(question, false)+" [y/N] ") // Write keeps the error
	answer, err := bufio.NewReader(io.LimitReader(a.input, 16)).ReadString('\n')
	answer = strings.ToLower(strings.TrimSpace(answer))
	return err == nil && (answer == "y" || answer == "yes")
}
