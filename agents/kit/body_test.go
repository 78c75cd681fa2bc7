package kit_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/agents/kit"
	"github.com/quorate/quorate/agents/kit/kittest"
)

// pipes is a listener in memory, on which a test's time passes at once.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (p pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p pipes) Close() error   { close(p.closed); return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9000} }

// onPipes runs an agent for the rest of a bubble of synctest, and returns what connects to it.
func onPipes(t *testing.T, handler kit.Handler) (connect func() net.Conn) {
	t.Helper()
	listener := pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
	agent, err := kit.New(kit.Config{Name: "piped", Description: "In memory.", Version: "1.0.0", Listener: listener, Handler: handler})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- agent.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run() = %v, want nil after a stop", err)
		}
	})
	return func() net.Conn {
		ours, theirs := net.Pipe()
		listener.conns <- theirs
		t.Cleanup(func() { _ = ours.Close() })
		return ours
	}
}

func TestABodyThatDoesNotArriveEndsItsConnection(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/", "/rest/message:send", "/nothing"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				conn := onPipes(t, echo)()
				begun := time.Now()
				go func() {
					_, _ = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nA2A-Version: 1.0\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{", path)
				}()
				if _, err := io.Copy(io.Discard, conn); err != nil {
					t.Errorf("reading until the agent closes the connection = %v", err)
				}
				if took := time.Since(begun); took > 2*time.Minute {
					t.Errorf("the agent waited %v for the body, want at most two minutes", took)
				}
			})
		})
	}
}

func TestAStreamOutlivesTheTimeForItsBody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		conn := onPipes(t, func(ctx context.Context, task *kit.Task) error {
			select {
			case <-time.After(time.Hour):
				return echo(ctx, task)
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		})()
		const body = `{"message":{"messageId":"one","role":"ROLE_USER","parts":[{"text":"late"}]}}`
		go func() {
			_, _ = fmt.Fprintf(conn, "POST /rest/message:stream HTTP/1.1\r\nHost: 127.0.0.1\r\nA2A-Version: 1.0\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		}()
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		events, err := io.ReadAll(response.Body)
		if err != nil || !strings.Contains(string(events), "late") || !strings.Contains(string(events), "TASK_STATE_COMPLETED") {
			t.Errorf("events of an hour = %s, %v, want the artifact and the end", events, err)
		}
	})
}

func TestACompressedBodyIsRefused(t *testing.T) {
	t.Parallel()
	agent := kittest.Start(t, kit.Config{
		Name: "plain", Description: "Reads no compressed bodies.", Version: "1.0.0", Handler: echo, Wrap: func(next http.Handler) http.Handler { return next },
	})
	for _, path := range []string{"/", "/rest/message:send"} {
		for coding, refused := range map[string]bool{"gzip": true, "identity": false, "Identity": false} {
			t.Run(path+" "+coding, func(t *testing.T) {
				t.Parallel()
				req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, agent.URL()+path, strings.NewReader("{}"))
				if err != nil {
					t.Fatal(err)
				}
				req.Header.Set("Content-Type", "application/json")
				req.Header.Set("A2A-Version", "1.0")
				req.Header.Set("Content-Encoding", coding)
				req.Close = true
				resp, err := new(http.Client).Do(req)
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = resp.Body.Close() }()
				body, err := io.ReadAll(resp.Body)
				if err != nil {
					t.Fatal(err)
				}
				named := strings.Contains(string(body), `the content encoding "`+coding+`" is not supported`)
				if got := resp.StatusCode == http.StatusUnsupportedMediaType && named; got != refused {
					t.Errorf("POST %s with Content-Encoding %s = %d %s, want it refused for that: %v", path, coding, resp.StatusCode, body, refused)
				}
			})
		}
	}
}
