package cli

import (
	"context"
	"errors"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/quorate/quorate/orchestrator/serve"
	"github.com/quorate/quorate/platform/config"
)

func (a *app) serve() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the server with a configuration: one process over files, or replicas over DynamoDB",
		Long: "Run the server with a configuration: one process over files, or replicas over DynamoDB.\n" +
			"It stops on SIGTERM and SIGHUP: calls under way are finished, and other replicas take its tasks over.\n" +
			"What its file may say, and what each setting is for: quorate config explain serve --describe",
		Example: "  quorate keys new --name ops --role admin\n  quorate config explain serve --config quorate.yaml\n  quorate serve --config quorate.yaml",
		Args:    arguments(),
	}
	load := a.serveConfig(cmd)
	cmd.RunE = a.runs(func(ctx context.Context, _ []string) error {
		cfg, _, err := load()
		if err != nil {
			return err
		}
		signal.Ignore(syscall.SIGPIPE) // a server goes on when whoever reads its log ends, such as a collector that is restarted
		number, _ := built()
		err = serve.Run(ctx, cfg, number, a.err.w) // many goroutines write to it
		if ctx.Err() != nil && errors.Is(err, context.Canceled) {
			return nil // an interrupt is the normal end
		}
		return err
	})
	return cmd
}

// serveConfig adds the flag for the file of serve to cmd, unless it has one, and returns a function that loads the file and the environment.
func (a *app) serveConfig(cmd *cobra.Command) func() (serve.Config, *config.Sources, error) {
	if cmd.Flags().Lookup("config") == nil {
		cmd.Flags().Var(new(inputFile), "config", "YAML file with settings (env "+envConfig+")")
	}
	return func() (serve.Config, *config.Sources, error) {
		return loadConfig(a, serve.DefaultConfig(), cmd.Flags().Lookup("config").Value.String(), nil)
	}
}
