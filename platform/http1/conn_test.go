package http1_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/platform/logtest"
)

// pipes is a listener in memory, so that synctest can control the time.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (*pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

// connect returns a caller's end of a connection.
func (p *pipes) connect(t *testing.T) (conn net.Conn, in *bufio.Reader) {
	t.Helper()
	caller, server := net.Pipe()
	p.conns <- server
	t.Cleanup(func() { _ = caller.Close() })
	return caller, bufio.NewReader(caller)
}

// inMemory runs a server with h in a synctest bubble.
func inMemory(t *testing.T, h http.Handler) *pipes {
	t.Helper()
	l := newPipes()
	run(t, newServer(h, new(logtest.Buffer)), l)
	return l
}

func TestRequestsMayComeInAnyPieces(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := inMemory(t, tell)
		sent := post("/a", "hello") + get("/b") + post("/c", "") + post("/d", "world")
		want := []string{"200 http1:POST /a hello", "200 http1:GET /b ", "200 http1:POST /c ", "200 http1:POST /d world"}
		for n := 1; n < len(sent); n++ {
			conn, in := l.connect(t)
			go func() {
				_, _ = io.WriteString(conn, sent[:n])
				_, _ = io.WriteString(conn, sent[n:])
			}()
			for _, want := range want {
				if got := receive(in); got != want {
					t.Fatalf("cut after %d bytes, the answer is %q, want %q", n, got, want)
				}
			}
			_ = conn.Close()
		}
	})
}

func TestAConnectionGoesToNetHTTPForGood(t *testing.T) {
	t.Parallel()
	conn := dial(t, "tcp", serveTCP(t, newServer(tell, new(logtest.Buffer))))
	in := bufio.NewReader(conn)
	for _, x := range []struct{ sent, want string }{
		{get("/1"), "200 http1:GET /1 "},
		{post("/2", "a"), "200 http1:POST /2 a"},
		{post("/3", strings.Repeat("b", 70<<10)), "200 net/http:POST /3 " + strings.Repeat("b", 70<<10)},
		{post("/4", "c"), "200 net/http:POST /4 c"},
		{"PUT /5 HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 0\r\n\r\n", "200 net/http:PUT /5 "},
		{"GET /6 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "200 net/http:GET /6  and closes"},
	} {
		send(t, conn, x.sent)
		if got := receive(in); got != x.want {
			t.Fatalf("%.60q is answered with %.60q, want %.60q", x.sent, got, x.want)
		}
	}
}

// TestSlowCallersGetTheTimeoutsOfNetHTTP measures from the first byte of a request, or for the first request from the beginning of the connection.
func TestSlowCallersGetTheTimeoutsOfNetHTTP(t *testing.T) {
	t.Parallel()
	const most = time.Second // until a slow request goes to net/http
	tests := map[string]struct {
		before, sent string
		min, max     time.Duration
	}{
		"nothing at all":              {"", "", headerTimeout, headerTimeout},
		"nothing more":                {get("/"), "", idleTimeout, idleTimeout},
		"a first line":                {"", "POST / HTTP/1.1\r\n", headerTimeout, headerTimeout + most},
		"a first line of a second":    {get("/"), "POST / HTTP/1.1\r\n", headerTimeout, headerTimeout + most},
		"odd fields without an end":   {get("/"), "POST / HTTP/1.1\r\nTE: x\r\n", headerTimeout, headerTimeout + most},
		"a request that is not plain": {get("/"), "PUT", headerTimeout, headerTimeout + most},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l := inMemory(t, tell)
				conn, in := l.connect(t)
				if test.before != "" {
					send(t, conn, test.before)
					_ = receive(in)
				}
				begin := time.Now()
				if test.sent != "" {
					send(t, conn, test.sent)
				}
				_, err := io.Copy(io.Discard, in) // net/http may say something
				if took := time.Since(begin); err != nil || took < test.min || took > test.max {
					t.Errorf("after %q the connection ended after %s, %v, want %s to %s", test.sent, took, err, test.min, test.max)
				}
			})
		})
	}
}

// TestContentThatComesSlowlyIsForNetHTTP shows that the handler then reads it as it comes.
func TestContentThatComesSlowlyIsForNetHTTP(t *testing.T) {
	t.Parallel()
	for name, pause := range map[string]time.Duration{"with long pauses": headerTimeout * 2, "with pauses that are short one by one": 600 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l := inMemory(t, tell)
				conn, in := l.connect(t)
				send(t, conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhe")
				go func() {
					for _, piece := range []string{"l", "l", "o"} {
						time.Sleep(pause) //nolint:forbidigo // the time of synctest
						_, _ = io.WriteString(conn, piece)
					}
				}()
				if got, want := receive(in), "200 net/http:POST / hello"; got != want {
					t.Errorf("slow content is answered with %q, want %q", got, want)
				}
			})
		})
	}
}

func TestAConnectionKeepsLittleBetweenRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, l := newServer(tell, new(logtest.Buffer)), newPipes()
		run(t, s, l)
		conn, in := l.connect(t)
		large := strings.Repeat("x", 60<<10)
		send(t, conn, post("/", large))
		if got, want := receive(in), "200 http1:POST / "+large; got != want {
			t.Fatalf("the answer has %d bytes, want %d", len(got), len(want))
		}
		synctest.Wait()
		if got, most := s.Kept(), 12<<10; got > most {
			t.Errorf("an idle connection keeps buffers of %d bytes, want at most %d", got, most)
		}
	})
}

func TestAPanicCutsTheConnection(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		panics any
		logged string
	}{
		"a panic":        {errors.New("hunter2"), "panic: hunter2"},
		"one on purpose": {fmt.Errorf("enough: %w", http.ErrAbortHandler), ""},
		"an exit":        {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := new(logtest.Buffer)
			path := serveUnix(t, newServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				_, _ = io.WriteString(w, "half an answer")
				if test.panics == nil {
					runtime.Goexit()
				}
				panic(test.panics)
			}), log))
			if got := exchange(t, path, get("/")+get("/")); len(got) > 0 {
				t.Errorf("a handler that panics answers %q, want nothing", got)
			}
			if got := log.String(); !strings.Contains(got, test.logged) || test.logged == "" && got != "" {
				t.Errorf("log = %q, want %q", got, test.logged)
			}
		})
	}
}

func TestADeadlineOfWritesEndsWithItsRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := inMemory(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/soon" {
				_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(time.Second))
			}
			tell(w, r)
		}))
		conn, in := l.connect(t)
		for _, next := range []struct{ sent, want string }{
			{get("/2"), "200 http1:GET /2 "}, {"PUT /2 HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", "200 net/http:PUT /2 "},
		} {
			for _, x := range []struct{ sent, want string }{{get("/soon"), "200 http1:GET /soon "}, next} {
				send(t, conn, x.sent)
				if got := receive(in); got != x.want {
					t.Fatalf("%q is answered with %q, want %q", x.sent, got, x.want)
				}
				<-time.After(time.Minute)
			}
		}
	})
}

// halfConn is a connection whose writing side can be closed alone, as one over TCP.
type halfConn struct {
	net.Conn
	ended chan struct{}
}

func (c halfConn) CloseWrite() error {
	close(c.ended)
	return nil
}

func TestACallerThatStillSendsCanReadItsAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := inMemory(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "too large") }))
		caller, conn := net.Pipe()
		defer func() { _ = caller.Close() }()
		half := halfConn{conn, make(chan struct{})}
		l.conns <- half
		send(t, caller, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n")
		in := bufio.NewReader(caller)
		if got, want := receive(in), "200 too large and closes"; got != want {
			t.Errorf("the answer is %q, want %q", got, want)
		}
		_, _ = io.Copy(io.Discard, in) // until the connection is closed
		select {
		case <-half.ended:
		default:
			t.Error("the connection was closed at once, which can discard an answer that the caller has not read yet")
		}
	})
}

func TestAHandlerThatReadsTooLateReadsNothing(t *testing.T) {
	t.Parallel()
	late := make(chan io.Reader, 2)
	synctest.Test(t, func(t *testing.T) {
		l := inMemory(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { late <- r.Body }))
		conn, in := l.connect(t)
		send(t, conn, post("/", "secret"))
		_ = receive(in)
		if got, err := io.ReadAll(<-late); len(got) > 0 || err == nil {
			t.Errorf("Read() after the handler has returned = %q, %v, want an error", got, err)
		}
	})
}

func TestAHandlerThatWritesTooLateWritesNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var late http.ResponseWriter
		l := inMemory(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if late == nil {
				late = w
				w.(http.Flusher).Flush() // an answer in chunks, whose length would not refuse more
				return
			}
			n, err := io.WriteString(late, "secret of the first")
			_, _ = fmt.Fprint(w, r.URL.Path, n, err != nil, http.NewResponseController(late).Flush() != nil)
		}))
		conn, in := l.connect(t)
		go func() { _, _ = io.WriteString(conn, get("/a")+get("/b")) }()
		for _, want := range []string{"200 ", "200 /b0 true true"} {
			if got := receive(in); got != want {
				t.Errorf("the answer is %q, want %q", got, want)
			}
		}
	})
}

func TestAHandlerKnowsBothEndsOfTheConnection(t *testing.T) {
	t.Parallel()
	address := serveTCP(t, newServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, "%s to %s", r.RemoteAddr, r.Context().Value(http.LocalAddrContextKey))
	}), new(logtest.Buffer)))
	conn := dial(t, "tcp", address)
	in := bufio.NewReader(conn)
	for _, sent := range []string{get("/"), "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"} { // the second is for net/http
		send(t, conn, sent)
		if got, want := receive(in), fmt.Sprintf("200 %s to %s", conn.LocalAddr(), address); got != want {
			t.Errorf("the handler of %q is told %q, want %q", sent, got, want)
		}
	}
}
