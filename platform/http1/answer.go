package http1

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/quorate/quorate/platform/telemetry"
)

var errOver = errors.New("the handler has returned")

// answer is the http.ResponseWriter of a request. A small response is held back until it is complete, so that its length is known. One that is flushed or grows
// larger is sent in chunks.
type answer struct {
	conn     *conn
	cancel   context.CancelFunc // of the request
	header   http.Header
	head     head
	written  int64     // bytes of content, including those beyond the announced length
	deadline time.Time // of writes
	err      error     // of the first write that failed, or errOver
}

var _ http.Flusher = (*answer)(nil)

func newAnswer(c *conn, cancel context.CancelFunc) *answer {
	return &answer{conn: c, cancel: cancel, header: make(http.Header)}
}

// Header returns the header fields that WriteHeader will send.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader sets the status and the header fields. Informational responses are not sent, as a server may choose.
func (a *answer) WriteHeader(code int) {
	switch {
	case code < 100 || code > 999:
		panic(fmt.Sprintf("invalid WriteHeader code %d", code)) // as net/http
	case a.head.status != 0 || a.err != nil:
		a.conn.server.opts.Logger.Warn("superfluous WriteHeader", slog.Int(telemetry.LogStatus, code), slog.String(telemetry.LogAddress, a.conn.address))
	case code >= http.StatusOK:
		a.head.begin(&a.conn.out.ready, code, a.header)
	}
}

// Write writes content. It calls WriteHeader(200) first if nobody has called WriteHeader.
func (a *answer) Write(p []byte) (int, error) {
	a.beginIfNot()
	if len(p) == 0 {
		return 0, nil
	}
	if !a.head.hasContent() {
		return 0, http.ErrBodyNotAllowed
	}
	a.written += int64(len(p))
	if a.head.length != unknown && a.written > a.head.length {
		return 0, http.ErrContentLength
	}
	out := &a.conn.out
	for done := 0; ; {
		if a.err != nil {
			return done, a.err
		}
		n := min(len(p)-done, maxHeld-len(out.held))
		out.held = append(out.held, p[done:done+n]...)
		if done += n; done == len(p) {
			return done, nil
		}
		_ = a.FlushError() // a.err is checked above
	}
}

// Flush sends what was written.
func (a *answer) Flush() { _ = a.FlushError() } // http.Flusher cannot report an error

// FlushError sends what was written.
func (a *answer) FlushError() error {
	a.beginIfNot()
	if a.err != nil {
		return a.err
	}
	out := &a.conn.out
	a.complete()
	out.frame(a.head.chunked)
	return a.send()
}

// SetWriteDeadline sets the deadline of the writes that begin after it.
func (a *answer) SetWriteDeadline(t time.Time) error {
	a.deadline = t
	return nil
}

// SetReadDeadline does nothing: the request has been read already.
func (*answer) SetReadDeadline(time.Time) error { return nil }

func (a *answer) beginIfNot() {
	if a.head.status == 0 && a.err == nil {
		a.WriteHeader(http.StatusOK)
	}
}

// complete encodes the head unless that is done already.
func (a *answer) complete() {
	if !a.head.complete {
		a.head.end(&a.conn.out.ready, a.conn.out.held, a.conn.server.open.stopping.Load())
	}
}

func (a *answer) send() error {
	if a.err = a.conn.out.send(a.deadline); a.err != nil {
		a.cancel() // the caller has disconnected
	}
	return a.err
}

// finish sends the rest of the response, and reports whether the connection can be used for another request.
func (a *answer) finish() bool {
	a.beginIfNot()
	if a.err != nil {
		return false
	}
	out := &a.conn.out
	if a.head.length == unknown && !a.head.complete {
		a.head.length = int64(len(out.held))
	}
	a.complete()
	out.frame(a.head.chunked)
	if a.head.chunked {
		out.ready.WriteString("0\r\n\r\n")
	}
	sent := a.send() == nil
	a.err = errOver
	out.release()
	return sent && !a.head.closes && (a.head.chunked || !a.head.hasContent() || a.head.length == a.written)
}
