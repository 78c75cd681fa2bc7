package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"

	"github.com/quorate/quorate/agents/kit"
	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/agents/webfetch/agent"
	"github.com/quorate/quorate/agents/webfetch/dialect"
	"github.com/quorate/quorate/agents/webfetch/mcp"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/bounded"
	"github.com/quorate/quorate/platform/config"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/secretfile"
	"github.com/quorate/quorate/platform/tasks"
)

const (
	defaultAddr   = "127.0.0.1:9000" // the port of the AgentCore A2A contract
	maxTokenBytes = 4 << 10
)

// environment fills in settings for serving that no flag has set.
func (p *program) environment() error {
	p.addr = cmp.Or(p.addr, config.Env("WEBFETCH_ADDR"), defaultAddr)
	p.publicURL = cmp.Or(p.publicURL, config.Env("WEBFETCH_PUBLIC_URL"), config.Env("AGENTCORE_RUNTIME_URL"))
	p.api.environment()
	p.server = cmp.Or(p.server, config.Env("QUORATE_SERVER"))
	if text := config.Env("WEBFETCH_ALLOWLIST_WRITE"); text != "" && !p.allowlistWrite {
		var err error
		if p.allowlistWrite, err = strconv.ParseBool(text); err != nil {
			return fault.New(fault.InvalidArgument, "CONFIG_INVALID", "WEBFETCH_ALLOWLIST_WRITE is %q; set it to true or false", text)
		}
	}
	return nil
}

// serve runs the agent until ctx is done: A2A, the dialect of execute_task, and MCP; with an address for it the API, too.
func (p *program) serve(ctx context.Context) (err error) {
	if err := p.environment(); err != nil {
		return err
	}
	if err := p.api.check(); err != nil {
		return err
	}
	logger := slog.New(slog.NewTextHandler(p.err, nil))
	f, err := p.fetcher(ctx, logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.close()) }()
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", p.addr)
	if err != nil {
		return fmt.Errorf("serve on %s: %w; choose another address with --addr", p.addr, err)
	}
	defer func() { _ = listener.Close() }()        // the agent has closed it if it ran
	a, err := p.agent(f.Fetcher, listener, logger) //nolint:contextcheck // the card is encoded without one
	if err != nil {
		return err
	}
	p.url = a.URL()
	p.logState(ctx, f.Fetcher, logger)
	parts := []tasks.Task{{Name: "agent", Run: a.Run}}
	told := fmt.Sprintf("%s serves on %s\n", a.Card().Name, a.URL())
	if p.api.wanted() {
		s, openErr := p.api.open(ctx, f.Fetcher, logger)
		if openErr != nil {
			return openErr
		}
		defer func() { err = errors.Join(err, s.close(ctx)) }()
		parts = append(parts, tasks.Task{Name: "API", Run: s.Run}, tasks.Task{Name: "API keys", Run: s.keys.Run})
		told += s.where()
	}
	if _, err := io.WriteString(p.out, told); err != nil {
		return fmt.Errorf("print the address: %w", err)
	}
	return tasks.Run(ctx, logger, parts...)
}

// agent returns the agent, which serves on the listener.
func (p *program) agent(f *webfetch.Fetcher, listener net.Listener, logger *slog.Logger) (*kit.Agent, error) {
	token, err := p.readToken()
	if err != nil {
		return nil, err
	}
	callers, err := p.callers(logger)
	if err != nil {
		return nil, err
	}
	c := agent.NewConfig(f, agent.Options{AllowlistWrite: p.allowlistWrite})
	if c.TLS, err = p.tls.config(logger); err != nil {
		return nil, err
	}
	c.Listener, c.PublicURL, c.Server, c.Token, c.Callers, c.Logger = listener, p.publicURL, p.server, token, callers, logger
	tools := mcp.New(f, mcp.Options{AllowlistWrite: p.allowlistWrite, Logger: logger})
	c.Wrap = func(next http.Handler) http.Handler { return tools.Wrap(dialect.Wrap(f, logger)(next)) }
	return kit.New(c)
}

// lacksService says what to do when the profile needs a Markdown service and none is named.
const lacksService = "--markdown-service URL or WEB_FETCH_API_ENDPOINT, or another --profile"

// logState logs whether pages can be fetched.
func (p *program) logState(ctx context.Context, f *webfetch.Fetcher, logger *slog.Logger) {
	state := "enabled"
	if f.Disabled() {
		state = "disabled"
	}
	logger.InfoContext(ctx, "web-fetch", slog.String("state", state), slog.String("profile", f.Profile().Name))
	if f.Disabled() && !p.disabled {
		logger.WarnContext(ctx, "this profile has a Markdown service read pages, and none is named, so every fetch will be refused; try "+lacksService)
	}
	if open, err := p.everyHost(); !open && err == nil && len(p.allow)+len(p.internal) == 0 && !p.storage.kept() {
		logger.WarnContext(ctx, "no host is allowed, so every fetch will be refused; name hosts with --allow, or use --data-dir, --store dynamodb or --allowlist off")
	}
}

// serveMCP serves MCP on standard input and output until the client leaves.
func (p *program) serveMCP(ctx context.Context) (err error) {
	if err := p.environment(); err != nil {
		return err
	}
	logger := slog.New(slog.NewTextHandler(p.err, nil))
	f, err := p.fetcher(ctx, logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.close()) }()
	p.logState(ctx, f.Fetcher, logger)
	return mcp.New(f.Fetcher, mcp.Options{AllowlistWrite: p.allowlistWrite, Logger: logger}).Run(ctx, p.in, writer{p.out})
}

// writer is an output that is not closed here.
type writer struct{ io.Writer }

// Close implements io.Closer.
func (writer) Close() error { return nil }

// callers returns the token that callers of the agent must send, or nil when anybody who can reach it may call it.
func (p *program) callers(logger *slog.Logger) (func() auth.Secret, error) {
	file := cmp.Or(p.callersFile, config.Env("WEBFETCH_CALLERS_TOKEN_FILE"))
	if file == "" {
		return nil, nil //nolint:nilnil // to have none is valid
	}
	secret, err := secretfile.Open(file, logger)
	if err != nil {
		return nil, fault.New(fault.InvalidArgument, "TOKEN_INVALID", "the token of callers: %w", err)
	}
	return func() auth.Secret {
		token, _ := secret.Text()
		return token
	}, nil
}

// readToken returns the token of --token-file, of QUORATE_TOKEN or of the file in QUORATE_TOKEN_FILE, in this order.
func (p *program) readToken() (auth.Secret, error) {
	if token := config.Env("QUORATE_TOKEN"); p.token == "" && token != "" {
		return auth.Secret(strings.TrimSpace(token)), nil
	}
	name := cmp.Or(p.token, config.Env("QUORATE_TOKEN_FILE"))
	if name == "" {
		return "", nil
	}
	content, err := bounded.File(name, maxTokenBytes)
	if err != nil {
		return "", fault.New(fault.InvalidArgument, "TOKEN_INVALID", "read the token file: %w", err)
	}
	token := strings.TrimSpace(string(content))
	if token == "" {
		return "", fault.New(fault.InvalidArgument, "TOKEN_INVALID", "the token file %s is empty", name)
	}
	return auth.Secret(token), nil
}
