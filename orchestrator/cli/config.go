package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/quorate/quorate/orchestrator/dev"
	"github.com/quorate/quorate/orchestrator/serve"
	"github.com/quorate/quorate/platform/config"
)

const (
	envConfig = "QUORATE_CONFIG"
	envCI     = "QUORATE_CI" // for tests; neither a setting nor a misspelt one
)

// knownEnv are variables with our prefix that are no settings.
var knownEnv = []string{envServer, envToken, envTokenFile, envCAFile, envCertFile, envKeyFile, envConfig, envCI}

func (a *app) config() *cobra.Command {
	group := a.group("config", "Look at the configuration")
	explain := &cobra.Command{
		Use:   "explain [dev|serve]",
		Short: "Print every setting of dev or serve with its value and where the value comes from",
		Long: "Print every setting of dev or serve with its value and where the value comes from.\n" +
			"It ends with 0 when these settings suffice to start and with 6 when they do not. Files that they name are not read.",
		Example: "  quorate config explain\n  quorate config explain serve --config quorate.yaml\n" +
			"  quorate config explain serve --describe",
		ValidArgs: []string{"dev", "serve"},
		Args:      devOrServe,
	}
	load := a.devConfig(explain)
	loadServe := a.serveConfig(explain)
	describe := explain.Flags().Bool(flagDescribe, false, "also say what each setting is for, and which variable sets it")
	explain.RunE = a.runs(func(_ context.Context, args []string) error {
		var sources *config.Sources
		var err error
		if slices.Contains(args, "serve") {
			if flag := changedFlag(explain); flag != "" {
				return usage("--%s is a flag of quorate dev; quorate serve takes it from its file or the environment", flag)
			}
			_, sources, err = loadServe()
		} else {
			_, sources, err = load()
		}
		if sources == nil {
			return err
		}
		show := sources.Explain
		if *describe {
			show = sources.Describe
		}
		if printErr := show(a.out); printErr != nil {
			return printErr
		}
		if err != nil { // the values are known in spite of the error
			return fmt.Errorf("quorate does not start with these settings: %w", err)
		}
		return nil
	})
	group.AddCommand(explain, a.configSchema())
	return group
}

// devOrServe refuses arguments other than one of the two, or none.
func devOrServe(_ *cobra.Command, args []string) error {
	if len(args) > 1 || len(args) == 1 && args[0] != "dev" && args[0] != "serve" {
		return usage("takes dev or serve, or nothing for dev")
	}
	return nil
}

func (a *app) configSchema() *cobra.Command {
	return &cobra.Command{
		Use:   "schema [dev|serve]",
		Short: "Print a JSON Schema of the file of dev or serve, for editors",
		Long: "Print a JSON Schema of the file of dev or serve, for editors: they complete settings, say what each is for, and mark unknown ones.\n" +
			"It does not know which values go together: config explain does.",
		Example: "  quorate config schema serve > quorate.schema.json\n" +
			"  echo '# yaml-language-server: $schema=./quorate.schema.json' > quorate.yaml",
		ValidArgs: []string{"dev", "serve"},
		Args:      devOrServe,
		RunE: a.runs(func(_ context.Context, args []string) error {
			var of any = new(dev.DefaultConfig())
			if slices.Contains(args, "serve") {
				of = new(serve.DefaultConfig())
			}
			text, err := config.JSONSchema(of)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(a.out, "%s\n", text)
			return err
		}),
	}
}

// flagDescribe is the one flag of config explain that is not a setting.
const flagDescribe = "describe"

// changedFlag returns the name of a setting's flag that was given, or "".
func changedFlag(cmd *cobra.Command) (name string) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Name != "config" && f.Name != flagDescribe {
			name = f.Name
		}
	})
	return name
}

// loadConfig changes cfg, which has the defaults, by a file, which QUORATE_CONFIG may name, the environment and flags, and prints warnings.
func loadConfig[Config any](a *app, cfg Config, file string, flags map[string]string) (Config, *config.Sources, error) {
	sources, err := config.Load(&cfg, config.Options{File: cmp.Or(file, config.Env(envConfig)), Flags: flags, KnownEnv: knownEnv})
	if err != nil {
		return cfg, sources, err
	}
	for _, warning := range sources.Warnings() {
		a.err.line("warning: %s", warning)
	}
	return cfg, sources, nil
}
