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

	"github.com/quorate/quorate/orchestrator/agentauth"
)

// maxPlainRequest is of a body, in bytes: what a connection takes before the agent has read anything.
const maxPlainRequest = 64 << 10

// plainHTTP sends requests to http:// URLs with HTTP/1.1, each on the goroutine that asks. http.Transport has two goroutines for each connection, and
// handing a request and its answer over costs more than all else that a passage does.
//
// A request is written whole before its answer is read, and never twice. Redirects are not followed. Requests that are not for it go to other: those with
// TLS, and those so large that an agent may answer before it has read all.
type plainHTTP struct {
	dial        Dial
	other       *http.Client // shows credentials itself
	credentials *agentauth.Credentials
	idle        idleLines
	sites       sites
	spare       sync.Pool // of *bytes.Buffer, for requests as they are written
}

// Do sends a request and returns its answer. The context of the request ends the exchange until the answer's body is read or closed, which must be done;
// only one that is read to its end leaves the connection for others.
func (p *plainHTTP) Do(req *http.Request) (*http.Response, error) {
	if !isPlain(req.URL) || req.ContentLength > maxPlainRequest {
		return p.other.Do(req)
	}
	if c := p.credentials.For(req.URL); c != nil {
		return c.Send(req, p.send)
	}
	return p.send(req)
}

// send sends a request to an http:// URL as it is.
func (p *plainHTTP) send(req *http.Request) (*http.Response, error) {
	message := p.buffer()
	defer p.spare.Put(message)
	if err := req.Write(message); err != nil {
		return nil, fmt.Errorf("write request to %s: %w", req.URL.Host, err)
	}
	return p.exchange(req.Context(), hostPort(req.URL), message.Bytes(), req)
}

// buffer returns an empty buffer, which is given back to spare.
func (p *plainHTTP) buffer() *bytes.Buffer {
	message, ok := p.spare.Get().(*bytes.Buffer)
	if !ok {
		return new(bytes.Buffer)
	}
	message.Reset()
	return message
}

// exchange sends an encoded request to an address and returns its answer, which is that to req; nil is any request whose answer may have content.
func (p *plainHTTP) exchange(ctx context.Context, addr string, message []byte, req *http.Request) (*http.Response, error) {
	l, err := p.line(ctx, addr)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, l.interrupt)
	resp, err := l.exchange(message, req)
	if err != nil {
		stop()
		l.drop()
		return nil, fmt.Errorf("call %s: %w", addr, cmp.Or(ctx.Err(), err))
	}
	resp.Body = &answerBody{ctx: ctx, from: resp.Body, resp: resp, line: l, stop: stop, idle: &p.idle}
	return resp, nil
}

// line returns a connection to an address: one that waits for a next request, if it is still good, or a new one.
func (p *plainHTTP) line(ctx context.Context, addr string) (*line, error) {
	for l := p.idle.take(addr); l != nil; l = p.idle.take(addr) {
		if l.quiet() {
			return l, nil
		}
		l.drop()
	}
	conn, err := p.dial(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	return newLine(conn, addr), nil
}

// isPlain reports whether requests to a URL may be plain.
func isPlain(u *url.URL) bool { return u.Scheme == "http" && u.Host != "" && u.User == nil }

func hostPort(u *url.URL) string {
	if u.Port() != "" {
		return u.Host
	}
	return net.JoinHostPort(u.Hostname(), "80")
}

// answerBody is the body of an answer. Its end gives the line back; when it is closed before, the line is too.
type answerBody struct {
	ctx  context.Context //nolint:containedctx // of the request; http.Request has it so
	from io.Reader       // not closed: http.ReadResponse's body would read the rest first
	resp *http.Response
	line *line // nil when it is given back or dropped
	stop func() bool
	idle *idleLines
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

// Close drops the line of a body that was not read to its end.
func (b *answerBody) Close() error {
	b.release(false)
	return nil
}

// release ends the exchange. A line that was interrupted, or has more to say, is not kept.
func (b *answerBody) release(keep bool) {
	if b.line == nil {
		return
	}
	if uninterrupted := b.stop(); keep && uninterrupted && b.line.in.Buffered() == 0 {
		b.idle.put(b.line)
	} else {
		b.line.drop()
	}
	b.line = nil
}
