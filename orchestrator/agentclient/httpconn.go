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
	c := &httpConn{conn: conn, addr: addr}
	c.bound.R = conn
	c.in = bufio.NewReader(&c.bound)
	if s, ok := conn.(syscall.Conn); ok {
		if raw, err := s.SyscallConn(); err == nil {
			c.raw = raw
		}
	}
	return c
}

// exchange writes an encoded request and reads the answer up to its body.
func (c *httpConn) exchange(encoded []byte, req *http.Request) (*http.Response, error) {
	_, unsent := c.conn.Write(encoded)
	resp, err := c.receive(req) // even after a failed write: the agent may have said why
	if err != nil {
		return nil, cmp.Or(unsent, err)
	}
	resp.Close = resp.Close || unsent != nil
	return resp, nil
}

// receive reads the headers of an answer within bounds, and skips informational responses.
func (c *httpConn) receive(req *http.Request) (*http.Response, error) {
	c.bound.N = maxAnswerHeader
	for range maxInformational + 1 {
		resp, err := http.ReadResponse(c.in, req)
		switch {
		case err != nil && c.bound.N <= 0:
			return nil, fmt.Errorf("the answer has more than %d KiB of headers", maxAnswerHeader>>10)
		case err != nil:
			return nil, err
		case resp.StatusCode == http.StatusSwitchingProtocols:
			return nil, errors.New("the answer is in another protocol, which was not asked for")
		case resp.StatusCode >= http.StatusOK:
			c.bound.N = math.MaxInt64 // whoever reads the body bounds it
			return resp, nil
		}
	}
	return nil, fmt.Errorf("more than %d informational answers", maxInformational)
}

// isQuiet reports whether nothing has arrived while the connection was idle: neither its end nor unrequested data.
func (c *httpConn) isQuiet() bool { return c.raw != nil && quiet(c.raw) }

// interrupt makes what reads and writes fail, now and from now on.
func (c *httpConn) interrupt() { _ = c.conn.SetDeadline(time.Unix(1, 0)) } // fails only for a closed connection

func (c *httpConn) drop() { _ = c.conn.Close() } // nothing is lost with it
