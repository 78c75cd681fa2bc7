package ddb

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// outcome says whether an attempt of a call, which the SDK may send several times, may have been performed without the SDK noticing.
type outcome struct {
	answered atomic.Bool // an attempt succeeded, by its HTTP status
	lost     atomic.Bool // an attempt got no response, or one that does not tell what happened
}

type outcomeKey struct{}

// watched returns a context for one call, and the outcome that is recorded for it.
func watched(ctx context.Context) (context.Context, *outcome) {
	o := new(outcome)
	return context.WithValue(ctx, outcomeKey{}, o), o
}

// watcher is the HTTP client of the SDK. It records the outcome of each attempt, which the SDK does not report, and when the response was made.
type watcher struct {
	client *http.Client
	clock  *clock
}

// Do sends one attempt.
func (w *watcher) Do(request *http.Request) (*http.Response, error) {
	o, _ := request.Context().Value(outcomeKey{}).(*outcome)
	if o == nil {
		return w.send(request)
	}
	if o.answered.Swap(false) { // the SDK tries again after a success, so it could not decode that response
		o.lost.Store(true)
	}
	response, err := w.send(request)
	switch {
	case err != nil || response.StatusCode >= http.StatusInternalServerError:
		o.lost.Store(true)
	case response.StatusCode < http.StatusMultipleChoices:
		o.answered.Store(true)
	}
	if err == nil {
		response.Body = &watchedBody{response.Body, o}
	}
	return response, err
}

// send sends one attempt, and notes when the response was made.
func (w *watcher) send(request *http.Request) (*http.Response, error) {
	sent := time.Now()
	response, err := w.client.Do(request) //nolint:gosec // the SDK makes the URL, from the configuration
	if err == nil {
		w.clock.saw(response, sent)
		response.Body = limitedBody{response.Body, request.Context()}
	}
	return response, err
}

// limitedBody is a response that may take too long, or break off. The first looks like the end of the caller's context, and the second like an answer that cannot be
// decoded, so they become other errors.
type limitedBody struct {
	io.ReadCloser
	ctx context.Context //nolint:containedctx // of the caller; a reader has none
}

// Read reads from the response's body.
func (b limitedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, context.DeadlineExceeded) && b.ctx.Err() == nil {
		err = haltedError{}
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = cutError{err}
	}
	return n, err
}

// haltedError is a timeout, after which the SDK tries again.
type haltedError struct{}

func (haltedError) Error() string   { return "the answer did not come in time" }
func (haltedError) Timeout() bool   { return true }
func (haltedError) Temporary() bool { return true }

// cutError is an answer that breaks off, after which the SDK tries again, as after a connection that is reset.
type cutError struct{ error }

func (cutError) Temporary() bool { return true }

// watchedBody records a response that breaks off.
type watchedBody struct {
	io.ReadCloser
	o *outcome
}

// Read reads from the response's body.
func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		b.o.lost.Store(true)
	}
	return n, err
}
