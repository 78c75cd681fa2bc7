package dev

import (
	"context"
	"errors"
	"path/filepath"

	"google.golang.org/grpc"

	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/agents/webfetch/allowlist"
	allowliststore "github.com/quorate/quorate/agents/webfetch/allowlist/embedded"
	fetchrpc "github.com/quorate/quorate/agents/webfetch/rpc"
	"github.com/quorate/quorate/orchestrator/server"
	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/netguard"
	"github.com/quorate/quorate/platform/telemetry"
	webfetchv1 "github.com/quorate/quorate/proto/gen/quorate/webfetch/v1"
)

// openFetcher returns the fetcher of dev mode and what closes it: it reads the demo site, and public hosts that an admin allows, which are kept in a
// file of their own.
func openFetcher(ctx context.Context, cfg Config, p *ports, tel *telemetry.Telemetry) (f *webfetch.Fetcher, closeAll func() error, err error) {
	db, err := boltdb.Open(filepath.Join(cfg.DataDir, "webfetch.db"), boltdb.Options{})
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
	f, err = webfetch.New(webfetch.Options{
		Policy: &netguard.Policy{AllowOrigins: []string{demo}}, AllowedHosts: []string{demo}, Allowlist: list,
		Logger: tel.Logger, Tracer: tel.TracerProvider, Meter: tel.MeterProvider,
	})
	if err != nil {
		return fail(err)
	}
	return f, func() error {
		f.Close()
		return db.Close()
	}, nil
}

// fetchService serves the web-fetch agent's own API beside Quorate's.
func fetchService(f *webfetch.Fetcher) server.Service {
	return server.Service{
		Rules:    fetchrpc.Rules(),
		Register: func(r grpc.ServiceRegistrar) { webfetchv1.RegisterWebFetchServiceServer(r, fetchrpc.New(f)) },
		Gateway:  webfetchv1.RegisterWebFetchServiceHandler,
	}
}
