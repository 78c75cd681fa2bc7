package rpcserver_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/platform/logtest"
	"github.com/quorate/quorate/platform/rpcserver"
)

// oneConn is a listener with one connection.
type oneConn struct{ conns chan net.Conn }

func (o oneConn) Accept() (net.Conn, error) {
	conn, ok := <-o.conns
	if !ok {
		return nil, net.ErrClosed
	}
	return conn, nil
}

func (oneConn) Close() error   { return nil }
func (oneConn) Addr() net.Addr { return &net.TCPAddr{} }

// TestABodyThatNeverComesHoldsNothing has a handler answer without the body, and another read it: nobody has to say who they are for that.
func TestABodyThatNeverComesHoldsNothing(t *testing.T) {
	t.Parallel()
	for name, handle := range map[string]http.HandlerFunc{
		"that nobody reads": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) },
		"that is read": func(w http.ResponseWriter, r *http.Request) {
			if _, err := io.ReadAll(r.Body); err == nil {
				t.Error("ReadAll(body) = no error, want one")
			}
			w.WriteHeader(http.StatusBadRequest)
		},
	} {
		for _, method := range []string{"POST", "GET"} {
			t.Run(name+" of "+method, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					conn := serveOne(t, rpcserver.LimitBody(1<<20, handle))
					begun := time.Now()
					if _, err := io.WriteString(conn, method+" / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{"); err != nil {
						t.Fatal(err)
					}
					if _, err := io.Copy(io.Discard, conn); err != nil || time.Since(begun) > 2*time.Minute {
						t.Errorf("the connection ended after %s, %v, want at most two minutes", time.Since(begun), err)
					}
				})
			})
		}
	}
}

// TestABodyThatIsThrownAwayMayBeLarger has paths that look as if they led to the handler that throws bodies away, and one that does.
func TestABodyThatIsThrownAwayMayBeLarger(t *testing.T) {
	t.Parallel()
	r := start(t, func(_ *rpcserver.Options, then prepared) {
		then(func(s *rpcserver.Server) {
			discard := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				if _, err := io.Copy(io.Discard, r.Body); err != nil {
					t.Errorf("reading the body = %v, want no error", err)
				}
			})
			s.HandleDiscarding("POST /thrown/{name}", discard)
			s.Handle("/kept", discard)
		})
	})
	for path, want := range map[string]int{
		"/thrown/x": http.StatusOK, "/kept": http.StatusRequestEntityTooLarge, "/thrown": http.StatusRequestEntityTooLarge,
		"/v1/../thrown/x": http.StatusRequestEntityTooLarge,
	} {
		for kind, body := range map[string]io.Reader{
			"of known length": strings.NewReader(strings.Repeat(" ", 100<<10)), "of unknown length": io.MultiReader(strings.NewReader(strings.Repeat(" ", 100<<10))),
		} {
			if want == http.StatusOK || kind == "of known length" {
				if got, text := r.send(t, r.request(t, http.MethodPost, path, body, nil)); got.StatusCode != want {
					t.Errorf("POST %s with a body of 100 KiB %s = %d %s, want %d", path, kind, got.StatusCode, text, want)
				}
			}
		}
	}
}

// TestABodyThatCannotBeReadIsToldWithItsReason has bodies that fail, of a request that is decoded at once and of one that is read ahead.
func TestABodyThatCannotBeReadIsToldWithItsReason(t *testing.T) {
	t.Parallel()
	for reason, err := range map[string]error{
		"BODY_INCOMPLETE":    io.ErrUnexpectedEOF,
		"BODY_UNREADABLE":    errors.New("read tcp 192.0.2.1: invalid byte in chunk length"),
		"REQUEST_UNREADABLE": &net.OpError{Op: "read", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1)}, Err: os.ErrDeadlineExceeded},
	} {
		for _, size := range []int64{1000, 50_000} {
			t.Run(fmt.Sprintf("%s of %d bytes", reason, size), func(t *testing.T) {
				t.Parallel()
				s, failed := rpcserver.New(options(t, new(logtest.Buffer)))
				if failed != nil {
					t.Fatal(failed)
				}
				if failed := s.Gateway(t.Context(), registerLibrary); failed != nil {
					t.Fatal(failed)
				}
				req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/v1/books", io.MultiReader(strings.NewReader("{"), iotest.ErrReader(err)))
				req.ContentLength = size
				req.Header.Set("Authorization", "Bearer "+readerToken)
				w := httptest.NewRecorder()
				s.Handler().ServeHTTP(w, req)
				if got := w.Body.String(); w.Code != http.StatusBadRequest || !strings.Contains(got, `"`+reason+`"`) || strings.Contains(got, "192.0.2.1") {
					t.Errorf("POST /v1/books = %d %s, want 400 with %s and no address", w.Code, got, reason)
				}
			})
		}
	}
}

func TestAStreamForARequestWithABodyGoesOn(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"GET", "POST"} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				conn := serveOne(t, rpcserver.LimitBody(1<<20, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.Method == http.MethodPost {
						_, _ = io.Copy(io.Discard, r.Body)
					}
					if err := http.NewResponseController(w).Flush(); err != nil {
						t.Errorf("Flush() = %v, want no error", err)
					}
					select {
					case <-r.Context().Done():
						t.Errorf("%s: the request ended, want it to go on", method)
					case <-time.After(time.Hour):
						_, _ = io.WriteString(w, "an hour later")
					}
				})))
				if _, err := io.WriteString(conn, method+" / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"); err != nil {
					t.Fatal(err)
				}
				resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = resp.Body.Close() }()
				if got, err := io.ReadAll(resp.Body); string(got) != "an hour later" || err != nil {
					t.Errorf("%s / = %q, %v, want what is said an hour later", method, got, err)
				}
			})
		})
	}
}

// serveOne serves one connection by net/http until the test ends, and returns the client's end.
func serveOne(t *testing.T, h http.Handler) net.Conn {
	t.Helper()
	conn, theirs := net.Pipe()
	l := oneConn{make(chan net.Conn, 1)}
	l.conns <- theirs
	server, over := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}, make(chan struct{})
	go func() {
		defer close(over)
		_ = server.Serve(l)
	}()
	t.Cleanup(func() {
		close(l.conns)
		_, _ = conn.Close(), server.Close()
		<-over
	})
	return conn
}
