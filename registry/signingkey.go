package registry

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/jws"
)

// MaxSigningKeys is how many keys a tenant can pin.
const MaxSigningKeys = 500

const maxKeyAgents = 100

// SigningKey is a public key that an admin trusts to sign cards.
type SigningKey struct {
	Tenant     string    `json:"-"`
	ID         string    `json:"-"`                // the kid
	JWK        []byte    `json:"jwk"`              // the public key as JSON Web Key
	Agents     []string  `json:"agents,omitempty"` // the agents whose cards it signs; none means all of the tenant
	Thumbprint string    `json:"thumbprint"`       // SHA-256 as RFC 7638 says, base64url
	CreateTime time.Time `json:"created_at"`
}

// SigningKeyStore keeps the keys that admins pin.
type SigningKeyStore interface {
	// PutSigningKey adds a key; one whose id is there already is the fault of SigningKeyExists, and one more than MaxSigningKeys that of SigningKeysFull.
	PutSigningKey(ctx context.Context, key SigningKey) error
	// DeleteSigningKey removes a key; ok is false when it is not there.
	DeleteSigningKey(ctx context.Context, tenant, id string) (ok bool, err error)
	// SigningKeys returns all keys of the tenant in order of id.
	SigningKeys(ctx context.Context, tenant string) ([]SigningKey, error)
}

// SigningKeyExists returns the AlreadyExists fault for a key whose id is taken, with the reason KEY_EXISTS; stores return it.
func SigningKeyExists(id string) error {
	return fault.New(fault.AlreadyExists, "KEY_EXISTS", "a key %q is pinned already; keys do not change: give a new one a new kid", clip(id)).
		With("key_id", clip(id))
}

// SigningKeysFull returns the ResourceExhausted fault for a key more than MaxSigningKeys, with the reason KEYS_FULL; stores return it.
func SigningKeysFull() error {
	return fault.New(fault.ResourceExhausted, "KEYS_FULL", "%d keys are pinned, which is the most; remove one first", MaxSigningKeys)
}

// PinSigningKey trusts a public JSON Web Key with a kid to sign cards: those of at most 100 agents by name, or of all of the tenant when none
// is named. Cards that are there already are checked again. A key that cannot be used is an InvalidArgument fault with the reason KEY_INVALID;
// the others are those of SigningKeyExists and SigningKeysFull.
func (r *Registry) PinSigningKey(ctx context.Context, tenant string, jwk []byte, agents []string) (SigningKey, error) {
	parsed, err := jws.ParseKey(jwk)
	if err != nil {
		return SigningKey{}, fault.Invalid("jwk", "KEY_INVALID", "the key cannot be used: %s", err.Error())
	}
	if len(agents) > maxKeyAgents {
		return SigningKey{}, fault.Invalid("agents", "KEY_INVALID", "a key is for at most %d agents by name", maxKeyAgents)
	}
	for _, name := range agents {
		if !namePattern.MatchString(name) {
			return SigningKey{}, fault.Invalid("agents", "KEY_INVALID", "%q is not an agent's name: %s", clip(name), nameRule)
		}
	}
	store, err := r.signingKeyStore()
	if err != nil {
		return SigningKey{}, err
	}
	key := SigningKey{Tenant: tenant, ID: parsed.ID, JWK: jwk, Agents: agents, Thumbprint: parsed.Thumbprint, CreateTime: r.now().UTC()}
	if err := store.PutSigningKey(ctx, key); err != nil {
		return SigningKey{}, err
	}
	return key, r.recheck(ctx, tenant)
}

// DeleteSigningKey ends the trust in a pinned key, also for cards that it has signed. A key that is not there is a NotFound fault with the
// reason KEY_NOT_FOUND; cards are checked again all the same, so that a call that was cut short can be made again.
func (r *Registry) DeleteSigningKey(ctx context.Context, tenant, id string) error {
	store, err := r.signingKeyStore()
	if err != nil {
		return err
	}
	ok, err := store.DeleteSigningKey(ctx, tenant, id)
	if err != nil {
		return err
	}
	if err := r.recheck(ctx, tenant); err != nil {
		return err
	}
	if !ok {
		return fault.New(fault.NotFound, "KEY_NOT_FOUND", "no key %q is pinned", clip(id)).With("key_id", clip(id))
	}
	return nil
}

// SigningKeys returns all keys that the tenant's admins have pinned, in order of id.
func (r *Registry) SigningKeys(ctx context.Context, tenant string) ([]SigningKey, error) {
	store, err := r.signingKeyStore()
	if err != nil {
		return nil, err
	}
	return store.SigningKeys(ctx, tenant)
}

func (r *Registry) signingKeyStore() (SigningKeyStore, error) {
	if r.keys == nil {
		return nil, unsupported("keys of cards")
	}
	return r.keys, nil
}

// keysFor returns the keys that may sign the agent's card.
func (r *Registry) keysFor(ctx context.Context, agent Key) ([]jws.Key, error) {
	if r.keys == nil {
		return nil, nil // nothing can be pinned
	}
	pinned, err := r.keys.SigningKeys(ctx, agent.Tenant)
	if err != nil {
		return nil, err
	}
	var keys []jws.Key
	for _, key := range pinned {
		if len(key.Agents) > 0 && !slices.Contains(key.Agents, agent.Name) {
			continue
		}
		parsed, err := jws.ParseKey(key.JWK)
		if err != nil {
			r.logger.WarnContext(ctx, "pinned key left out", slog.String("key_id", key.ID), slog.Any("error", err))
			continue
		}
		keys = append(keys, parsed)
	}
	return keys, nil
}

// recheck checks the signatures of all signed cards of the tenant again. What they come to is noted, and no card is taken away:
// whether an agent whose key is gone may still get work is for the router's policy.
func (r *Registry) recheck(ctx context.Context, tenant string) error {
	q := Query{Tenant: tenant, Limit: probeChunk}
	for {
		records, err := r.store.Agents(ctx, q)
		if err != nil {
			return err
		}
		for i := range records {
			if records[i].Verification.State != VerificationUnsigned {
				if err := r.recheckAgent(ctx, records[i]); err != nil {
					return err
				}
			}
		}
		if len(records) < q.Limit {
			return nil
		}
		q.After = records[len(records)-1].Key()
	}
}

func (r *Registry) recheckAgent(ctx context.Context, seen Record) error {
	v, err := r.verify(ctx, seen.Key(), seen.RawCard)
	if err != nil {
		return err
	}
	if v.State == seen.Verification.State && v.KeyID == seen.Verification.KeyID {
		return nil
	}
	err = r.store.Update(ctx, seen.Key(), func(old *Record) (Change, error) {
		if old == nil {
			return Change{}, Missing(seen.Key())
		}
		next := *old
		if old.Etag != seen.Etag { // whoever wrote it has checked its card
			return Change{Record: &next}, nil
		}
		v.Required = old.Verification.Required || v.State == VerificationVerified
		next.Verification = v
		return r.write(old, &next)
	})
	if fault.KindOf(err) == fault.NotFound { // deleted meanwhile
		return nil
	}
	return err
}
