package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/quorate/quorate/orchestrator/dev"
	"github.com/quorate/quorate/platform/config"
)

func (a *app) dev() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "dev",
		Short:   "Run everything in one process on this machine, with two agents and a demo site",
		Example: "  quorate dev --data-dir ./data",
		Args:    arguments(),
	}
	load := a.devConfig(cmd)
	cmd.RunE = a.runs(func(ctx context.Context, _ []string) error {
		cfg, _, err := load()
		if err != nil {
			return err
		}
		err = dev.Run(ctx, cfg, a.out.w, a.err.w) // many goroutines write to it
		if ctx.Err() != nil && errors.Is(err, context.Canceled) {
			return nil // an interrupt is the normal end
		}
		return err
	})
	return cmd
}

// devConfig adds a flag for each setting of dev to cmd, and returns a function that loads flags, environment and file.
func (a *app) devConfig(cmd *cobra.Command) func() (dev.Config, *config.Sources, error) {
	var file inputFile
	cmd.Flags().Var(&file, "config", "YAML file with settings (env "+envConfig+")")
	usual := dev.DefaultConfig()
	settings, bug := config.Settings(&usual)
	for _, s := range settings {
		cmd.Flags().String(s.Flag, s.Value, s.Doc)
	}
	return func() (dev.Config, *config.Sources, error) {
		if bug != nil {
			return usual, nil, bug
		}
		given := make(map[string]string)
		for _, s := range settings {
			if flag := cmd.Flags().Lookup(s.Flag); flag.Changed {
				given[s.Path] = flag.Value.String()
			}
		}
		return loadConfig(a, dev.DefaultConfig(), string(file), given)
	}
}
