// Package cli is the command line of the webfetch program: "webfetch" serves the agent, "webfetch URL" fetches one page, "webfetch mcp"
// serves MCP over stdio.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/agents/webfetch/agent"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
	"github.com/quorate/quorate/platform/terminal"
)

// Exit codes, the same as quorate's.
const (
	exitOther       = 1
	exitUsage       = 2
	exitNotFound    = 3
	exitDenied      = 4
	exitConflict    = 5
	exitInvalid     = 6
	exitUnavailable = 9
	exitInterrupted = 130
)

// program is one run of the command line.
type program struct {
	fetching

	in      io.ReadCloser
	out     io.Writer
	err     io.Writer
	started bool   // whether the arguments were understood
	url     string // of the agent, when it serves

	addr, publicURL string
	server, token   string // token is the name of a file
	tls             tlsFiles
	callersFile     string
	allowlistWrite  bool
	api             api

	forPage, forServing *pflag.FlagSet // flags that only one of the two takes
}

// Main runs the program with args, without its name, until it is done or ctx has ended. It returns the exit code: 0 success, 1 other error, 2 usage,
// 3 not found, 4 denied, 5 changed meanwhile, 6 cannot be read as requested, 9 unavailable, 130 interrupted.
func Main(ctx context.Context, args []string, stdin io.ReadCloser, stdout, stderr io.Writer) int {
	p := &program{in: stdin, out: stdout, err: stderr}
	cmd := p.command()
	cmd.SetArgs(args)
	cmd.SetOut(stdout)
	cmd.SetErr(stderr)
	return p.exit(ctx, cmd.ExecuteContext(ctx))
}

func (p *program) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "webfetch [URL]",
		Short: "Serve the web-fetch agent, or fetch one page",
		Long: "webfetch serves the web-fetch agent over A2A, and MCP at /mcp; with --server it also joins Quorate. Only listed hosts are read.\n" +
			"webfetch URL reads that page and prints it. Addresses that are not on the public internet are refused either way.",
		Example:           "  webfetch --allow example.com --server http://127.0.0.1:8080 --token-file web-fetch.token\n  webfetch https://example.com/article",
		Version:           agent.Version,
		Args:              cobra.MaximumNArgs(1),
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		RunE:              p.run,
	}
	p.flags(cmd.PersistentFlags())
	cmd.MarkFlagsMutuallyExclusive("format", "mode")
	cmd.PersistentFlags().BoolVar(&p.allowlistWrite, "allowlist-write", false, "let anybody who can reach the agent change the list of domains (env WEBFETCH_ALLOWLIST_WRITE)")
	p.forPage, p.forServing = pflag.NewFlagSet("", pflag.ContinueOnError), pflag.NewFlagSet("", pflag.ContinueOnError)
	p.pageFlags(p.forPage)
	p.serveFlags(p.forServing)
	cmd.Flags().AddFlagSet(p.forPage)
	cmd.Flags().AddFlagSet(p.forServing)
	p.forServing.AddFlag(cmd.PersistentFlags().Lookup("allowlist-write"))
	cmd.AddCommand(&cobra.Command{
		Use: "mcp", Short: "Serve MCP over standard input and output", Args: cobra.NoArgs,
		RunE: p.runMCP,
	})
	return cmd
}

// serveFlags adds the flags for serving the agent.
func (p *program) serveFlags(flags *pflag.FlagSet) {
	flags.StringVar(&p.addr, "addr", "", "address to serve on (env WEBFETCH_ADDR, default "+defaultAddr+")")
	flags.StringVar(&p.publicURL, "public-url", "", "URL by which others reach the agent (env WEBFETCH_PUBLIC_URL or AGENTCORE_RUNTIME_URL, default: the address)")
	flags.StringVar(&p.server, "server", "", "Quorate's HTTP base URL to join; empty serves without joining (env QUORATE_SERVER)")
	flags.StringVar(&p.token, "token-file", "", "file with the agent's token (env QUORATE_TOKEN_FILE, or the token itself in QUORATE_TOKEN)")
	flags.StringVar(&p.callersFile, "callers-token-file", "", "file with the bearer token that callers of the agent must send; reloaded when it changes; empty admits anybody who can reach the agent (env WEBFETCH_CALLERS_TOKEN_FILE)")
	p.tls.flags(flags)
	p.api.flags(flags)
}

func (p *program) run(cmd *cobra.Command, args []string) error {
	if p.output != "text" && p.output != "json" {
		return fmt.Errorf("--output: %q is neither text nor json", p.output)
	}
	headers, err := parseHeaders(p.headers)
	if err != nil {
		return err
	}
	if len(args) == 1 {
		err = refuseGiven(p.forServing, "is for serving, and a URL is read once; leave one of them out")
	} else {
		err = refuseGiven(p.forPage, "is for a URL, and none is given")
	}
	if err != nil {
		return err
	}
	p.started = true
	if len(args) == 1 {
		return p.fetch(cmd.Context(), args[0], headers, p.out, p.err)
	}
	return p.serve(cmd.Context())
}

// refuseGiven returns an error if any of flags, which would be ignored, is on the command line.
func refuseGiven(flags *pflag.FlagSet, why string) (err error) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Changed && err == nil {
			err = fmt.Errorf("--%s %s", f.Name, why)
		}
	})
	return err
}

func (p *program) runMCP(cmd *cobra.Command, _ []string) error {
	p.started = true
	return p.serveMCP(cmd.Context())
}

// exit prints err and returns the exit code.
func (p *program) exit(ctx context.Context, err error) int {
	if err == nil {
		return 0
	}
	if !p.started {
		p.line("webfetch: %s\nsee \"webfetch --help\"", err)
		return exitUsage
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		p.line("webfetch: interrupted")
		return exitInterrupted
	}
	e, ok := errors.AsType[*fault.Error](err)
	if !ok {
		p.line("webfetch: %s", err)
		return exitOther
	}
	p.line("webfetch: %s (%s)", e.Message, e.Reason)
	if e.Cause != nil && !strings.Contains(e.Message, e.Cause.Error()) {
		p.line("  cause: %s", e.Cause)
	}
	switch { // the message does not know who reads it, and this reader is the operator
	case e.Reason == webfetch.ReasonAddressBlocked && p.url != "": // Quorate says so of the agent; a page that is refused does not end it
		p.line("  try: --public-url URL with an address of the agent that Quorate may call, unlike %s; or agents.allowOrigins: [HOST:PORT] in Quorate's configuration", p.url)
	case e.Reason == webfetch.ReasonAddressBlocked && e.Metadata[netguard.MetadataNever] == "":
		p.line("  try: --allow-internal HOST:PORT, if you trust what is there")
	case e.Reason == webfetch.ReasonDisabled && !p.disabled:
		p.line("  try: " + lacksService)
	}
	return exitCode(e.Kind)
}

func exitCode(kind fault.Kind) int {
	switch kind {
	case fault.NotFound:
		return exitNotFound
	case fault.PermissionDenied, fault.Unauthenticated:
		return exitDenied
	case fault.Conflict:
		return exitConflict
	case fault.InvalidArgument, fault.FailedPrecondition:
		return exitInvalid
	case fault.Unavailable, fault.DeadlineExceeded, fault.ResourceExhausted:
		return exitUnavailable
	default:
		return exitOther
	}
}

func (p *program) line(format string, args ...any) {
	_, _ = io.WriteString(p.err, terminal.Escape(fmt.Sprintf(format+"\n", args...), true)) // there is no other place for errors
}
