package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"strings"

	"github.com/quorate/quorate/agents/kit"
	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/agents/webfetch/agent"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/config"
	"github.com/quorate/quorate/platform/fault"
)

const (
	defaultAddr   = "127.0.0.1:9000" // the port of the AgentCore A2A contract
	maxTokenBytes = 4 << 10
)

// environment fills in what no flag said.
func (p *program) environment() {
	p.addr = cmp.Or(p.addr, config.Env("WEBFETCH_ADDR"), defaultAddr)
	p.publicURL = cmp.Or(p.publicURL, config.Env("WEBFETCH_PUBLIC_URL"))
	p.server = cmp.Or(p.server, config.Env("QUORATE_SERVER"))
	if p.allow == nil {
		p.allow = list(config.Env("WEBFETCH_ALLOW"))
	}
	if p.internal == nil {
		p.internal = list(config.Env("WEBFETCH_ALLOW_INTERNAL"))
	}
}

// list splits a comma-separated list.
func list(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

// fetch prints one page. Whoever types a URL allows its host; redirects to others still need --allow.
func (p *program) fetch(ctx context.Context, raw string) error {
	var hosts []string
	if u, err := url.Parse(raw); err == nil && u.Host != "" && u.User == nil {
		hosts = []string{u.Host}
	}
	f, err := p.fetcher(nil, hosts...)
	if err != nil {
		return err
	}
	defer f.Close()
	page, err := f.Fetch(ctx, webfetch.Request{URL: raw, Format: webfetch.Format(p.format)})
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(p.out, page.Content); err != nil {
		return fmt.Errorf("print the page: %w", err)
	}
	if page.Truncated {
		p.line("webfetch: cut at %d characters; raise --max-characters for more", page.TruncatedAt)
	}
	return nil
}

// serve runs the agent until ctx is done.
func (p *program) serve(ctx context.Context) error {
	logger := slog.New(slog.NewTextHandler(p.err, nil))
	token, err := p.readToken()
	if err != nil {
		return err
	}
	f, err := p.fetcher(logger)
	if err != nil {
		return err
	}
	defer f.Close()
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", p.addr)
	if err != nil {
		return fmt.Errorf("serve on %s: %w; choose another address with --addr", p.addr, err)
	}
	c := agent.NewConfig(f, agent.Options{})
	c.Listener, c.PublicURL, c.Server, c.Token, c.Logger = listener, p.publicURL, p.server, token, logger
	a, err := kit.New(c)
	if err != nil {
		_ = listener.Close() // nothing was served
		return err
	}
	if len(p.allow)+len(p.internal) == 0 {
		logger.WarnContext(ctx, "no host is allowed, so every fetch will be refused; name hosts with --allow")
	}
	if _, err := fmt.Fprintf(p.out, "%s serves on %s\n", agent.Name, a.URL()); err != nil {
		_ = listener.Close() // nothing was served
		return fmt.Errorf("print the address: %w", err)
	}
	return a.Run(ctx)
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
	file, err := os.Open(name)
	if err != nil {
		return "", fmt.Errorf("read the token file: %w", err)
	}
	defer func() { _ = file.Close() }() // it was only read
	content, err := io.ReadAll(io.LimitReader(file, maxTokenBytes+1))
	if err != nil {
		return "", fmt.Errorf("read the token file: %w", err)
	}
	token := strings.TrimSpace(string(content))
	if token == "" || len(content) > maxTokenBytes {
		return "", fault.New(fault.InvalidArgument, "TOKEN_INVALID", "the token file %s is empty or longer than %d KiB", name, maxTokenBytes>>10)
	}
	return auth.Secret(token), nil
}
