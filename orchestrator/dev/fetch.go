package dev

import (
	"google.golang.org/grpc"

	"github.com/quorate/quorate/agents/webfetch"
	fetchrpc "github.com/quorate/quorate/agents/webfetch/rpc"
	"github.com/quorate/quorate/orchestrator/server"
	webfetchv1 "github.com/quorate/quorate/proto/gen/quorate/webfetch/v1"
)

// fetchService serves the web-fetch agent's own API beside Quorate's.
func fetchService(f *webfetch.Fetcher) server.Service {
	return server.Service{
		Rules:    fetchrpc.Rules(),
		Register: func(r grpc.ServiceRegistrar) { webfetchv1.RegisterWebFetchServiceServer(r, fetchrpc.New(f)) },
		Gateway:  webfetchv1.RegisterWebFetchServiceHandler,
	}
}
