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
	turn         chan struct{}            // holds a token of whoever asks the endpoint
	grant        clientcredentials.Config // used by whoever has the turn

	mu      sync.Mutex
	token   auth.Secret // guarded by mu; empty for none
	got     time.Time   // guarded by mu
	renew   time.Time   // guarded by mu; when the next one is asked for
	expires time.Time   // guarded by mu
	pause   time.Time   // guarded by mu; until when nothing is asked, after failure
	failure error       // guarded by mu
}

// secret returns the token of now, and asks for one when there is none or its time is nearly over.
func (t *tokens) secret(ctx context.Context) (auth.Secret, error) {
	if token, err := t.known(); token != "" || err != nil {
		return token, err
	}
	select {
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if token, err := t.known(); token != "" || err != nil { // another got it meanwhile
		return token, err
	}
	token, life, err := t.ask(ctx)
	if err != nil && ctx.Err() != nil {
		return "", ctx.Err() // says nothing about the endpoint
	}
	return t.keep(token, life, err)
}

// known returns the token, or why there is none; neither when the endpoint has to be asked.
func (t *tokens) known() (auth.Secret, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	switch {
	case t.token != "" && now.Before(t.renew):
		return t.token, nil
	case !now.Before(t.pause):
		return "", nil
	case t.token != "" && now.Before(t.expires):
		return t.token, nil
	default:
		return "", t.failed(now)
	}
}

// keep notes what the endpoint answered. After a failure the token of before counts as long as it lasts.
func (t *tokens) keep(token auth.Secret, life time.Duration, err error) (auth.Secret, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	if err != nil {
		t.pause, t.failure = now.Add(tokenPause), err
		if t.token != "" && now.Before(t.expires) {
			return t.token, nil
		}
		return "", t.failed(now)
	}
	t.token, t.got, t.expires, t.renew = token, now, now.Add(life), now.Add(life-min(renewBefore, life/10))
	t.pause, t.failure = time.Time{}, nil
	return token, nil
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
