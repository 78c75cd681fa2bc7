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
	renewBefore = time.Minute      // before a token expires, or a tenth of its life if that is less
	tokenPause  = 5 * time.Second  // after a failure, before the endpoint is asked again
	youngToken  = 30 * time.Second // a token that is younger is not dropped when an agent does not accept it
)

// tokens keeps the token of now and asks for the next, one request at a time.
type tokens struct {
	clientSecret source
	client       *http.Client
	grant        clientcredentials.Config // used by fetch

	mu      sync.Mutex
	asking  chan struct{} // guarded by mu; closed when the endpoint has answered; nil: it is not asked now
	token   auth.Secret   // guarded by mu; empty for none
	got     time.Time     // guarded by mu
	renew   time.Time     // guarded by mu; when the next one is asked for
	expires time.Time     // guarded by mu
	pause   time.Time     // guarded by mu; until when nothing is asked, after failure
	failure error         // guarded by mu
}

// secret returns the token of now. When there is none the endpoint is asked for all who wait, so that none of their contexts ends it: an endpoint that
// takes longer than each of them has would never give one.
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

// known returns the token, or why there is none, or else what is closed when there is more to know. When a token's time is nearly over the next one is asked
// for, and nobody waits for that as long as this one lasts.
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
		go t.fetch(context.WithoutCancel(ctx), t.asking) // no longer than tokenTimeout
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

// fetch asks the endpoint and closes over when it is known what it said.
func (t *tokens) fetch(ctx context.Context, over chan struct{}) {
	defer close(over)
	t.keep(t.ask(ctx))
}

// keep notes what the endpoint answered. After a failure the token of before counts as long as it lasts.
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

// failed is the fault for a request that cannot be sent now.
func (t *tokens) failed(now time.Time) error {
	f := unavailable("there is no token of %s: %s", t.grant.TokenURL, t.failure)
	f.RetryAfter = t.pause.Sub(now)
	return f
}

// refused drops a token that an agent does not accept, unless it is so young that a next one would be no better: an agent that denies everything must
// not make us ask for a token each time.
func (t *tokens) refused(sent time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.got.After(sent) {
		return true // there is another one already
	}
	if t.token == "" || time.Since(t.got) < youngToken {
		return false
	}
	t.token = ""
	return true
}
