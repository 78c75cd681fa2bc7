package cli

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"github.com/quorate/quorate/orchestrator/serve"
	"github.com/quorate/quorate/orchestrator/server"
	"github.com/quorate/quorate/platform/config"
	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/platform/fault"
)

func (a *app) tables() *cobra.Command {
	group := a.group("tables", "Create and change the DynamoDB tables that servers keep everything in")
	group.AddCommand(a.tablesPlan(), a.tablesApply())
	return group
}

// callsTables has cmd call verb with a client for the tables that flags name.
func (a *app) callsTables(cmd *cobra.Command, verb func(ctx context.Context, client *ddb.Client) error) {
	where := a.tablesConfig(cmd)
	cmd.RunE = a.runs(func(ctx context.Context, _ []string) error {
		c, err := where()
		if err != nil {
			return err
		}
		client, err := ddb.Open(ctx, c)
		if err != nil {
			return err
		}
		return verb(ctx, client)
	})
}

// envKind is the variable without which a server that has no file keeps everything in files.
const envKind = "QUORATE_STORE_KIND"

// tablesConfig adds the flags that say where tables are to cmd, and returns a function that reads them. What they leave open is as in the
// configuration of serve, if there is one: a file, or variables alone.
func (a *app) tablesConfig(cmd *cobra.Command) func() (ddb.Config, error) {
	var file string
	var c ddb.Config
	flags := cmd.Flags()
	flags.Var((*inputFile)(&file), "config", "YAML file of quorate serve, for what other flags do not say (env "+envConfig+"); without one its variables count, if "+envKind+" is set")
	flags.StringVar(&c.TablePrefix, "table-prefix", "", "what the names of all tables begin with, such as prod-")
	flags.StringVar(&c.Region, "region", "", "AWS region (default: that of the AWS configuration)")
	flags.StringVar(&c.Endpoint, "endpoint", "", "base URL of an emulator or a private endpoint")
	return func() (ddb.Config, error) {
		if cmp.Or(file, config.Env(envConfig), config.Env(envKind)) == "" {
			return c, nil
		}
		given := make(map[string]string)
		for flag, setting := range map[string]string{"table-prefix": "store.tablePrefix", "region": "store.region", "endpoint": "store.endpoint"} {
			if f := flags.Lookup(flag); f.Changed {
				given[setting] = f.Value.String()
			}
		}
		cfg, _, err := loadConfig(a, serve.DefaultConfig(), file, given)
		if err == nil && cfg.Store.Kind != serve.KindDynamoDB {
			err = fault.Invalid("store.kind", "CONFIG_INVALID", "this configuration keeps everything in files (store.kind: %s), not in tables", cfg.Store.Kind)
		}
		return cfg.Store.DynamoDB(), err
	}
}

func (a *app) tablesPlan() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "plan",
		Short:   "Print what apply would change, and exit with 10 when that is something",
		Example: "  quorate tables plan --config quorate.yaml\n  quorate tables plan --table-prefix prod- --region eu-central-1",
		Args:    arguments(),
	}
	a.callsTables(cmd, func(ctx context.Context, client *ddb.Client) error {
		steps, err := client.Plan(ctx, server.Tables())
		if err != nil {
			return err
		}
		if len(steps) == 0 {
			a.out.line("all tables are as they should be")
			return nil
		}
		for _, step := range steps {
			a.out.line("%s: %s", step.Table, step.What)
		}
		return &resultError{code: exitChanges}
	})
	return cmd
}

func (a *app) tablesApply() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "apply",
		Short:   "Make all tables what they should be, and wait until they can be used",
		Example: "  quorate tables apply --config quorate.yaml\n  quorate tables apply --table-prefix prod- --region eu-central-1",
		Args:    arguments(),
	}
	a.callsTables(cmd, func(ctx context.Context, client *ddb.Client) error {
		steps := 0
		err := client.Apply(ctx, server.Tables(), func(step ddb.Step) {
			steps++
			a.out.line("%s: %s", step.Table, step.What)
		})
		if err != nil {
			return err
		}
		a.out.line("%s", choose(steps > 0, "all tables can be used", "all tables are as they should be"))
		return nil
	})
	return cmd
}
