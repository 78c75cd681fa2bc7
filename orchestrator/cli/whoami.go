package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	orchestratorv1 "github.com/quorate/quorate/proto/gen/quorate/orchestrator/v1"
)

func (a *app) whoami() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "whoami",
		Short:   "Tell whom the token stands for: name, tenant, roles and kind of credential",
		Long:    "Tell whom the token stands for: name, tenant, roles and kind of credential. With -o json the methods that it may call, too.",
		Example: "  quorate whoami\n  quorate whoami -o json",
		Args:    arguments(),
		RunE: a.calls(func(ctx context.Context, s *session, _ []string) error {
			caller := &orchestratorv1.Caller{}
			if err := s.get(ctx, "/v1/caller", nil, caller); err != nil {
				return err
			}
			return a.show(caller, func() {
				a.out.table("", fields("Name", caller.GetName(), "Tenant", caller.GetTenant(), "Roles", strings.Join(caller.GetRoles(), ", "), "Credential", caller.GetCredential()))
			})
		}),
	}
	a.clientFlags(cmd.Flags())
	return cmd
}
