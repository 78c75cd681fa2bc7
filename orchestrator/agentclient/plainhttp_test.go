package agentclient_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/agentcard"
)

// dials are the connections that a pool made.
type dials struct {
	mu   sync.Mutex
	made []net.Conn // guarded by mu
}

func (d *dials) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, network, addr)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.made = append(d.made, conn)
	return conn, err
}

func (d *dials) all() []net.Conn {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.made
}

// passageOf returns a passage over connections of dial to an agent at url. The client that Quorate uses for all else refuses.
func passageOf(t *testing.T, dial agentclient.Dial, url string) *agentclient.JSONRPCPassage {
	t.Helper()
	p := agentclient.NewPool(dial, &http.Client{Transport: otherwise}, nil)
	t.Cleanup(p.Close)
	return p.PassageOverJSONRPC("a", cardOf(url))
}

func cardOf(url string) *agentcard.Card {
	return &agentcard.Card{Interfaces: []agentcard.Interface{{URL: url, Binding: "JSONRPC", ProtocolVersion: "1.0"}}}
}

var otherwise = roundTripper(func(*http.Request) (*http.Response, error) { return nil, errors.New("sent over the other client") })

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

func post(ctx context.Context, p *agentclient.JSONRPCPassage, body string) (string, error) {
	resp, err := p.Post(ctx, []byte(body), "application/json")
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	answer, err := p.ReadAnswer(ctx, resp)
	return string(answer), err
}

// serveRaw serves one connection after the other by hand and returns the URL.
func serveRaw(t *testing.T, serve func(conn net.Conn, in *bufio.Reader)) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			running.Go(func() {
				defer func() { _ = conn.Close() }()
				serve(conn, bufio.NewReader(conn))
			})
		}
	})
	t.Cleanup(func() { _ = l.Close(); running.Wait() })
	return "http://" + l.Addr().String()
}

// take reads a request and reports whether there was one.
func take(in *bufio.Reader) bool {
	req, err := http.ReadRequest(in)
	if err == nil {
		_, err = io.Copy(io.Discard, req.Body)
	}
	return err == nil
}

func TestAPlainConnectionIsUsedAsItsAnswersAllow(t *testing.T) {
	t.Parallel()
	const known = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
	tests := map[string]struct {
		answer      string
		end         bool // the agent closes the connection after the answer
		connections int  // for two requests
	}{
		"an answer of known length":            {known, false, 1},
		"chunks":                               {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\nX: y\r\n\r\n", false, 1},
		"informational answers first":          {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + known, false, 1},
		"an answer that closes":                {"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}", false, 2},
		"an answer without a length":           {"HTTP/1.1 200 OK\r\n\r\n{}", true, 2},
		"HTTP/1.0":                             {"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}", false, 2},
		"HTTP/1.0 that stays":                  {"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\n{}", false, 1},
		"an answer and the beginning of a lie": {known + "HTTP/1.1 200 OK", false, 2},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var d dials
			p := passageOf(t, d.dial, serveRaw(t, func(conn net.Conn, in *bufio.Reader) {
				for take(in) {
					if _, err := io.WriteString(conn, tt.answer); err != nil || tt.end {
						return
					}
				}
			}))
			for range 2 {
				if got, err := post(t.Context(), p, "{}"); got != "{}" || err != nil {
					t.Fatalf("Post() = %q, %v, want {}", got, err)
				}
			}
			if got := len(d.all()); got != tt.connections {
				t.Errorf("%d connections were made for two requests, want %d", got, tt.connections)
			}
		})
	}
}

func TestAWrongAnswerIsAFaultAndItsRequestIsSentOnce(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ answer, want, text string }{
		"nothing":                            {"", agentclient.ReasonUnreachable, "EOF"},
		"what is no HTTP":                    {"SSH-2.0-x\r\n\r\n", agentclient.ReasonUnreachable, "malformed"},
		"endless headers":                    {"HTTP/1.1 200 OK\r\n" + strings.Repeat("X: "+strings.Repeat("x", 1000)+"\r\n", 300), agentclient.ReasonUnreachable, "256 KiB"},
		"an endless header":                  {"HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 300<<10), agentclient.ReasonUnreachable, "256 KiB"},
		"informational answers and no other": {strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 100), agentclient.ReasonUnreachable, "informational"},
		"another protocol":                   {"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", agentclient.ReasonUnreachable, "protocol"},
		"an answer cut short":                {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{", agentclient.ReasonUnreachable, "EOF"},
		"chunks cut short":                   {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n", agentclient.ReasonUnreachable, "EOF"},
		"a redirect":                         {"HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:1/\r\n\r\n", agentclient.ReasonRefused, "redirects are not followed"},
		"an answer beyond bounds":            {"HTTP/1.1 200 OK\r\n\r\n" + strings.Repeat("{", 9<<20), agentclient.ReasonAnswerInvalid, "8 MiB"},
		"an overloaded agent":                {"HTTP/1.1 503 No\r\n\r\n", agentclient.ReasonUnreachable, "503"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var d dials
			p := passageOf(t, d.dial, serveRaw(t, func(conn net.Conn, in *bufio.Reader) {
				if take(in) {
					_, _ = io.WriteString(conn, tt.answer)
				}
			}))
			_, err := post(t.Context(), p, "{}")
			if fault.ReasonOf(err) != tt.want || !strings.Contains(fmt.Sprint(err), tt.text) {
				t.Errorf("Post() = %v, want %s with %q", err, tt.want, tt.text)
			}
			if made := d.all(); len(made) != 1 || made[0].SetDeadline(time.Time{}) == nil {
				t.Errorf("%d connections were made, want one that is closed", len(made))
			}
		})
	}
}

func TestWhatIsNotPlainGoesOverTheOtherClient(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		url  string
		size int
	}{
		"TLS":             {"https://127.0.0.1:1", 2},
		"a password":      {"http://a:b@127.0.0.1:1", 2},
		"a large request": {"http://127.0.0.1:1", 1 << 20},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var d dials
			_, err := post(t.Context(), passageOf(t, d.dial, tt.url), strings.Repeat(" ", tt.size))
			if !strings.Contains(fmt.Sprint(err), "the other client") || len(d.all()) != 0 {
				t.Errorf("Post() = %v with %d connections of its own, want it sent over the other client", err, len(d.all()))
			}
		})
	}
}

