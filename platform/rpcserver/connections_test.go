package rpcserver_test

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/quorate/quorate/platform/logtest"
	"github.com/quorate/quorate/platform/rpcserver"
)

// from is a listener whose connections seem to come from the addresses in turn.
type from struct {
	net.Listener
	addresses chan string
}

type comesFrom struct {
	net.Conn
	address net.Addr
}

func (c comesFrom) RemoteAddr() net.Addr { return c.address }

func (f from) Accept() (net.Conn, error) {
	conn, err := f.Listener.Accept()
	if err != nil {
		return nil, err
	}
	address, err := net.ResolveTCPAddr("tcp", <-f.addresses)
	return comesFrom{conn, address}, err
}

// TestConnectionsAreDividedAmongAddresses opens idle connections; one that may not stay is closed at once.
func TestConnectionsAreDividedAmongAddresses(t *testing.T) {
	t.Parallel()
	log, addresses := new(logtest.Buffer), make(chan string, 1)
	l := rpcserver.NewConnections(8, slog.New(slog.NewTextHandler(log, nil))).Limit(from{listen(t, "127.0.0.1:0"), addresses})
	accepted := make(chan net.Conn)
	go func() {
		for conn, err := l.Accept(); err == nil; conn, err = l.Accept() {
			accepted <- conn
		}
	}()
	t.Cleanup(func() { _ = l.Close() })
	connect := func(address string) (stays net.Conn) {
		t.Helper()
		addresses <- address
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		closed := make(chan struct{})
		go func() {
			_, _ = io.Copy(io.Discard, conn)
			close(closed)
		}()
		select {
		case stays = <-accepted:
		case <-closed:
		case <-time.After(time.Minute):
			t.Fatal("a connection is neither accepted nor closed")
		}
		return stays
	}
	var open []net.Conn
	for _, c := range []struct {
		address string
		stays   bool
	}{
		{"203.0.113.1:1", true},
		{"203.0.113.1:2", true},
		{"[::ffff:203.0.113.1]:3", true},
		{"203.0.113.1:4", true},
		{"203.0.113.1:5", false}, // half of all
		{"203.0.113.2:1", true},
		{"[2001:db8::1]:1", true},
		{"[2001:db8::2]:1", true},
		{"[2001:db8::3]:1", false}, // one network of IPv6
		{"[2001:db8:0:1::2]:1", true},
	} {
		conn := connect(c.address)
		if (conn != nil) != c.stays {
			t.Errorf("the connection from %s stays open: %t, want %t", c.address, conn != nil, c.stays)
		}
		open = append(open, conn)
	}
	for range 2 { // it counts once
		_ = open[0].Close()
	}
	for i := 1; i < 4; i++ {
		_ = open[i].Close()
	}
	if connect("203.0.113.1:6") == nil {
		t.Error("an address that has closed its connections cannot have another one")
	}
	if n := strings.Count(log.String(), "too many are open"); n != 1 {
		t.Errorf("the log says %d times that there are too many connections, want once a minute:\n%s", n, log)
	}
}

// TestConnectionsOfServedRequestsAreForgotten sends more requests than there may be connections, each over one of its own.
func TestConnectionsOfServedRequestsAreForgotten(t *testing.T) {
	t.Parallel()
	r := start(t, func(o *rpcserver.Options, _ prepared) {
		limit := rpcserver.NewConnections(4, slog.New(slog.DiscardHandler))
		o.HTTPListener, o.GRPCListener = limit.Limit(o.HTTPListener), limit.Limit(o.GRPCListener)
	})
	hc := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answered := 0
	for range 2000 { // the server closes a connection after its client
		req := r.request(t, http.MethodGet, "/v1/books/any", nil, nil)
		resp, err := hc.Do(req)
		if err != nil {
			continue
		}
		_ = resp.Body.Close()
		if answered++; answered == 20 {
			return
		}
	}
	t.Errorf("%d requests were answered over connections of their own, want 20", answered)
}
