package oidc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
)

// renewal is how often the keys are read even if no token requires it.
const renewal = 5 * time.Minute

// publishing fails for an answer without a key. Every provider has one (OpenID Connect Discovery 1.0 §3), so something is wrong with one that publishes none,
// and the known keys stay, as while it is down. Beside a key it leaves out what is none that we know (RFC 7517 §5), for which go-oidc would read no key at all.
type publishing struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (p publishing) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := p.next.RoundTrip(req)
	if err != nil || resp.StatusCode != http.StatusOK {
		return resp, err
	}
	defer func() { _ = resp.Body.Close() }() // which is in memory
	body, err := io.ReadAll(resp.Body)       // which paced has bounded
	if err != nil {
		return nil, err
	}
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if json.Unmarshal(body, &set) == nil { // go-oidc says what is wrong with what is no JSON
		if set.Keys = slices.DeleteFunc(set.Keys, isUnknown); len(set.Keys) == 0 {
			return nil, errors.New("the provider publishes no key, or none of a known type")
		}
		if body, err = json.Marshal(set); err != nil {
			return nil, err
		}
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

func isUnknown(encoded json.RawMessage) bool {
	return json.Unmarshal(encoded, new(jose.JSONWebKey)) != nil
}

// unsigned is a token without a valid signature: verifying it makes go-oidc read the keys and then refuse it.
const unsigned = "eyJhbGciOiJSUzI1NiJ9.e30.AA"

// keys are the provider's published keys. go-oidc reads them only for a token that no known key has signed, and forgets keys only then: without renew, a
// withdrawn key would stay valid as long as all tokens are signed with known keys.
type keys struct {
	fresh func() *oidc.RemoteKeySet // returns one that has read nothing yet
	known atomic.Pointer[oidc.RemoteKeySet]
}

func newKeys(fresh func() *oidc.RemoteKeySet) *keys {
	k := &keys{fresh: fresh}
	k.known.Store(fresh())
	return k
}

// VerifySignature implements oidc.KeySet.
func (k *keys) VerifySignature(ctx context.Context, token string) ([]byte, error) {
	return k.known.Load().VerifySignature(ctx, token)
}

// renew reads the keys and forgets the previous ones. If they cannot be read, the previous ones stay valid.
func (k *keys) renew(ctx context.Context) error {
	fresh := k.fresh()
	_, err := fresh.VerifySignature(ctx, unsigned)
	if err := unreadable(err); err != nil {
		return err
	}
	k.known.Store(fresh)
	return nil
}

// unreadable returns why the keys could not be read when a signature was verified, or nil if that was not the problem: go-oidc wraps such an error, but wraps
// nothing in its error for an invalid signature.
func unreadable(err error) error { return errors.Unwrap(err) }

// Reach reads the provider's keys, and returns an error if they cannot be read.
func (a *Authenticator) Reach(ctx context.Context) error { return a.keys.renew(ctx) }

// Run reads the provider's keys every five minutes until ctx ends, so that a withdrawn key stays valid no longer than that. If they cannot be read, the
// previous ones stay valid, and that is logged. It returns nil.
func (a *Authenticator) Run(ctx context.Context, logger *slog.Logger) error {
	ticker := time.NewTicker(renewal)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		if err := a.keys.renew(ctx); err != nil && ctx.Err() == nil {
			logger.WarnContext(ctx, "the keys of the OpenID Connect provider could not be read again; the previous ones stay in use", slog.Any("error", err))
		}
	}
}
