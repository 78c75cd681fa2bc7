package dev

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"path/filepath"

	"google.golang.org/grpc"

	"github.com/quorate/quorate/agents/kit"
	"github.com/quorate/quorate/agents/webfetch"
	fetchagent "github.com/quorate/quorate/agents/webfetch/agent"
	"github.com/quorate/quorate/agents/webfetch/allowlist"
	allowliststore "github.com/quorate/quorate/agents/webfetch/allowlist/embedded"
	"github.com/quorate/quorate/agents/webfetch/browser"
	"github.com/quorate/quorate/agents/webfetch/dialect"
	"github.com/quorate/quorate/agents/webfetch/mcp"
	fetchrpc "github.com/quorate/quorate/agents/webfetch/rpc"
	"github.com/quorate/quorate/orchestrator/server"
	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/netguard"
	"github.com/quorate/quorate/platform/rpcserver"
	"github.com/quorate/quorate/platform/telemetry"
	webfetchv1 "github.com/quorate/quorate/proto/gen/quorate/webfetch/v1"
)

// openFetcher returns the fetcher of dev mode and a function that closes it. It reads the demo site, and public hosts that an admin allows; the list
// of these has a file of its own.
func openFetcher(ctx context.Context, cfg Config, p *ports, tel *telemetry.Telemetry) (f *webfetch.Fetcher, closeAll func() error, err error) {
	db, err := boltdb.Open(filepath.Join(cfg.Store.DataDir, "webfetch.db"), boltdb.Options{})
	if err != nil {
		return nil, nil, err
	}
	fail := func(err error) (*webfetch.Fetcher, func() error, error) {
		return nil, nil, errors.Join(err, db.Close())
	}
	store, err := allowliststore.New(ctx, db)
	if err != nil {
		return fail(err)
	}
	list, err := allowlist.New(store)
	if err != nil {
		return fail(err)
	}
	demo := p.demo.Addr().String()
	options := webfetch.Options{
		Policy: &netguard.Policy{AllowOrigins: []string{demo}}, AllowedHosts: []string{demo}, Allowlist: list,
		Logger: tel.Logger, Tracer: tel.TracerProvider, Meter: tel.MeterProvider,
	}
	if b, ok := browser.Find(browser.Options{NoSandbox: cfg.Webfetch.Browser == "no-sandbox"}); ok && cfg.Webfetch.Browser != "off" {
		options.Browser = b
	}
	f, err = webfetch.New(options)
	if err != nil {
		return fail(err)
	}
	return f, func() error {
		f.Close()
		return db.Close()
	}, nil
}

// fetchAgent returns the web-fetch agent with its other interfaces beside A2A: MCP, and the JSON-RPC method execute_task.
func fetchAgent(f *webfetch.Fetcher, logger *slog.Logger) kit.Config {
	c := fetchagent.NewConfig(f, fetchagent.Options{})
	tools := mcp.New(f, mcp.Options{Logger: logger})
	c.Wrap = func(next http.Handler) http.Handler { return tools.Wrap(dialect.Wrap(f, logger)(next)) }
	return c
}

// fetchService serves the web-fetch agent's own API beside Quorate's.
func fetchService(f *webfetch.Fetcher) server.Service {
	return server.Service{
		Rules:    fetchrpc.Rules(),
		Register: func(r grpc.ServiceRegistrar) { webfetchv1.RegisterWebFetchServiceServer(r, fetchrpc.New(f)) },
		REST:     rpcserver.NewREST(webfetchv1.RegisterWebFetchServiceHandlerClient, webfetchv1.NewWebFetchServiceClient),
	}
}
