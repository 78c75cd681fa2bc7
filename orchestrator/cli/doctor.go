package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quorate/quorate/orchestrator/doctor"
	"github.com/quorate/quorate/orchestrator/serve"
)

func (a *app) doctor() *cobra.Command {
	cmd := a.group("doctor", "Find out why a server cannot be used, or does not start or work, and what to do")
	cmd.Long = "Find out why a server cannot be used: whether it is reachable and ready, what the token permits, and whether clocks agree.\n" +
		"For a server that does not start or work see quorate doctor serve. It ends with 1 if a check fails."
	cmd.Example = "  quorate doctor --server https://quorate.example --token-file token\n  quorate doctor serve --config quorate.yaml"
	cmd.RunE = a.runs(func(ctx context.Context, _ []string) error { return a.findings(a.examine(ctx)) })
	a.clientFlags(cmd.Flags())
	cmd.AddCommand(a.doctorServe())
	return cmd
}

func (a *app) doctorServe() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Check a configuration of serve and everything that it names, also while the server runs",
		Long: "Check a configuration of serve and everything that it names, also while the server runs: ports, certificates, keys, the store, disks, clocks,\n" +
			"and whether other servers can be reached. Nothing is changed. Run it on the server's machine as the server's user, with its environment.\n" +
			"It ends with 1 if a check fails.",
		Example: "  quorate doctor serve --config quorate.yaml",
		Args:    arguments(),
	}
	cmd.Flags().VarP(&a.json, "output", "o", "table or json")
	load := a.serveConfig(cmd)
	cmd.RunE = a.runs(func(ctx context.Context, _ []string) error {
		cfg, _, err := load()
		if err != nil {
			return a.findings([]doctor.Result{{Name: "configuration", Finding: doctor.Failed(err, "repair it; quorate config explain serve prints every setting and where it comes from")}})
		}
		results := []doctor.Result{{Name: "configuration", Finding: doctor.Found("the settings suffice to start")}}
		return a.findings(append(results, doctor.Run(ctx, serve.Checks(cfg))...))
	})
	return cmd
}

// findings prints the results of checks. Its error makes the command end with 1 if one has failed.
func (a *app) findings(results []doctor.Result) error {
	failed := 0
	for _, r := range results {
		if r.Status == doctor.Fail {
			failed++
		}
	}
	if err := a.printFindings(results, failed); err != nil {
		return err
	}
	if failed > 0 {
		return &resultError{code: exitOther}
	}
	return nil
}

func (a *app) printFindings(results []doctor.Result, failed int) error {
	if a.json {
		compact, err := json.Marshal(struct {
			Checks []doctor.Result `json:"checks"`
			Failed int             `json:"failed"`
		}{results, failed})
		if err != nil {
			return fmt.Errorf("encoding the findings: %w", err)
		}
		return a.document(compact)
	}
	width := 0
	for _, r := range results {
		width = max(width, len(r.Name))
	}
	for _, r := range results {
		a.out.line("%-4s  %-*s  %s", r.Status, width, r.Name, oneLine(r.Found))
		if r.Do != "" {
			a.out.line("%s  try: %s", strings.Repeat(" ", len("fail")+2+width), r.Do)
		}
	}
	return nil
}
