package cli

import (
	"context"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is set by the linker: -ldflags "-X github.com/quorate/quorate/orchestrator/cli.version=0.1.0".
var version string

func (a *app) version() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version of this program",
		Example: "  quorate version",
		Args:    arguments(),
		RunE: a.runs(func(context.Context, []string) error {
			number, revision := built()
			a.out.line("quorate %s", number)
			a.out.table("", fields("go", runtime.Version(), "platform", runtime.GOOS+"/"+runtime.GOARCH, "revision", revision))
			return nil
		}),
	}
}

// built returns the version and the source revision of this program, as far as they are known.
func built() (number, revision string) {
	number = version
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return choose(number != "", number, "unknown"), ""
	}
	if number == "" {
		number = info.Main.Version
	}
	for _, setting := range info.Settings {
		switch {
		case setting.Key == "vcs.revision":
			revision = setting.Value + revision
		case setting.Key == "vcs.modified" && setting.Value == "true":
			revision += " (changed)"
		}
	}
	return number, revision
}