// TestAnAgentMaySayNoBeforeItHasReadAll has an agent that answers and closes while the request is still being written.
func TestAnAgentMaySayNoBeforeItHasReadAll(t *testing.T) {
	t.Parallel()
	var d dials
	p := passageOf(t, func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := d.dial(ctx, network, addr)
		return deaf{conn}, err
	}, serveRaw(t, func(conn net.Conn, _ *bufio.Reader) {
		_, _ = io.WriteString(conn, "HTTP/1.1 413 Too Much\r\nContent-Length: 12\r\n\r\n{\"error\":{}}")
	}))
	resp, err := p.Post(t.Context(), []byte("{}"), "application/json")
	if err != nil || resp.StatusCode != http.StatusRequestEntityTooLarge {
		t.Fatalf("Post() = %v, %v, want the agent's own answer", resp, err)
	}
	if _, err := p.ReadAnswer(t.Context(), resp); err != nil || d.all()[0].SetDeadline(time.Time{}) == nil {
		t.Errorf("ReadAnswer() = %v, want no error and the connection closed", err)
	}
	_ = resp.Body.Close()
}

// deaf is a connection that takes nothing.
type deaf struct{ net.Conn }

func (deaf) Write([]byte) (int, error) { return 0, syscall.EPIPE }

func TestTheGuardsRefusalIsTheFault(t *testing.T) {
	t.Parallel()
	p := passageOf(t, func(context.Context, string, string) (net.Conn, error) {
		return nil, fault.New(fault.PermissionDenied, "ADDRESS_BLOCKED", "no")
	}, "http://example.com")
	if _, err := post(t.Context(), p, "{}"); fault.ReasonOf(err) != "ADDRESS_BLOCKED" {
		t.Errorf("Post() = %v, want ADDRESS_BLOCKED", err)
	}
}

func TestEveryCallerGetsItsOwnAnswer(t *testing.T) {
	t.Parallel()
	const callers, each = 16, 50
	agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, _ = w.Write(body)
	}))
	t.Cleanup(agent.Close)
	var d dials
	p := passageOf(t, d.dial, agent.URL)
	var running sync.WaitGroup
	for c := range callers {
		running.Go(func() {
			for n := range each {
				sent := fmt.Sprintf(`{"%d":%d,"x":"%s"}`, c, n, strings.Repeat("x", 200*n))
				if got, err := post(t.Context(), p, sent); got != sent || err != nil {
					t.Errorf("Post(%.20s…) = %.20q…, %v, want what was sent", sent, got, err)
					return
				}
			}
		})
	}
	running.Wait()
	if got := len(d.all()); got > callers {
		t.Errorf("%d connections were made, want no more than there were callers, %d", got, callers)
	}
}

func TestAnAgentIsNotSpokenToOverTheConnectionOfAnother(t *testing.T) {
	t.Parallel()
	p := pool(t)
	ways := make(map[string]*agentclient.JSONRPCPassage)
	for _, says := range []string{`{"a":1}`, `{"b":1}`} {
		agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, says) }))
		t.Cleanup(agent.Close)
		ways[says] = p.PassageOverJSONRPC("a", cardOf(agent.URL))
	}
	for _, says := range []string{`{"a":1}`, `{"b":1}`, `{"a":1}`, `{"b":1}`} {
		if got, err := post(t.Context(), ways[says], "{}"); got != says || err != nil {
			t.Errorf("Post() to the agent that says %s = %q, %v, want its own answer", says, got, err)
		}
	}
}

// TestARequestIsTheOneThatNetHTTPSends has the same request sent both ways: small ones have a head that was written before.
func TestARequestIsTheOneThatNetHTTPSends(t *testing.T) {
	t.Parallel()
	asked := make(chan *http.Request, 1)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Clone(context.WithoutCancel(r.Context()))
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, "{}")
	}))
	t.Cleanup(s.Close)
	ctx := trace.ContextWithSpanContext(t.Context(), trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}, TraceFlags: 1}))
	p := agentclient.NewPool(new(net.Dialer).DialContext, &http.Client{}, nil)
	t.Cleanup(p.Close)
	for _, path := range []string{"", "/", "/a%20b/ä?x=1&y=%2F", "/a//b/../c", "?q"} {
		var said []string
		for _, size := range []int{10, 100 << 10} {
			if _, err := post(ctx, p.PassageOverJSONRPC("a", cardOf(s.URL+path)), strings.Repeat("x", size)); err != nil {
				t.Fatalf("Post(%q) = %v, want no error", path, err)
			}
			r := <-asked
			if r.ContentLength != int64(size) {
				t.Errorf("Post(%q) of %d bytes said that it has %d", path, size, r.ContentLength)
			}
			r.Header.Del("Content-Length")
			r.Header.Del("Accept-Encoding") // http.Transport's own
			said = append(said, fmt.Sprint(r.Method, r.RequestURI, r.Host, r.Header))
		}
		if said[0] != said[1] || !strings.Contains(said[0], "Traceparent") {
			t.Errorf("Post(%q) is\n%s\nwant\n%s", path, said[0], said[1])
		}
	}
}
