package http1_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/quorate/quorate/platform/http1"
)

const (
	headerTimeout = 10 * time.Second
	idleTimeout   = 2 * time.Minute
	patience      = 10 * time.Second // nothing here takes as long, unless it hangs
)

// server is the common interface of http1.Server and http.Server.
type server interface {
	Serve(l net.Listener) error
	Close() error
}

func newServer(h http.Handler, log io.Writer) *http1.Server {
	return http1.New(http1.Options{
		Handler: h, Logger: slog.New(slog.NewTextHandler(log, nil)), ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: 64 << 10,
	})
}

// newOther returns net/http's server, whose behaviour is the reference.
func newOther(h http.Handler) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: 64 << 10, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0),
	}
}

// run serves on l until the test ends.
func run(tb testing.TB, s server, l net.Listener) {
	tb.Helper()
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	tb.Cleanup(func() {
		_ = s.Close() // the listener may be closed
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			tb.Errorf("Serve() = %v, want %v", err, http.ErrServerClosed)
		}
	})
}

// serveTCP runs s on loopback and returns its address.
func serveTCP(tb testing.TB, s server) string {
	tb.Helper()
	l, err := new(net.ListenConfig).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	run(tb, s, l)
	return l.Addr().String()
}

// serveUnix runs s on a Unix socket, whose connections lose nothing when the server closes them, and returns its path.
func serveUnix(tb testing.TB, s server) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "s")
	l, err := new(net.ListenConfig).Listen(tb.Context(), "unix", path)
	if err != nil {
		tb.Fatal(err)
	}
	run(tb, s, l)
	return path
}

func dial(tb testing.TB, network, address string) net.Conn {
	tb.Helper()
	conn, err := new(net.Dialer).DialContext(tb.Context(), network, address)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		tb.Fatal(err)
	}
	return conn
}

func send(tb testing.TB, conn io.Writer, text string) {
	tb.Helper()
	if _, err := io.WriteString(conn, text); err != nil {
		tb.Fatalf("Write(%.40q) = %v, want no error", text, err)
	}
}

// receive returns the next response as text (status, which server responded, content), or why there is none.
func receive(in *bufio.Reader) string {
	resp, err := http.ReadResponse(in, nil)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return "no answer in time"
	}
	if err != nil {
		return "no answer"
	}
	defer resp.Body.Close()
	content, err := io.ReadAll(resp.Body)
	text := fmt.Sprintf("%d %s%s", resp.StatusCode, resp.Header.Get("By"), content)
	if err != nil && !endsWithConnection(resp, err) {
		text += " and is cut off"
	}
	if resp.Close {
		text += " and closes"
	}
	return text
}

// endsWithConnection reports whether a response that has no length of its own was read to its end. A server that closes a Unix socket before it has read all
// that was sent resets it, behind all that it has sent itself.
func endsWithConnection(resp *http.Response, err error) bool {
	return resp.ContentLength < 0 && resp.TransferEncoding == nil && errors.Is(err, syscall.ECONNRESET)
}

// exchange sends each text by itself, closes its side, and returns all responses.
func exchange(tb testing.TB, path string, texts ...string) (answers []string) {
	tb.Helper()
	conn := dial(tb, "unix", path)
	defer func() { _ = conn.Close() }() // there may be many
	for _, text := range texts {
		_, _ = io.WriteString(conn, text) // the server may have closed it already
	}
	_ = conn.(*net.UnixConn).CloseWrite()
	in := bufio.NewReader(conn)
	for {
		a := receive(in)
		if a == "no answer" {
			return answers
		}
		answers = append(answers, a)
		if a == "no answer in time" { // the server has not closed the connection
			return answers
		}
	}
}

// tell responds with the request that it got, and with which server carries the response: only net/http supports Hijack.
var tell = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("By", "http1:")
	if _, ok := w.(http.Hijacker); ok {
		w.Header().Set("By", "net/http:")
	}
	content, err := io.ReadAll(r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
	}
	_, _ = fmt.Fprintf(w, "%s %s %s", r.Method, r.RequestURI, content)
})

// post returns a plain request.
func post(path, content string) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", path, len(content), content)
}

func get(path string) string { return "GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n" }

// until waits for a condition.
func until(tb testing.TB, what string, holds func() bool) {
	tb.Helper()
	give := time.NewTimer(patience)
	defer give.Stop()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-give.C:
			tb.Fatalf("waited %s in vain: %s", patience, what)
		case <-tick.C:
		}
	}
}

// same reports whether two lists of responses are equal, apart from which server responded.
func same(a, b []string) bool {
	anybody := strings.NewReplacer("net/http:", "", "http1:", "")
	return anybody.Replace(strings.Join(a, "\n")) == anybody.Replace(strings.Join(b, "\n"))
}
