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

// Run runs an agent on loopback until the test ends, and returns a client of it over JSON-RPC.
func Run(t *testing.T, c kit.Config) *a2aclient.Client {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("Listen() = %v, want a listener", err)
	}
	c.Listener = listener
	agent, err := kit.New(c)
	if err != nil {
		t.Fatalf("New() = %v, want an agent", err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- agent.Run(ctx) }()
	transport := &http.Transport{}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run() = %v, want nil", err)
		}
	})
	endpoint := a2a.NewAgentInterface(strings.TrimRight(agent.URL(), "/")+"/", a2a.TransportProtocolJSONRPC)
	client, err := a2aclient.NewFromEndpoints(t.Context(), []*a2a.AgentInterface{endpoint}, a2aclient.WithJSONRPCTransport(&http.Client{Transport: transport}))
	if err != nil {
		t.Fatalf("NewFromEndpoints() = %v, want a client", err)
	}
	return client
}
