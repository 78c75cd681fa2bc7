package rpcserver_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/rpcserver"
)

// TestBodiesThatDoNotEndAreBounded has large bodies arrive but for their ends, of which one caller may have 2 MiB.
func TestBodiesThatDoNotEndAreBounded(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/v1/books", "/body", "/authenticated"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			const most = 2 << 20
			r := start(t, func(_ *rpcserver.Options, then prepared) { then(handleBody) })
			var conns []net.Conn
			for range most/(48<<10) + 1 {
				conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(r.url, "http://"))
				if err != nil {
					t.Fatal(err)
				}
				conns = append(conns, conn)
				if _, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Length: 60000\r\n\r\n%s", path, readerToken,
					strings.Repeat(" ", 48<<10)); err != nil {
					t.Fatal(err)
				}
			}
			waiting(t, r, most)
			for _, token := range []string{readerToken, secondToken} {
				resp, text := r.do(t, http.MethodPost, path, largeBody("b"), header{"Authorization": "Bearer " + token})
				if resp.StatusCode != http.StatusTooManyRequests || !strings.Contains(text, "REQUESTS_WAITING") {
					t.Errorf("one more large request with %s = %d %.200s, want 429 REQUESTS_WAITING", token, resp.StatusCode, text)
				}
			}
			if resp, text := r.do(t, http.MethodPost, path, largeBody("b"), header{"Authorization": "Bearer " + agentToken}); resp.StatusCode == http.StatusTooManyRequests {
				t.Errorf("a large request of another caller = %d %.200s, want that it is read", resp.StatusCode, text)
			}
			if resp, text := r.do(t, http.MethodPost, path, `{"book":{"name":"b"}}`, nil); resp.StatusCode != http.StatusOK {
				t.Errorf("a small request = %d %.200s, want 200", resp.StatusCode, text)
			}
			for _, conn := range conns {
				if err := conn.Close(); err != nil {
					t.Errorf("Close() = %v, want nil", err)
				}
			}
			waiting(t, r, 0)
			if resp, text := r.do(t, http.MethodPost, path, largeBody("b"), nil); resp.StatusCode != http.StatusOK {
				t.Errorf("a large request when the others are gone = %d %.200s, want 200", resp.StatusCode, text)
			}
		})
	}
}

// waiting waits until some bytes of large requests wait.
func waiting(t *testing.T, r *running, bytes int) {
	t.Helper()
	ticker, deadline := time.NewTicker(5*time.Millisecond), time.After(time.Minute)
	defer ticker.Stop()
	for r.Waiting() != bytes {
		select {
		case <-ticker.C:
		case <-deadline:
			t.Fatalf("%d bytes of large requests wait, want %d", r.Waiting(), bytes)
		}
	}
}

// handleBody adds handlers that read the body themselves.
func handleBody(s *rpcserver.Server) {
	s.Handle("/body", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := s.ReadBody(r); err != nil {
			http.Error(w, fault.ReasonOf(err), http.StatusTooManyRequests)
		}
	}))
	s.Handle("/authenticated", s.Authenticated(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err != nil {
			http.Error(w, fault.ReasonOf(err), http.StatusTooManyRequests)
		}
	})))
}
