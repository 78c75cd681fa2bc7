package rpcserver

import (
	"context"
	"io"
	"net/http"

	"github.com/quorate/quorate/platform/share"
)

// arriving counts what has arrived of a large body as waiting in the line: its sender may take a minute to send the rest.
type arriving struct {
	io.ReadCloser
	line   *share.Bytes[caller]
	sender caller
	read   int // bytes
	taken  int // bytes of the line
}

// readAll reads a body whose sender is known. It returns a ResourceExhausted fault with the reason REQUESTS_WAITING when too much of the sender waits.
func (t *turns) readAll(ctx context.Context, body io.Reader) ([]byte, error) {
	a := t.count(ctx, io.NopCloser(body))
	defer a.done()
	return io.ReadAll(a)
}

// count returns a body that is counted until it is done with.
func (t *turns) count(ctx context.Context, body io.ReadCloser) *arriving {
	return &arriving{ReadCloser: body, line: t.line, sender: sender(ctx)}
}

func (a *arriving) done() { a.line.Resize(a.sender, a.taken, 0) }

// Read reads, and counts. What is too much it discards, since many clients read an answer only after they have sent everything.
func (a *arriving) Read(p []byte) (int, error) {
	n, err := a.ReadCloser.Read(p)
	for a.read += n; a.read-a.taken >= largeRequest; a.taken += largeRequest {
		if has, ok := a.line.Resize(a.sender, 0, largeRequest); !ok {
			_, _ = io.Copy(io.Discard, a.ReadCloser) // limitBody bounds its size and time
			return n, requestsWaiting(has)
		}
	}
	return n, err
}

// ReadBody reads the body of a request for a handler that is not behind Authenticated. If it is larger than 1 KiB or of unknown length, its caller is authenticated
// first. An error is that of reading it, of the caller's credentials, or a ResourceExhausted fault with the reason REQUESTS_WAITING.
func (s *Server) ReadBody(r *http.Request) ([]byte, error) {
	if err := s.checkBody(r); err != nil {
		return nil, err
	}
	if r.ContentLength >= 0 && r.ContentLength < largeRequest {
		return io.ReadAll(r.Body)
	}
	return s.turns.readAll(r.Context(), r.Body)
}
