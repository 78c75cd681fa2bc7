package cli

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Main runs the command in args, which do not include the program's name, and returns an exit code of the package comment.
//
// Canceling ctx interrupts the command; dev and serve then stop and return 0.
func Main(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (exit int) {
	input, end := untilEnded(ctx, stdin)
	defer end()
	a := &app{stdin: stdin, input: input, open: opener(ctx), out: &printer{w: stdout}, err: &printer{w: stderr}}
	root := a.root()                          //nolint:contextcheck // the verbs get ctx through ExecuteContextC
	root.SetArgs(append([]string{}, args...)) // cobra takes nil for the arguments of the process
	root.SetIn(stdin)
	root.SetOut(a.out)
	root.SetErr(a.err)
	strict(root)
	command, err := root.ExecuteContextC(ctx)
	if _, told := errors.AsType[*resultError](err); a.out.err != nil && (err == nil || told || !a.started) { // a result that nobody got is none
		err, a.started = a.out.err, true
	}
	return a.exit(ctx, command, err)
}

// app is one run of the command line.
type app struct {
	stdin io.Reader // to find out whether it is a terminal
	input io.Reader // stdin until an interrupt
	open  func(name string) (from io.Reader, end func(), err error)
	out   *printer
	err   *printer

	server    nonEmpty
	tokenFile nonEmpty
	tls       tlsFiles
	json      outputFormat
	started   bool // a command has begun: errors before that are usage errors
}

func (a *app) root() *cobra.Command {
	root := a.group("quorate", "A registry and router for A2A agents, with gates that need evidence of consultations.")
	root.Example = "  quorate dev\n  quorate agents list\n  quorate tasks submit --agent web-fetch --text 'Fetch https://example.com' --watch"
	root.Version, _ = built()
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n") // as quorate version begins
	root.SilenceErrors = true
	root.SilenceUsage = true
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(a.dev(), a.serve(), a.config(), a.agents(), a.skills(), a.tasks(), a.routes(), a.consultations(), a.fetch(), a.domains(), a.keys(), a.mappings(), a.tables(), a.whoami(), a.doctor(), a.version())
	a.complete(root)
	return root
}

// strict makes unknown arguments of help and completion usage errors: cobra prints help and succeeds, even where a shell evaluates what is printed.
// The output of root has to be set before.
func strict(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "help":
			cmd.Args = func(_ *cobra.Command, args []string) error {
				if _, rest, _ := root.Find(args); len(rest) > 0 {
					return usage("there is no command %q", strings.Join(args, " "))
				}
				return nil
			}
		case "completion":
			cmd.Args, cmd.RunE = knownVerb, printHelp
		}
	}
}

// group returns a command that only has subcommands: alone it prints its help, and an unknown subcommand is a usage error.
func (a *app) group(name, short string, aliases ...string) *cobra.Command {
	return &cobra.Command{
		Use:     name,
		Short:   short,
		Aliases: aliases,
		Args:    knownVerb,
		RunE:    printHelp,
	}
}

func knownVerb(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usage("unknown verb %q%s", args[0], didYouMean(args[0], verbs(cmd), ""))
}

func printHelp(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// clients returns a group whose subcommands call a server, with the flags for that.
func (a *app) clients(name, short string, aliases ...string) *cobra.Command {
	cmd := a.group(name, short, aliases...)
	a.clientFlags(cmd.PersistentFlags())
	return cmd
}

// clientFlags adds the flags that name the server and the output format.
func (a *app) clientFlags(flags *pflag.FlagSet) {
	flags.Var(&a.server, "server", "base URL of the server (env QUORATE_SERVER; default "+defaultServer+")")
	flags.Var(&a.tokenFile, "token-file", "file that holds the token (env QUORATE_TOKEN_FILE, or the token itself in QUORATE_TOKEN)")
	a.tls.flags(flags)
	flags.VarP(&a.json, "output", "o", "table or json")
}

// runs returns the RunE of a command.
func (a *app) runs(verb func(ctx context.Context, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		a.started = true
		return verb(cmd.Context(), args)
	}
}

// calls returns the RunE of a command that calls a server.
func (a *app) calls(verb func(ctx context.Context, s *session, args []string) error) func(*cobra.Command, []string) error {
	return a.runs(func(ctx context.Context, args []string) error {
		s, err := a.connect()
		if err != nil {
			return err
		}
		return verb(ctx, s, args)
	})
}
