package agentclient

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"syscall"
	"time"
)

const (
	maxAnswerHeader  = 256 << 10 // bytes, including informational responses
	maxInformational = 5         // responses with a status of 1xx before the final one
)

// httpConn is an HTTP/1.1 connection with one exchange at a time.
type httpConn struct {
	conn  net.Conn
	raw   syscall.RawConn // nil: quiet cannot be determined
	addr  string
	bound io.LimitedReader // of conn
	in    *bufio.Reader    // of bound
	since time.Time        // when it became idle; guarded by the mutex of idleConns
}

func newHTTPConn(conn net.Conn, addr string) *httpConn {
	l := &httpConn{conn: conn, addr: addr}
	l.bound.R = conn
	l.in = bufio.NewReader(&l.bound)
	if c, ok := conn.(syscall.Conn); ok {
		if raw, err := c.SyscallConn(); err == nil {
			l.raw = raw
		}
	}
	return l
}

// exchange writes an encoded request and reads the answer up to its body.
func (l *httpConn) exchange(encoded []byte, req *http.Request) (*http.Response, error) {
	_, unsent := l.conn.Write(encoded)
	resp, err := l.receive(req) // even after a failed write: the agent may have said why
	if err != nil {
		return nil, cmp.Or(unsent, err)
	}
	resp.Close = resp.Close || unsent != nil
	return resp, nil
}

// receive reads the headers of an answer within bounds, and skips informational responses.
func (l *httpConn) receive(req *http.Request) (*http.Response, error) {
	l.bound.N = maxAnswerHeader
	for range maxInformational + 1 {
		resp, err := http.ReadResponse(l.in, req)
		switch {
		case err != nil && l.bound.N <= 0:
			return nil, fmt.Errorf("the answer has more than %d KiB of headers", maxAnswerHeader>>10)
		case err != nil:
			return nil, err
		case resp.StatusCode == http.StatusSwitchingProtocols:
			return nil, errors.New("the answer is in another protocol, which was not asked for")
		case resp.StatusCode >= http.StatusOK:
			l.bound.N = math.MaxInt64 // whoever reads the body bounds it
			return resp, nil
		}
	}
	return nil, fmt.Errorf("more than %d informational answers", maxInformational)
}

// isQuiet reports whether nothing has arrived while the connection was idle: neither its end nor unrequested data.
func (l *httpConn) isQuiet() bool { return l.raw != nil && quiet(l.raw) }

// interrupt makes what reads and writes fail, now and from now on.
func (l *httpConn) interrupt() { _ = l.conn.SetDeadline(time.Unix(1, 0)) } // fails only for a closed connection

func (l *httpConn) drop() { _ = l.conn.Close() } // nothing is lost with it
