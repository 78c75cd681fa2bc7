package agentclient

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/quorate/quorate/orchestrator/agentauth"
	"github.com/quorate/quorate/platform/bounded"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

// Dial opens a connection. It is the guard that keeps requests away from addresses that they must not reach.
type Dial func(ctx context.Context, network, addr string) (net.Conn, error)

// Pool makes clients and shares their connections.
type Pool struct {
	dial        Dial
	http        *http.Client
	plain       *plainHTTP
	credentials *agentauth.Credentials
	intake      intake

	mu    sync.Mutex
	conns map[string]*conn      // guarded by mu; by URL as written in cards
	wires map[string]*plainGRPC // guarded by mu; by URL as written in cards
}

// NewPool returns a pool whose connections all go through dial. client serves the HTTP bindings and must go through the same guard; it must not have
// a Timeout, which would cut streams off. c has the credentials for agents, by origin; it may have none.
func NewPool(dial Dial, client *http.Client, c *agentauth.Credentials) *Pool {
	client = c.Client(client)
	return &Pool{
		dial: dial, http: client, plain: &plainHTTP{dial: dial, other: client, credentials: c}, credentials: c, conns: make(map[string]*conn),
		wires: make(map[string]*plainGRPC),
	}
}

// Close closes all connections except those over HTTP that are in use.
func (p *Pool) Close() error {
	p.plain.idle.close()
	p.http.CloseIdleConnections()
	p.mu.Lock()
	defer p.mu.Unlock()
	for target, c := range p.wires {
		c.Close()
		delete(p.wires, target)
	}
	for target, c := range p.conns {
		if err := c.Close(); err != nil {
			return fmt.Errorf("close connection to %s: %w", target, err)
		}
		delete(p.conns, target)
	}
	return nil
}

// Connect returns a client for the first interface in an agent's card that this package speaks, and that interface's binding (A2A, section 8.3.2).
func (p *Pool) Connect(name string, card registry.Card) (Client, string, error) {
	i := slices.IndexFunc(card.Interfaces, speaks)
	if i < 0 {
		return nil, "", fault.New(fault.FailedPrecondition, "AGENT_INTERFACE_UNSUPPORTED", "agent %q %s", name, Unspoken(card))
	}
	chosen := &card.Interfaces[i]
	at := p.endpoint(name, chosen, &card)
	if chosen.Binding == registry.BindingGRPC {
		c, err := p.grpc(chosen.URL)
		if err != nil {
			return nil, "", err
		}
		return &grpcClient{at: at, tenant: chosen.Tenant, stub: a2apb.NewA2AServiceClient(c)}, registry.BindingGRPC, nil
	}
	return p.overHTTP(at, *chosen), chosen.Binding, nil
}

func (p *Pool) overHTTP(at endpoint, in registry.Interface) Client {
	c := caller{at: at, client: p.http, intake: &p.intake}
	switch {
	case strings.HasPrefix(in.ProtocolVersion, "0."):
		c.legacy = true
		return &legacyClient{rpcCaller{caller: c, url: in.URL}}
	case in.Binding == registry.BindingJSONRPC:
		return &jsonrpcClient{rpcCaller: rpcCaller{caller: c, url: in.URL}, tenant: in.Tenant}
	default:
		return &restClient{caller: c, url: in.URL, tenant: in.Tenant}
	}
}

// Unspoken says that the agent with the card has no interface for a client of this package, and which it has. It is empty when there is one.
func Unspoken(card registry.Card) string {
	if slices.ContainsFunc(card.Interfaces, speaks) {
		return ""
	}
	return "offers no interface that Quorate speaks: A2A 1.0 over GRPC, JSONRPC or HTTP+JSON, or 0.3 over JSONRPC; it offers " + describe(card.Interfaces)
}

func speaks(in registry.Interface) bool {
	if strings.HasPrefix(in.ProtocolVersion, "0.3") {
		return in.Binding == registry.BindingJSONRPC
	}
	if v := in.ProtocolVersion; v != "" && v != "1" && !strings.HasPrefix(v, "1.") {
		return false
	}
	return in.Binding == registry.BindingGRPC || in.Binding == registry.BindingJSONRPC || in.Binding == registry.BindingHTTPJSON
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

// address returns an interface's URL as http:// or https://. For gRPC, cards in use say host:port as well as http:// and https:// URLs (A2A#1997);
// the scheme decides about TLS, and without a scheme there is none.
func address(raw string) *url.URL {
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Host == "":
		return &url.URL{Scheme: "http", Host: raw}
	case u.Scheme == "grpcs":
		return &url.URL{Scheme: "https", Host: u.Host}
	default:
		return u
	}
}

// grpc returns the shared connection for an interface URL. A connection with a client certificate ends when the operator configures another one or
// none.
func (p *Pool) grpc(raw string) (*conn, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c, ok := p.conns[raw]; ok {
		if c.cert == p.certificate(c.url) {
			return c, nil
		}
		delete(p.conns, raw)
		_ = c.Close() // its calls end as if the agent were gone
	}
	u := address(raw)
	creds, cert := insecure.NewCredentials(), p.certificate(u)
	if u.Scheme == "https" {
		shown := cert.TLS()
		if shown == nil {
			shown = &tls.Config{MinVersion: tls.VersionTLS12}
		}
		creds = credentials.NewTLS(shown)
	}
	made := &conn{url: u, credentials: p.credentials, cert: cert, since: time.Now()}
	var err error
	made.ClientConn, err = grpc.NewClient("passthrough:///"+hostPort(u),
		grpc.WithTransportCredentials(creds),
		grpc.WithContextDialer(made.remember(p.dial)),
		grpc.WithNoProxy(),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxAnswerBytes), grpc.ForceCodecV2(bounded.NewCodec())))
	if err != nil {
		return nil, fault.New(fault.FailedPrecondition, "AGENT_INTERFACE_INVALID", "the gRPC interface %q is not an address: %w", raw, err)
	}
	p.tidy()
	p.conns[raw] = made
	return made, nil
}

// Agents move, and some use each URL only for a while: when there are maxConns connections, those unused for half an hour, which grpc-go calls idle,
// are closed. A new connection is idle too until its first call.
const (
	maxConns = 1000
	fresh    = time.Minute
)

// tidy makes room for a connection if possible. The caller holds mu.
func (p *Pool) tidy() {
	if len(p.conns) < maxConns {
		return
	}
	for raw, c := range p.conns {
		if c.GetState() == connectivity.Idle && time.Since(c.since) > fresh {
			delete(p.conns, raw)
			_ = c.Close() // it is unused
		}
	}
}

// certificate returns the credential whose client certificate a new connection to a URL uses, or nil.
func (p *Pool) certificate(u *url.URL) *agentauth.Credential {
	if c := p.credentials.For(u); c.IsCertificate() {
		return c
	}
	return nil
}
