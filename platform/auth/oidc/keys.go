package oidc

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
)

// renewal is the time between two readings of the keys though nothing asks for them.
const renewal = 5 * time.Minute

// unsigned is a token that nobody signed: it has the keys read, and is refused.
const unsigned = "eyJhbGciOiJSUzI1NiJ9.e30.AA"

// keys are those that the provider publishes. go-oidc reads them for a token that none of those that it knows has signed, and only then forgets any: without
// renew, one that the provider has withdrawn counts as long as everybody uses the old ones.
type keys struct {
	fresh func() *oidc.RemoteKeySet // which has read nothing yet
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

// renew reads the keys and forgets those of before. If they cannot be read, those of before stay.
func (k *keys) renew(ctx context.Context) error {
	fresh := k.fresh()
	_, err := fresh.VerifySignature(ctx, unsigned)
	if err := unreadable(err); err != nil {
		return err
	}
	k.known.Store(fresh)
	return nil
}

// unreadable says why keys could not be read for a signature: go-oidc wraps that, and wraps nothing in its error for a signature that does not hold.
func unreadable(err error) error { return errors.Unwrap(err) }

// Run reads the provider's keys every five minutes until ctx ends, so that one that was withdrawn counts no longer than that. When they cannot be read, those of
// before count, and logger is told. It returns nil.
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
			logger.WarnContext(ctx, "the keys of the OpenID Connect provider could not be read again; those of before count", slog.Any("error", err))
		}
	}
}
