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
	maxAnswerHeader  = 256 << 10 // bytes, informational answers included
	maxInformational = 5         // answers of 1xx before the one that counts
)

// line is a connection that carries one exchange at a time.
type line struct {
	conn  net.Conn
	raw   syscall.RawConn // nil: it cannot be asked whether it is quiet
	addr  string
	bound io.LimitedReader // of conn
	in    *bufio.Reader    // of bound
	since time.Time        // when it became idle; guarded by the mutex of idleLines
}

func newLine(conn net.Conn, addr string) *line {
	l := &line{conn: conn, addr: addr}
	l.bound.R = conn
	l.in = bufio.NewReader(&l.bound)
	if c, ok := conn.(syscall.Conn); ok {
		if raw, err := c.SyscallConn(); err == nil {
			l.raw = raw
		}
	}
	return l
}

// exchange writes a request as encoded and reads the answer up to its body.
func (l *line) exchange(encoded []byte, req *http.Request) (*http.Response, error) {
	_, unsent := l.conn.Write(encoded)
	resp, err := l.receive(req) // also when not all was taken: the agent may have said why
	if err != nil {
		return nil, cmp.Or(unsent, err)
	}
	resp.Close = resp.Close || unsent != nil
	return resp, nil
}

// receive reads the headers of an answer within bounds, and passes over informational ones.
func (l *line) receive(req *http.Request) (*http.Response, error) {
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
			l.bound.N = math.MaxInt64 // the body is bounded by who reads it
			return resp, nil
		}
	}
	return nil, fmt.Errorf("more than %d informational answers", maxInformational)
}

// quiet reports whether nothing came while the line was idle: neither its end nor a word that nobody asked for.
func (l *line) quiet() bool { return l.raw != nil && quiet(l.raw) }

// interrupt makes what reads and writes fail, now and from now on.
func (l *line) interrupt() { _ = l.conn.SetDeadline(time.Unix(1, 0)) } // a closed one has failed already

func (l *line) drop() { _ = l.conn.Close() } // nothing is lost with it
