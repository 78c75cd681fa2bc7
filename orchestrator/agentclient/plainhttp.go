package agentclient

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"

	"github.com/quorate/quorate/orchestrator/agentauth"
)

// maxPlainRequest is the maximum size of a body, in bytes: what a connection buffers before the agent has read anything.
const maxPlainRequest = 64 << 10

// plainHTTP sends HTTP/1.1 requests to http:// URLs on the calling goroutine. http.Transport has two goroutines for each connection, and handing
// requests and answers to these costs more than everything else that a passage does.
//
// A request is written completely before its answer is read, and never repeated. Redirects are not followed. Requests over TLS, and those so large
// that an agent may answer before it has read all, go to other.
type plainHTTP struct {
	dial        Dial
	other       *http.Client // adds credentials itself
	credentials *agentauth.Credentials
	idle        idleConns
	sites       sites
	spare       sync.Pool // of *bytes.Buffer, for encoding requests
}

// Do sends a request and returns the answer, whose body must be read to its end or closed; until then the context of the request can end the
// exchange. Only a body that was read to its end leaves the connection reusable.
func (p *plainHTTP) Do(req *http.Request) (*http.Response, error) {
	if !isPlain(req.URL) || req.ContentLength > maxPlainRequest {
		return p.other.Do(req)
	}
	if c := p.credentials.For(req.URL); c != nil {
		return c.Send(req, p.send)
	}
	return p.send(req)
}

// send sends a request to an http:// URL unchanged.
func (p *plainHTTP) send(req *http.Request) (*http.Response, error) {
	message := p.buffer()
	defer p.spare.Put(message)
	if err := req.Write(message); err != nil {
		return nil, fmt.Errorf("write request to %s: %w", req.URL.Host, err)
	}
	return p.exchange(req.Context(), hostPort(req.URL), message.Bytes(), req)
}

// buffer returns an empty buffer. The caller returns it to spare.
func (p *plainHTTP) buffer() *bytes.Buffer {
	message, ok := p.spare.Get().(*bytes.Buffer)
	if !ok {
		return new(bytes.Buffer)
	}
	message.Reset()
	return message
}

// exchange sends an encoded request to an address and returns the answer. req is the request for interpreting the answer; nil means any request whose
// answer may have content.
func (p *plainHTTP) exchange(ctx context.Context, addr string, message []byte, req *http.Request) (*http.Response, error) {
	c, err := p.conn(ctx, addr)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, c.interrupt)
	resp, err := c.exchange(message, req)
	if err != nil {
		stop()
		c.drop()
		return nil, cmp.Or(ctx.Err(), err)
	}
	body := &answerBody{ctx: ctx, from: resp.Body, resp: resp, stop: stop, idle: &p.idle}
	body.conn.Store(c)
	resp.Body = body
	return resp, nil
}

// conn returns a connection to an address: an idle one if it is still good, or a new one.
func (p *plainHTTP) conn(ctx context.Context, addr string) (*httpConn, error) {
	for c := p.idle.take(addr); c != nil; c = p.idle.take(addr) {
		if c.isQuiet() {
			return c, nil
		}
		c.drop()
	}
	conn, err := p.dial(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	return newHTTPConn(conn, addr), nil
}

// isPlain reports whether requests to a URL can be sent by plainHTTP.
func isPlain(u *url.URL) bool { return u.Scheme == "http" && u.Host != "" && u.User == nil }

// hostPort returns where a URL is served: a port that it does not name is that of its scheme.
func hostPort(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Host
	case u.Scheme == "https":
		return net.JoinHostPort(u.Hostname(), "443")
	default:
		return net.JoinHostPort(u.Hostname(), "80")
	}
}

// answerBody is the body of an answer. At its end the connection becomes idle; closing it earlier, also while somebody reads, closes the connection.
type answerBody struct {
	ctx  context.Context //nolint:containedctx // of the request; http.Request has it so
	from io.Reader       // not closed: the body of http.ReadResponse would read the rest first
	resp *http.Response
	conn atomic.Pointer[httpConn] // nil once it is idle or closed
	stop func() bool
	idle *idleConns
}

// Read reads the body.
func (b *answerBody) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	switch {
	case err == nil:
		return n, nil
	case errors.Is(err, io.EOF):
		b.release(!b.resp.Close)
		return n, io.EOF
	default:
		return n, cmp.Or(b.ctx.Err(), err)
	}
}

// Close closes the connection if the body was not read to its end.
func (b *answerBody) Close() error {
	b.release(false)
	return nil
}

// release ends the exchange. A connection that was interrupted, or has unread data, is not kept.
func (b *answerBody) release(keep bool) {
	c := b.conn.Swap(nil)
	if c == nil {
		return
	}
	if uninterrupted := b.stop(); keep && uninterrupted && c.in.Buffered() == 0 {
		b.idle.put(c)
	} else {
		c.drop()
	}
}
