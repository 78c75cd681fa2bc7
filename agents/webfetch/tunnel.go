package webfetch

import (
	"bufio"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"time"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
)

// tunnelTimeout bounds how long the proxy may take to reach a target. The context of a dial has no deadline: net/http continues to dial when the
// caller that needed the connection is gone.
const tunnelTimeout = 30 * time.Second

// tunnel dials through the operator's proxy. The target is resolved and checked here, and given to the proxy as an IP address, so that the proxy
// cannot be made to reach what the guard refuses.
type tunnel struct {
	policy *netguard.Policy
	proxy  *netguard.Policy // allows the proxy itself
	addr   string
	auth   string // header value; empty for none

	patience time.Duration // how long to wait for the proxy's answer
}

func newTunnel(policy *netguard.Policy, proxy *url.URL) (*tunnel, error) {
	if proxy.Scheme != "http" || proxy.Port() == "" || proxy.Hostname() == "" || proxy.Path != "" && proxy.Path != "/" {
		return nil, fault.Invalid("proxy", ReasonRequestInvalid, "the proxy must look like http://host:port")
	}
	t := &tunnel{policy: policy, proxy: &netguard.Policy{AllowOrigins: []string{proxy.Host}, Resolver: policy.Resolver}, addr: proxy.Host, patience: tunnelTimeout}
	if proxy.User != nil {
		password, _ := proxy.User.Password()
		t.auth = "Basic " + base64.StdEncoding.EncodeToString([]byte(proxy.User.Username()+":"+password))
	}
	return t, nil
}

func (t *tunnel) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	targets, err := t.policy.Resolve(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	conn, err := t.dialTo(ctx, targets[0])
	other := slices.IndexFunc(targets, func(a netip.AddrPort) bool { return a.Addr().Is4() != targets[0].Addr().Is4() })
	if err == nil || other < 0 || ctx.Err() != nil {
		return conn, err
	}
	return t.dialTo(ctx, targets[other]) // the proxy may reach addresses of one kind only, and the order tells what this machine reaches
}

func (t *tunnel) dialTo(ctx context.Context, target netip.AddrPort) (net.Conn, error) {
	conn, err := t.proxy.DialContext(ctx, "tcp", t.addr)
	if err != nil {
		return nil, fmt.Errorf("dial the proxy: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, t.patience)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) }) // if ctx ends, so does the handshake
	err = t.connect(conn, target.String())
	if !stop() || err != nil {
		return nil, errors.Join(err, context.Cause(ctx), conn.Close())
	}
	return conn, nil
}

// connect asks the proxy for a connection to target (RFC 9110 section 9.3.6).
func (t *tunnel) connect(conn net.Conn, target string) error {
	header := http.Header{}
	if t.auth != "" {
		header.Set("Proxy-Authorization", t.auth)
	}
	req := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: target}, Host: target, Header: header}
	if err := req.Write(conn); err != nil {
		return fmt.Errorf("ask the proxy: %w", err)
	}
	// It is read byte by byte, because what follows the answer belongs to the target.
	resp, err := http.ReadResponse(bufio.NewReaderSize(oneByte{io.LimitReader(conn, maxResponseHeader)}, 1), req)
	if err != nil {
		return fmt.Errorf("read the proxy's answer: %w", err)
	}
	_ = resp.Body.Close() // it has none
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the proxy answered %d", resp.StatusCode)
	}
	return nil
}

type oneByte struct{ io.Reader }

// Read implements io.Reader.
func (o oneByte) Read(p []byte) (int, error) { return o.Reader.Read(p[:min(len(p), 1)]) }
