package ddb

import (
	"context"
	"io"
	"net/http"
	"sync/atomic"
)

// outcome says of one call, which the SDK may send several times, whether an attempt may have been carried out unseen.
type outcome struct {
	answered atomic.Bool // an attempt succeeded, as far as its status goes
	lost     atomic.Bool // an attempt got no answer, or one that says nothing
}

type outcomeKey struct{}

// watched returns a context for one call and its outcome.
func watched(ctx context.Context) (context.Context, *outcome) {
	o := new(outcome)
	return context.WithValue(ctx, outcomeKey{}, o), o
}

// watcher is the HTTP client of the SDK. It notes what became of each attempt, which the SDK does not tell.
type watcher struct{ client *http.Client }

// Do sends one attempt.
func (w *watcher) Do(request *http.Request) (*http.Response, error) {
	o, _ := request.Context().Value(outcomeKey{}).(*outcome)
	if o == nil {
		return w.client.Do(request) //nolint:gosec // the SDK makes the URL, from the configuration
	}
	if o.answered.Swap(false) { // and yet here is another attempt: its answer was not understood
		o.lost.Store(true)
	}
	response, err := w.client.Do(request) //nolint:gosec // the SDK makes the URL, from the configuration
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

// watchedBody notes an answer that breaks off.
type watchedBody struct {
	io.ReadCloser
	o *outcome
}

// Read reads from the answer's body.
func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		b.o.lost.Store(true)
	}
	return n, err
}
