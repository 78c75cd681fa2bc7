package webfetch_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/platform/dnstest"
	"github.com/quorate/quorate/platform/netguard"
)

func TestAProxyThatNeverAnswersIsGivenUp(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }() // it has taken what it should
	left := make(chan error, 1)
	go func() {
		conn, err := l.Accept()
		if err == nil {
			_, err = io.Copy(io.Discard, conn) // until the other end closes it
			err = errors.Join(err, conn.Close())
		}
		left <- err
	}()
	conn, err := webfetch.DialThrough(t.Context(), &url.URL{Scheme: "http", Host: l.Addr().String()}, "93.184.216.34:80", 50*time.Millisecond)
	if conn != nil || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("dial through a proxy that says nothing = %v, %v, want no connection: it took too long", conn, err)
	}
	if err := <-left; err != nil {
		t.Errorf("the proxy's connection ended with %v, want that it is closed", err)
	}
}

// TestAProxyMayReachOneKindOfAddress has a proxy that does not reach the address of a site that it is asked for first.
func TestAProxyMayReachOneKindOfAddress(t *testing.T) {
	const v4, v6 = "93.184.216.34:80", "[2606:2800:21f:cb07:6820:80da:af6b:8b2c]:80"
	asked := make(chan string, 8)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked <- r.Host; len(asked) == 1 {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		conn, site, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n") // reading sees what fails
		if _, err = http.ReadRequest(site.Reader); err == nil {
			_, err = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nvotes")
		}
		if err = errors.Join(err, conn.Close()); err != nil {
			t.Error(err)
		}
	}))
	defer proxy.Close()
	at, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	both := dnstest.NewResolver(t, map[string][][]string{"both.test": {{"93.184.216.34", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"}}})
	f := newFetcher(t, webfetch.Options{Open: true, Proxy: at, IgnoreRobots: true, Policy: &netguard.Policy{Resolver: both}})
	p, err := f.Fetch(t.Context(), webfetch.Request{URL: "http://both.test/"})
	close(asked)
	if list := collected(asked); err != nil || p.Content != "votes" || !slices.Equal(list, []string{v4, v6}) {
		t.Errorf("Fetch() = %q, %v, by way of %v, want an address of each kind", p.Content, err, list)
	}
}

func collected(from <-chan string) (list []string) {
	for text := range from {
		list = append(list, text)
	}
	slices.Sort(list)
	return list
}
