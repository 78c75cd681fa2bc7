package http1_test

import (
	"net"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/quorate/quorate/platform/http1"
	"github.com/quorate/quorate/platform/logtest"
)

// exhausted is a listener that cannot accept connections at first, because too many files are open.
type exhausted struct {
	*pipes
	failures int
}

func (e *exhausted) Accept() (net.Conn, error) {
	if e.failures == 0 {
		return e.pipes.Accept()
	}
	e.failures--
	return nil, syscall.EMFILE
}

func TestConnectionsAreAcceptedAfterAnError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newPipes()
		run(t, newServer(tell, new(logtest.Buffer)), &exhausted{l, 3})
		conn, in := l.connect(t)
		send(t, conn, get("/"))
		if got, want := receive(in), "200 http1:GET / "; got != want {
			t.Errorf("after three errors of Accept() the answer is %q, want %q", got, want)
		}
	})
}

// late is a listener at which a connection arrives while it is being closed.
type late struct{ *pipes }

func (l late) Accept() (net.Conn, error) {
	<-l.closed
	select {
	case c := <-l.conns:
		return c, nil
	default:
		return nil, net.ErrClosed
	}
}

func TestAConnectionThatArrivesWhileTheServerStopsGetsNothing(t *testing.T) {
	t.Parallel()
	for name, stop := range map[string]func(t *testing.T, s *http1.Server) error{
		"Shutdown": func(t *testing.T, s *http1.Server) error { t.Helper(); return s.Shutdown(t.Context()) },
		"Close":    func(_ *testing.T, s *http1.Server) error { return s.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l, s := newPipes(), newServer(tell, new(logtest.Buffer))
				run(t, s, late{l})
				caller, arriving := net.Pipe()
				go func() { l.conns <- arriving }()
				synctest.Wait()
				if err := stop(t, s); err != nil {
					t.Errorf("%s() = %v, want no error", name, err)
				}
				if n, err := caller.Write([]byte(get("/"))); err == nil {
					t.Errorf("Write() to a server that stops = %d, want an error", n)
				}
			})
		})
	}
}
