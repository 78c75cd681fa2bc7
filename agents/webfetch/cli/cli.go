// Package cli is the command line of the webfetch program: "webfetch" serves the agent, "webfetch URL" fetches one page.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/agents/webfetch/agent"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
)

// Exit codes, the same as quorate's.
const (
	exitOther       = 1
	exitUsage       = 2
	exitNotFound    = 3
	exitDenied      = 4
	exitInvalid     = 6
	exitUnavailable = 9
)

// program is one run of the command line.
type program struct {
	out, err io.Writer
	started  bool // whether the arguments were understood

	allow, internal []string
	addr, publicURL string
	server, token   string // token is the name of a file
	format          string
	timeout         time.Duration
	maxSize         int64
	maxCharacters   int
}

// Main runs the program with args, without its name, until it is done or ctx is. It returns the exit code: 0 done, 1 other,
// 2 usage, 3 not found, 4 denied, 6 cannot be read as asked, 9 unavailable.
func Main(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	p := &program{out: stdout, err: stderr}
	cmd := p.command()
	cmd.SetArgs(args)
	cmd.SetOut(stdout)
	cmd.SetErr(stderr)
	return p.exit(cmd.ExecuteContext(ctx))
}

func (p *program) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "webfetch [URL]",
		Short: "Serve the web-fetch agent, or fetch one page",
		Long: "webfetch serves the web-fetch agent over A2A; with --server it also joins Quorate. Only hosts named by --allow are read.\n" +
			"webfetch URL reads that page and prints it. Addresses that are not on the public internet are refused either way.",
		Example:           "  webfetch --allow example.com --server http://127.0.0.1:8080 --token-file web-fetch.token\n  webfetch https://example.com/article",
		Version:           agent.Version,
		Args:              cobra.MaximumNArgs(1),
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		RunE:              p.run,
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&p.allow, "allow", nil, "host or host:port that may be read; repeat it for more (env WEBFETCH_ALLOW)")
	flags.StringSliceVar(&p.internal, "allow-internal", nil, "host:port that may be read though it is not on the public internet (env WEBFETCH_ALLOW_INTERNAL)")
	flags.StringVar(&p.addr, "addr", "", "address to serve on (env WEBFETCH_ADDR, default "+defaultAddr+")")
	flags.StringVar(&p.publicURL, "public-url", "", "URL by which others reach the agent (env WEBFETCH_PUBLIC_URL, default: the address)")
	flags.StringVar(&p.server, "server", "", "Quorate's HTTP base URL to join; empty serves without joining (env QUORATE_SERVER)")
	flags.StringVar(&p.token, "token-file", "", "file with the agent's token (env QUORATE_TOKEN_FILE, or the token itself in QUORATE_TOKEN)")
	flags.StringVar(&p.format, "format", string(webfetch.Markdown), "with a URL: markdown, text or html")
	flags.DurationVar(&p.timeout, "timeout", webfetch.DefaultTimeout, "how long a fetch may take, at most 5m")
	flags.Int64Var(&p.maxSize, "max-size", webfetch.DefaultMaxSize, "bytes of a page that are read; a longer page is an error")
	flags.IntVar(&p.maxCharacters, "max-characters", webfetch.DefaultMaxCharacters, "characters of a page that are returned")
	return cmd
}

func (p *program) run(cmd *cobra.Command, args []string) error {
	p.started = true
	p.environment()
	if len(args) == 1 {
		return p.fetch(cmd.Context(), args[0])
	}
	return p.serve(cmd.Context())
}

// fetcher returns a fetcher that may read the hosts of the flags and more.
func (p *program) fetcher(logger *slog.Logger, more ...string) (*webfetch.Fetcher, error) {
	allowed := append(append(append([]string{}, p.allow...), p.internal...), more...)
	return webfetch.New(webfetch.Options{
		Policy:       &netguard.Policy{AllowOrigins: p.internal},
		AllowedHosts: allowed,
		Limits:       webfetch.Limits{Timeout: p.timeout, MaxSize: p.maxSize, MaxCharacters: p.maxCharacters},
		Logger:       logger,
	})
}

// exit prints err and returns the exit code.
func (p *program) exit(err error) int {
	if err == nil {
		return 0
	}
	if !p.started {
		p.line("webfetch: %s\nsee \"webfetch --help\"", err)
		return exitUsage
	}
	e, ok := errors.AsType[*fault.Error](err)
	if !ok {
		p.line("webfetch: %s", err)
		return exitOther
	}
	p.line("webfetch: %s (%s)", e.Message, e.Reason)
	if e.Cause != nil {
		p.line("  cause: %s", e.Cause)
	}
	switch e.Kind {
	case fault.NotFound:
		return exitNotFound
	case fault.PermissionDenied, fault.Unauthenticated:
		return exitDenied
	case fault.InvalidArgument, fault.FailedPrecondition:
		return exitInvalid
	case fault.Unavailable, fault.DeadlineExceeded:
		return exitUnavailable
	default:
		return exitOther
	}
}

func (p *program) line(format string, args ...any) {
	_, _ = fmt.Fprintf(p.err, format+"\n", args...) // there is nowhere else to tell it
}
