package agentauth

import (
	"context"
	"net/http"
	"sync"
	"time"

	"golang.org/x/oauth2/clientcredentials"

	"github.com/quorate/quorate/platform/auth"
)

const (
	renewBefore = time.Minute      // before a token expires, or a tenth of its lifetime if that is shorter
	tokenPause  = 5 * time.Second  // after a failure, before the endpoint is called again
	youngToken  = 30 * time.Second // a younger token is kept when an agent rejects it
)

// tokens keeps the current token and requests the next, one request at a time.
type tokens struct {
	clientSecret source
	client       *http.Client
	grant        clientcredentials.Config // for fetch

	mu      sync.Mutex
	asking  chan struct{} // guarded by mu; closed when the endpoint has answered; nil: no request is in progress
	token   auth.Secret   // guarded by mu; empty for none
	got     time.Time     // guarded by mu
	renew   time.Time     // guarded by mu; when to request the next one
	expires time.Time     // guarded by mu
	pause   time.Time     // guarded by mu; no requests before this time, after a failure
	failure error         // guarded by mu
}

// secret returns the current token. If there is none, one request to the endpoint serves all callers that wait, and does not end with any of their
// contexts: otherwise an endpoint that is slower than their deadlines would never yield a token.
func (t *tokens) secret(ctx context.Context) (auth.Secret, error) {
	for {
		token, over, err := t.known(ctx)
		if over == nil {
			return token, err
		}
		select {
		case <-over:
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

// known returns the token, or why there is none, or a channel that is closed when there is more to know. Shortly before a token expires the next one
// is requested, for which nobody waits while the present one is valid.
func (t *tokens) known(ctx context.Context) (token auth.Secret, over <-chan struct{}, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	lasts := t.token != "" && now.Before(t.expires)
	if lasts && now.Before(t.renew) {
		return t.token, nil, nil
	}
	if t.asking == nil && !now.Before(t.pause) {
		t.asking = make(chan struct{})
		go t.fetch(context.WithoutCancel(ctx), t.asking) // takes at most tokenTimeout
	}
	switch {
	case lasts:
		return t.token, nil, nil
	case t.asking != nil:
		return "", t.asking, nil
	default:
		return "", nil, t.failed(now)
	}
}

// fetch requests a token, and closes over when there is a result.
func (t *tokens) fetch(ctx context.Context, over chan struct{}) {
	defer close(over)
	t.keep(t.ask(ctx))
}

// keep stores the result of a request. After a failure the previous token stays in use until it expires.
func (t *tokens) keep(token auth.Secret, life time.Duration, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	t.asking = nil
	if err != nil {
		t.pause, t.failure = now.Add(tokenPause), err
		return
	}
	t.token, t.got, t.expires, t.renew = token, now, now.Add(life), now.Add(life-min(renewBefore, life/10))
	t.pause, t.failure = time.Time{}, nil
}

// failed returns the fault for a request that cannot be sent now.
func (t *tokens) failed(now time.Time) error {
	f := unavailable("there is no token of %s: %s", t.grant.TokenURL, t.failure)
	f.RetryAfter = t.pause.Sub(now)
	return f
}

// refused drops a token that an agent has rejected, unless it is so new that another would be no better: an agent that rejects everything must not
// cause a token request each time.
func (t *tokens) refused(sent time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.got.After(sent) {
		return true // there is a newer one already
	}
	if time.Since(t.got) < youngToken {
		return false
	}
	t.token = "" // another call may have dropped it already: then the next one is on its way
	return true
}
