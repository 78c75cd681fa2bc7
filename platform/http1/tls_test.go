package http1_test

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/platform/certtest"
	"github.com/quorate/quorate/platform/logtest"
)

// tlsOf returns the TLS configurations of both ends; the server requests the caller's certificate.
func tlsOf(t *testing.T) (server, client *tls.Config) {
	t.Helper()
	authority := certtest.NewAuthority(t)
	server = &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}, Certificates: []tls.Certificate{authority.Issue(t, "server").Pair},
		ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: authority.Pool(),
	}
	client = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{authority.Issue(t, "ann").Pair}, RootCAs: authority.Pool()}
	return server, client
}

// serveTLS runs a server that responds with the request that it got, and returns its address.
func serveTLS(t *testing.T, config *tls.Config, log io.Writer) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	run(t, newServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, is := w.(http.Hijacker)
		_, _ = fmt.Fprint(w, r.Proto, " over ", r.TLS.NegotiatedProtocol, " from ", r.TLS.PeerCertificates[0].Subject.CommonName, ", taken over by net/http: ", is)
	}), log), tls.NewListener(l, config))
	return l.Addr().String()
}

func TestRequestsOverTLS(t *testing.T) {
	t.Parallel()
	server, client := tlsOf(t)
	address := serveTLS(t, server, new(logtest.Buffer))
	for name, test := range map[string]struct {
		http2  bool
		method string
		want   string
	}{
		"HTTP/2":        {true, http.MethodGet, "HTTP/2.0 over h2 from ann, taken over by net/http: false"},
		"a plain one":   {false, http.MethodGet, "HTTP/1.1 over http/1.1 from ann, taken over by net/http: false"},
		"another":       {false, http.MethodPut, "HTTP/1.1 over http/1.1 from ann, taken over by net/http: true"},
		"HTTP/2, a PUT": {true, http.MethodPut, "HTTP/2.0 over h2 from ann, taken over by net/http: false"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			transport := &http.Transport{TLSClientConfig: client.Clone(), ForceAttemptHTTP2: test.http2}
			if !test.http2 {
				transport.TLSClientConfig.NextProtos = []string{"http/1.1"}
			}
			defer transport.CloseIdleConnections()
			for range 2 {
				req, err := http.NewRequestWithContext(t.Context(), test.method, "https://"+address, http.NoBody)
				if err != nil {
					t.Fatal(err)
				}
				resp, err := transport.RoundTrip(req)
				if err != nil {
					t.Fatalf("%s = %v, want an answer", test.method, err)
				}
				got, err := io.ReadAll(resp.Body)
				_ = resp.Body.Close()
				if string(got) != test.want || err != nil {
					t.Errorf("%s = %q, %v, want %q", test.method, got, err, test.want)
				}
			}
		})
	}
}

func TestPlaintextOnATLSPortIsReported(t *testing.T) {
	t.Parallel()
	server, _ := tlsOf(t)
	log := new(logtest.Buffer)
	conn := dial(t, "tcp", serveTLS(t, server, log))
	send(t, conn, get("/"))
	got, err := io.ReadAll(conn)
	if want := "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n"; string(got) != want || err != nil {
		t.Errorf("GET without TLS = %q, %v, want %q", got, err, want)
	}
	until(t, "the log says so", func() bool { return strings.Contains(log.String(), "TLS handshake error") })
}

func TestFailedHandshakesDoNotFillTheLog(t *testing.T) {
	t.Parallel()
	server, _ := tlsOf(t)
	synctest.Test(t, func(t *testing.T) {
		l, log := newPipes(), new(logtest.Buffer)
		run(t, newServer(tell, log), tls.NewListener(l, server))
		fail := func() {
			conn, in := l.connect(t)
			send(t, conn, get("/"))
			_, _ = io.Copy(io.Discard, in) // until the server has closed it
			synctest.Wait()
		}
		for range 100 {
			fail()
		}
		if n := strings.Count(log.String(), "TLS handshake error"); n != 10 {
			t.Errorf("the log has %d lines about 100 handshakes, want 10", n)
		}
		<-time.After(time.Minute)
		if fail(); !strings.Contains(log.String(), "unlogged=90") {
			t.Errorf("the log is %q, want that 90 handshakes have no line", log.String())
		}
	})
}

// closing tells of each connection that the server has closed.
type closing struct {
	net.Listener
	closed chan struct{}
}

func (c closing) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	return &tellsClose{Conn: conn, closed: c.closed}, err
}

type tellsClose struct {
	net.Conn
	once   sync.Once
	closed chan struct{}
}

func (c *tellsClose) Close() error {
	defer c.once.Do(func() { c.closed <- struct{}{} })
	return c.Conn.Close()
}

// Kubelets and load balancers look every few seconds whether somebody listens.
func TestAConnectionThatSendsNothingIsNoFailedHandshake(t *testing.T) {
	t.Parallel()
	server, _ := tlsOf(t)
	for name, test := range map[string]struct {
		sends    string
		linger   int // seconds; with 0 the connection is reset
		reported bool
	}{
		"closed":     {linger: -1},
		"reset":      {linger: 0},
		"broken off": {sends: "\x16\x03\x01", linger: -1, reported: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			log, c := new(logtest.Buffer), closing{l, make(chan struct{}, 1)}
			run(t, newServer(tell, log), tls.NewListener(c, server))
			conn := dial(t, "tcp", l.Addr().String())
			send(t, conn, test.sends)
			if err := conn.(*net.TCPConn).SetLinger(test.linger); err != nil {
				t.Fatal(err)
			}
			_ = conn.Close()
			<-c.closed
			if got := strings.Contains(log.String(), "TLS handshake error"); got != test.reported {
				t.Errorf("the log is %q; it reports the handshake: %t, want %t", log.String(), got, test.reported)
			}
		})
	}
}

func TestAMissingHandshakeTimesOut(t *testing.T) {
	t.Parallel()
	server, _ := tlsOf(t)
	synctest.Test(t, func(t *testing.T) {
		l := newPipes()
		run(t, newServer(tell, new(logtest.Buffer)), tls.NewListener(l, server))
		begin := time.Now()
		_, in := l.connect(t)
		if rest, err := io.ReadAll(in); len(rest) > 0 || err != nil || time.Since(begin) > headerTimeout+10*time.Second { // and what an alert may take
			t.Errorf("a connection without a handshake ended after %s with %q, %v, want %s", time.Since(begin), rest, err, headerTimeout)
		}
	})
}

// TestAHandshakeLeavesNoDeadline is about answers that are written when the time for the handshake is long over.
func TestAHandshakeLeavesNoDeadline(t *testing.T) {
	t.Parallel()
	server, client := tlsOf(t)
	client.ServerName = "127.0.0.1"
	issued := time.Now() // in a bubble it is another year
	server.Time, client.Time = func() time.Time { return issued }, func() time.Time { return issued }
	synctest.Test(t, func(t *testing.T) {
		l := newPipes()
		run(t, newServer(tell, new(logtest.Buffer)), tls.NewListener(l, server))
		under, _ := l.connect(t)
		conn := tls.Client(under, client)
		in := bufio.NewReader(conn)
		for range 2 {
			send(t, conn, get("/"))
			if got, want := receive(in), "200 http1:GET / "; got != want {
				t.Fatalf("the answer over TLS is %q, want %q", got, want)
			}
			<-time.After(headerTimeout + time.Second)
		}
	})
}
