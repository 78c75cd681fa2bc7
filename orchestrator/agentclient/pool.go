package agentclient

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

// What every request says of itself: the version of A2A and the extensions in use (A2A §3.2.6).
const (
	version    = "1.0"
	extensions = consultation.ExtensionURI
)

// Dial opens a connection; the guard that keeps requests away from addresses they must not reach.
type Dial func(ctx context.Context, network, addr string) (net.Conn, error)

// Pool makes clients and shares their connections.
type Pool struct {
	dial  Dial
	http  *http.Client
	plain *plainHTTP

	mu    sync.Mutex
	conns map[string]*grpc.ClientConn // guarded by mu; by URL, as cards write it
}

// NewPool returns a pool whose every connection goes through dial. client is used for the HTTP bindings and must go through the same guard;
// it must not have a Timeout, which would cut streams.
func NewPool(dial Dial, client *http.Client) *Pool {
	return &Pool{dial: dial, http: client, plain: &plainHTTP{dial: dial, other: client}, conns: make(map[string]*grpc.ClientConn)}
}

// Close ends all connections but those over HTTP that are in use.
func (p *Pool) Close() error {
	p.plain.idle.close()
	p.http.CloseIdleConnections()
	p.mu.Lock()
	defer p.mu.Unlock()
	for target, c := range p.conns {
		if err := c.Close(); err != nil {
			return fmt.Errorf("close connection to %s: %w", target, err)
		}
		delete(p.conns, target)
	}
	return nil
}

// Connect returns a client for the agent over the best interface of its card, and the interface's binding. gRPC comes first since it costs
// the least CPU; otherwise the card's own order counts.
func (p *Pool) Connect(name string, card registry.Card) (Client, string, error) {
	var chosen *registry.Interface
	for i, in := range card.Interfaces {
		if !speaks(in) {
			continue
		}
		if chosen == nil || (in.Binding == BindingGRPC && chosen.Binding != BindingGRPC) {
			chosen = &card.Interfaces[i]
		}
	}
	if chosen == nil {
		return nil, "", fault.New(fault.FailedPrecondition, "AGENT_INTERFACE_UNSUPPORTED",
			"agent %q offers no interface that Quorate speaks: A2A 1.0 over GRPC, JSONRPC or HTTP+JSON, or 0.3 over JSONRPC; it offers %s", name, describe(card.Interfaces))
	}
	where := fmt.Sprintf("agent %q at %s", name, chosen.URL)
	if chosen.Binding == BindingGRPC {
		c, err := p.grpc(chosen.URL)
		if err != nil {
			return nil, "", err
		}
		return &grpcClient{where: where, tenant: chosen.Tenant, stub: a2apb.NewA2AServiceClient(c)}, BindingGRPC, nil
	}
	return p.overHTTP(where, *chosen), chosen.Binding, nil
}

func (p *Pool) overHTTP(where string, in registry.Interface) Client {
	c := caller{where: where, client: p.http}
	switch {
	case strings.HasPrefix(in.ProtocolVersion, "0."):
		return &legacyClient{where: where, transport: a2av0.NewJSONRPCTransport(a2av0.JSONRPCTransportConfig{URL: in.URL, Client: p.http})}
	case in.Binding == BindingJSONRPC:
		return &jsonrpcClient{caller: c, url: in.URL, tenant: in.Tenant}
	default:
		return &restClient{caller: c, url: in.URL, tenant: in.Tenant}
	}
}

func speaks(in registry.Interface) bool {
	if strings.HasPrefix(in.ProtocolVersion, "0.3") {
		return in.Binding == BindingJSONRPC
	}
	if v := in.ProtocolVersion; v != "" && v != "1" && !strings.HasPrefix(v, "1.") {
		return false
	}
	return in.Binding == BindingGRPC || in.Binding == BindingJSONRPC || in.Binding == BindingREST
}

func describe(list []registry.Interface) string {
	var s []string
	for _, in := range list {
		s = append(s, in.Binding+" "+in.ProtocolVersion)
	}
	if len(s) == 0 {
		return "none"
	}
	return strings.Join(s, ", ")
}

// grpc returns the shared connection for an interface URL. Cards in the field say host:port as well as http:// and https:// URLs
// (A2A#1997); the scheme decides about TLS, and none means no TLS.
func (p *Pool) grpc(raw string) (*grpc.ClientConn, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c, ok := p.conns[raw]; ok {
		return c, nil
	}
	target, creds := raw, insecure.NewCredentials()
	if u, err := url.Parse(raw); err == nil && u.Host != "" {
		target = u.Host
		if u.Scheme == "https" || u.Scheme == "grpcs" {
			creds = credentials.NewTLS(&tls.Config{MinVersion: tls.VersionTLS12})
			if u.Port() == "" {
				target = net.JoinHostPort(u.Hostname(), "443")
			}
		}
	}
	c, err := grpc.NewClient("passthrough:///"+target,
		grpc.WithTransportCredentials(creds),
		grpc.WithContextDialer(func(ctx context.Context, addr string) (net.Conn, error) { return p.dial(ctx, "tcp", addr) }),
		grpc.WithNoProxy(),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxAnswerBytes)))
	if err != nil {
		return nil, fault.New(fault.FailedPrecondition, "AGENT_INTERFACE_INVALID", "the gRPC interface %q is not an address: %w", raw, err)
	}
	p.conns[raw] = c
	return c, nil
}
