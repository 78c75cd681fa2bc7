package agentclient

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/quorate/quorate/orchestrator/agentauth"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/agentcard"
)

// Dial opens a connection. It is the guard that keeps requests away from addresses that they must not reach.
type Dial func(ctx context.Context, network, addr string) (net.Conn, error)

// Pool makes clients and shares their connections.
type Pool struct {
	dial        Dial
	http        *http.Client
	plain       *plainHTTP
	credentials *agentauth.Credentials
	intake      *intake

	mu    sync.Mutex
	wires map[string]*wire // guarded by mu; by URL as written in cards
}

// NewPool returns a pool whose connections all go through dial. client serves the HTTP bindings and must go through the same guard; it must not have
// a Timeout, which would cut streams off. c has the credentials for agents, by origin; it may have none.
func NewPool(dial Dial, client *http.Client, c *agentauth.Credentials) *Pool {
	client = c.Client(client)
	return &Pool{
		dial: dial, http: client, plain: &plainHTTP{dial: dial, other: client, credentials: c}, credentials: c,
		intake: newIntake(), wires: make(map[string]*wire),
	}
}

// Close closes all connections except those over HTTP that are in use.
func (p *Pool) Close() {
	p.plain.idle.close()
	p.http.CloseIdleConnections()
	p.mu.Lock()
	defer p.mu.Unlock()
	for raw, w := range p.wires {
		w.close()
		delete(p.wires, raw)
	}
}

// CallsInLine returns how many calls over gRPC wait because their agent, or a proxy in front of it, takes no more at a time.
func (p *Pool) CallsInLine() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, w := range p.wires {
		n += w.client.InLine() + w.short.InLine()
	}
	return n
}

// Connect returns a client for the first interface in an agent's card that this package speaks, and that interface's binding (A2A, section 8.3.2).
func (p *Pool) Connect(name string, card agentcard.Card) (Client, string, error) {
	i := slices.IndexFunc(card.Interfaces, speaks)
	if i < 0 {
		return nil, "", fault.New(fault.FailedPrecondition, "AGENT_INTERFACE_UNSUPPORTED", "agent %q %s", name, Unspoken(card))
	}
	chosen := &card.Interfaces[i]
	at := p.endpoint(name, chosen, &card)
	if chosen.Binding == agentcard.BindingGRPC {
		c := grpcCaller{at: at, wire: p.wire(chosen.URL), intake: p.intake, failed: fromGRPC}
		return &grpcClient{grpcCaller: c, tenant: chosen.Tenant}, agentcard.BindingGRPC, nil
	}
	return p.overHTTP(at, *chosen), chosen.Binding, nil
}

func (p *Pool) overHTTP(at endpoint, in agentcard.Interface) Client {
	c := caller{at: at, client: p.http, intake: p.intake}
	switch {
	case isLegacy(&in):
		c.legacy = true
		return &legacyClient{rpcCaller{caller: c, url: in.URL}}
	case in.Binding == agentcard.BindingJSONRPC:
		return &jsonrpcClient{rpcCaller: rpcCaller{caller: c, url: in.URL}, tenant: in.Tenant}
	default:
		return &restClient{caller: c, url: in.URL, tenant: in.Tenant}
	}
}

// Speaks reports whether the agent with the card has an interface for a client of this package.
func Speaks(card *agentcard.Card) bool { return slices.ContainsFunc(card.Interfaces, speaks) }

// Unspoken says that the agent with the card has no interface for a client of this package, and which it has. It is empty when there is one.
func Unspoken(card agentcard.Card) string {
	if Speaks(&card) {
		return ""
	}
	return "offers no interface that Quorate speaks: A2A 1.0 over GRPC, JSONRPC or HTTP+JSON, or 0.2 and 0.3 over JSONRPC; it offers " + describe(card.Interfaces)
}

// isLegacy reports whether an interface is for a version before 1.0. All are called as 0.3, whose methods over JSON-RPC are those of 0.2. The exact version
// in such a card says little: a2a-sdk for Python 0.2 writes 0.2.6, tRPC-A2A-Go 0.2.5, and BeeAI writes 0.1.0 while it serves 0.3.
func isLegacy(in *agentcard.Interface) bool { return strings.HasPrefix(in.ProtocolVersion, "0.") }

func speaks(in agentcard.Interface) bool {
	if isLegacy(&in) {
		return in.Binding == agentcard.BindingJSONRPC
	}
	if v := in.ProtocolVersion; v != "" && v != "1" && !strings.HasPrefix(v, "1.") {
		return false
	}
	return in.Binding == agentcard.BindingGRPC || in.Binding == agentcard.BindingJSONRPC || in.Binding == agentcard.BindingHTTPJSON
}

func describe(list []agentcard.Interface) string {
	var s []string
	for _, in := range list {
		s = append(s, in.Binding+" "+in.ProtocolVersion)
	}
	if len(s) == 0 {
		return "none"
	}
	return strings.Join(s, ", ")
}

// address returns an interface's URL as http:// or https://. For gRPC, cards in use say host:port as well as http:// and https:// URLs (A2A#1997);
// the scheme decides about TLS, and without a scheme there is none.
func address(raw string) *url.URL {
	if u, err := url.Parse(raw); err == nil && u.Host != "" {
		return u
	}
	return &url.URL{Scheme: "http", Host: raw}
}
