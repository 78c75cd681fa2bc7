// Package kittest runs agents of package kit in tests.
package kittest

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"

	"github.com/quorate/quorate/agents/kit"
)

// Start runs an agent until the test ends: on loopback, unless it has a listener.
func Start(tb testing.TB, c kit.Config) *kit.Agent {
	tb.Helper()
	if c.Listener == nil {
		var err error
		if c.Listener, err = new(net.ListenConfig).Listen(tb.Context(), "tcp", "127.0.0.1:0"); err != nil {
			tb.Fatalf("Listen() = %v, want a listener", err)
		}
	}
	agent, err := kit.New(c)
	if err != nil {
		tb.Fatalf("New() = %v, want an agent", err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(tb.Context()))
	done := make(chan error, 1)
	go func() { done <- agent.Run(ctx) }()
	tb.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			tb.Errorf("Run() of agent %s = %v, want nil", c.Name, err)
		}
	})
	return agent
}

// Run starts an agent and returns a client of it over JSON-RPC.
func Run(t *testing.T, c kit.Config) *a2aclient.Client {
	t.Helper()
	agent, transport := Start(t, c), &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	endpoint := a2a.NewAgentInterface(strings.TrimRight(agent.URL(), "/")+"/", a2a.TransportProtocolJSONRPC)
	client, err := a2aclient.NewFromEndpoints(t.Context(), []*a2a.AgentInterface{endpoint}, a2aclient.WithJSONRPCTransport(&http.Client{Transport: transport}))
	if err != nil {
		t.Fatalf("NewFromEndpoints() = %v, want a client", err)
	}
	return client
}
