package agentclient

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/url"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/quorate/quorate/orchestrator/agentauth"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/grpcwire"
)

// wire has the connections that all calls to one URL over gRPC share. It adds the service parameters and the credential to each.
type wire struct {
	client      *grpcwire.Client
	short       *grpcwire.Client // another connection; see ask
	url         *url.URL
	credentials *agentauth.Credentials
	cert        *agentauth.Credential // whose client certificate the connection uses; nil for none
}

// Agents move, and some use each URL only for a while: when there are maxWires, those that were unused for maxWireIdle are closed.
const (
	maxWires    = 1000
	maxWireIdle = 30 * time.Minute
)

// wire returns the shared connection for an interface URL. One with a client certificate ends when the operator configures another one or none.
func (p *Pool) wire(raw string) *wire {
	p.mu.Lock()
	defer p.mu.Unlock()
	if w, ok := p.wires[raw]; ok {
		if w.cert == p.certificate(w.url) {
			return w
		}
		delete(p.wires, raw)
		w.close() // its calls end as if the agent were gone
	}
	p.tidy()
	u := address(raw)
	cert := p.certificate(u)
	dial := p.dialer(u, cert)
	w := &wire{client: grpcwire.NewClient(dial, u), short: grpcwire.NewClient(dial, u), url: u, credentials: p.credentials, cert: cert}
	p.wires[raw] = w
	return w
}

// tidy makes room for a connection if possible. The caller holds mu.
func (p *Pool) tidy() {
	if len(p.wires) < maxWires {
		return
	}
	for raw, w := range p.wires {
		if min(w.client.Idle(), w.short.Idle()) > maxWireIdle {
			delete(p.wires, raw)
			w.close()
		}
	}
}

func (w *wire) close() {
	w.client.Close()
	w.short.Close()
}

// certificate returns the credential whose client certificate a new connection to a URL uses, or nil. Without TLS there is none.
func (p *Pool) certificate(u *url.URL) *agentauth.Credential {
	if u.Scheme != "https" {
		return nil
	}
	if c := p.credentials.For(u); c.HasCertificate() {
		return c
	}
	return nil
}

// http2 is the name of the protocol in TLS (RFC 9113, section 3.2). gRPC needs it.
const http2 = "h2"

var errNoHTTP2 = errors.New("over TLS it does not offer HTTP/2 (ALPN), which gRPC needs")

// dialer returns how a connection to a URL is made.
func (p *Pool) dialer(u *url.URL, cert *agentauth.Credential) func(context.Context) (net.Conn, error) {
	plain := func(ctx context.Context) (net.Conn, error) { return p.dial(ctx, "tcp", hostPort(u)) }
	if u.Scheme != "https" {
		return plain
	}
	config := cert.TLS()
	if config == nil {
		config = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	config.ServerName, config.NextProtos = u.Hostname(), []string{http2}
	return func(ctx context.Context) (net.Conn, error) {
		conn, err := plain(ctx)
		if err != nil {
			return nil, err
		}
		secure := tls.Client(conn, config)
		if err := secure.HandshakeContext(ctx); err != nil {
			_ = conn.Close() // it is of no use
			return nil, err
		}
		if secure.ConnectionState().NegotiatedProtocol != http2 {
			_ = secure.Close() // as above
			return nil, errNoHTTP2
		}
		return secure, nil
	}
}

// invoke makes a unary call and calls take with the answer. An error of take is returned unchanged.
func (w *wire) invoke(ctx context.Context, r *grpcwire.Request, take func(answer []byte) error) error {
	return w.call(ctx, r, func() error {
		answer, err := w.ask(ctx, r)
		if err != nil {
			return err
		}
		return take(answer)
	})
}

// ask makes a unary call. An agent, or a proxy in front of it, takes only so many calls at a time on a connection (nginx 128), and streams may last for
// days. So that a task can be read and canceled meanwhile, a call that brings no work does not wait behind them, but is made over another connection.
func (w *wire) ask(ctx context.Context, r *grpcwire.Request) ([]byte, error) {
	r.NoWait = r.Method != a2apb.A2AService_SendMessage_FullMethodName
	answer, err := w.client.Invoke(ctx, r)
	if !errors.Is(err, grpcwire.ErrFull) {
		return answer, err
	}
	r.NoWait = false
	return w.short.Invoke(ctx, r)
}

// stream makes a streaming call. An error of each ends it and is returned unchanged.
func (w *wire) stream(ctx context.Context, r *grpcwire.Request, each func(answer []byte) error) error {
	return w.call(ctx, r, func() error { return w.client.Stream(ctx, r, each) })
}

// call adds to a request what all of them have and calls do, which makes it.
func (w *wire) call(ctx context.Context, r *grpcwire.Request, do func() error) (err error) {
	shows := w.credentials.For(w.url)
	r.MaxBytes = maxAnswerBytes
	if r.Metadata, err = parameters(ctx, shows); err != nil {
		return err
	}
	begun := time.Now() // not earlier: the credential may just have been renewed
	return credentialError(shows, begun, do())
}

// credentialError returns the error of a call that began at begun. If the agent rejected the credential, and there is a newer one now or soon, the
// error says that the call may be repeated. It is not repeated here, because over gRPC the agent may have begun to work.
func credentialError(shows *agentauth.Credential, begun time.Time, err error) error {
	if err == nil || status.Code(err) != codes.Unauthenticated || !shows.Refused(begun) {
		return err
	}
	return fault.New(fault.Unavailable, agentauth.ReasonUnavailable, "the agent no longer accepts the credential that Quorate had for it; the next call has a new one")
}
