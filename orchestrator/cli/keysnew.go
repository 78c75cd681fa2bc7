package cli

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/quorate/quorate/platform/auth"
)

func (a *app) keysNew() *cobra.Command {
	var p auth.Principal
	var roles string
	cmd := &cobra.Command{
		Use:   "new",
		Short: "Make an API key for quorate serve; it is shown only once",
		Long: "Make an API key for quorate serve; it is shown only once. Give the key to its owner, and add the line with its hash\n" +
			"to the file that auth.keysFile names: servers read it again within seconds. Nothing is sent anywhere.",
		Example: "  quorate keys new --name ops --role admin\n  quorate keys new --name batch --role dispatcher,viewer --tenant acme",
		Args:    arguments(),
		RunE: a.runs(func(context.Context, []string) error {
			var err error
			if p.Roles, err = auth.ParseRoles(roles); err != nil {
				return usage("--role: %s", err)
			}
			if !isWord(p.Name) || p.Tenant != "" && !isWord(p.Tenant) {
				return usage("--name and --tenant are words: letters, digits and . _ - @ only")
			}
			token := auth.NewToken("api")
			key, line := token.Reveal(), auth.KeyLine(token, p)
			if !a.json {
				a.out.line("%s", key)
				a.out.line("%s", line)
				a.err.line("the first line is the key, which is not shown again; the second is for the file of keys")
				return nil
			}
			compact, err := json.Marshal(map[string]string{"key": key, "line": line})
			if err != nil {
				return fmt.Errorf("encoding the key: %w", err)
			}
			return a.document(compact)
		}),
	}
	cmd.Flags().StringVar(&p.Name, "name", "", "name of the key's owner; for the role agent, the agent's name")
	cmd.Flags().StringVar(&roles, "role", "", "role: admin, dispatcher, agent, viewer, or several separated by commas")
	for _, name := range []string{"name", "role"} {
		_ = cmd.MarkFlagRequired(name) // the flag is there
	}
	cmd.Flags().Var((*nonEmpty)(&p.Tenant), "tenant", "tenant of its owner (default "+auth.DefaultTenant+")")
	return cmd
}

// isWord reports whether s can be one field in a key file and a name in logs.
func isWord(s string) bool {
	for _, r := range s {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '.' && r != '_' && r != '-' && r != '@' {
			return false
		}
	}
	return s != "" && len(s) <= 128
}
