package registry

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/agentcard"
	"github.com/quorate/quorate/registry/jws"
)

// MaxSigningKeys is how many keys a tenant can pin.
const MaxSigningKeys = 500

const maxKeyAgents = 100

// SigningKey is a public key that admins trust to sign cards.
type SigningKey struct {
	Tenant     string    `json:"-"`
	ID         string    `json:"-"`                // the kid
	JWK        []byte    `json:"jwk"`              // the public key as JSON Web Key
	Agents     []string  `json:"agents,omitempty"` // the agents whose cards it may sign; empty means all of the tenant
	Thumbprint string    `json:"thumbprint"`       // SHA-256 by RFC 7638, base64url
	CreateTime time.Time `json:"created_at"`
}

// SigningKeyStore keeps pinned keys.
type SigningKeyStore interface {
	// PutSigningKey adds a key and, when remember is not nil, remembers the request. For a key id that exists it returns the fault of
	// SigningKeyExists, for a key beyond MaxSigningKeys that of SigningKeysFull, and for a request that is remembered already ErrRequestSeen.
	PutSigningKey(ctx context.Context, key SigningKey, remember *Request) error
	// DeleteSigningKey removes a key and, when remember is not nil, remembers the request. If the key does not exist, ok is false and nothing is
	// written. For a request that is remembered already it returns ErrRequestSeen.
	DeleteSigningKey(ctx context.Context, tenant, id string, remember *Request) (ok bool, err error)
	// SigningKeys returns all keys of the tenant in order of id.
	SigningKeys(ctx context.Context, tenant string) ([]SigningKey, error)
}

// SigningKeyExists returns the AlreadyExists fault for a key id that is taken, with the reason KEY_EXISTS. Stores return it.
func SigningKeyExists(id string) error {
	return fault.New(fault.AlreadyExists, "KEY_EXISTS", "a key %q is pinned already; keys do not change: give a new one a new kid", fault.Clip(id)).
		With("key_id", fault.Clip(id))
}

// SigningKeysFull returns the ResourceExhausted fault for a key beyond MaxSigningKeys, with the reason KEYS_FULL. Stores return it.
func SigningKeysFull() error {
	return fault.New(fault.ResourceExhausted, "KEYS_FULL", "%d keys are pinned, which is the most; remove one first", MaxSigningKeys)
}

// PinSigningKey trusts a public JSON Web Key with a kid to sign cards: those of the named agents, at most 100, or of all agents of the tenant when
// none is named. Existing cards are then checked again, even when the key was pinned already, so that a call that a crash interrupted can be
// repeated. An unusable key is an InvalidArgument fault with the reason KEY_INVALID; other faults are those of SigningKeyExists and SigningKeysFull.
//
// A retry checks the cards again, too: the first request may have been interrupted.
func (w Writer) PinSigningKey(ctx context.Context, tenant string, jwk []byte, agents []string) (SigningKey, error) {
	r := w.registry
	parsed, err := jws.ParseKey(jwk)
	if err != nil {
		return SigningKey{}, fault.Invalid("jwk", "KEY_INVALID", "the key cannot be used: %s", err.Error())
	}
	if len(agents) > maxKeyAgents {
		return SigningKey{}, fault.Invalid("agents", "KEY_INVALID", "a key is for at most %d agents by name", maxKeyAgents)
	}
	for _, name := range agents {
		if !agentcard.ValidName(name) {
			return SigningKey{}, fault.Invalid("agents", "KEY_INVALID", "%q is not an agent's name: %s", fault.Clip(name), agentcard.NameRule)
		}
	}
	store, err := r.signingKeyStore()
	if err != nil {
		return SigningKey{}, err
	}
	key := SigningKey{Tenant: tenant, ID: parsed.ID, JWK: jwk, Agents: agents, Thumbprint: parsed.Thumbprint, CreateTime: r.now().UTC()}
	content, nobody := []any{"pin", json.RawMessage(jwk), agents}, Key{Tenant: tenant}
	ctx, cancel := tillRechecked(ctx)
	defer cancel()
	request, done, err := r.begin(ctx, nobody, w.retry, content)
	if err == nil && !done {
		if err = store.PutSigningKey(ctx, key, request); err != nil && request != nil {
			_, err = r.resolveRace(ctx, nobody, w.retry, content, err)
			done = err == nil
		}
	}
	if err == nil && done {
		key, err = r.signingKey(ctx, tenant, key.ID)
	}
	if err != nil && fault.KindOf(err) != fault.AlreadyExists {
		return SigningKey{}, err
	}
	return key, cmp.Or(r.recheck(ctx, tenant), err)
}

// signingKey returns a pinned key, or the fault of signingKeyMissing.
func (r *Registry) signingKey(ctx context.Context, tenant, id string) (SigningKey, error) {
	keys, err := r.SigningKeys(ctx, tenant)
	if err != nil {
		return SigningKey{}, err
	}
	for _, key := range keys {
		if key.ID == id {
			return key, nil
		}
	}
	return SigningKey{}, signingKeyMissing(id)
}

func signingKeyMissing(id string) error {
	return fault.New(fault.NotFound, "KEY_NOT_FOUND", "no key %q is pinned", fault.Clip(id)).With("key_id", fault.Clip(id))
}

// DeleteSigningKey ends the trust in a pinned key, including cards that it has signed. A key that does not exist is a NotFound fault with the reason
// KEY_NOT_FOUND; cards are checked again even then, so that a call that a crash interrupted can be repeated.
func (w Writer) DeleteSigningKey(ctx context.Context, tenant, id string) error {
	r := w.registry
	store, err := r.signingKeyStore()
	if err != nil {
		return err
	}
	content, nobody := []string{"unpin", id}, Key{Tenant: tenant}
	ctx, cancel := tillRechecked(ctx)
	defer cancel()
	request, done, err := r.begin(ctx, nobody, w.retry, content)
	if err == nil && !done {
		var ok bool
		if ok, err = store.DeleteSigningKey(ctx, tenant, id, request); err == nil && !ok {
			err = signingKeyMissing(id)
		}
		if err != nil && request != nil {
			_, err = r.resolveRace(ctx, nobody, w.retry, content, err)
		}
	}
	if err != nil && fault.KindOf(err) != fault.NotFound {
		return err
	}
	if failed := r.recheck(ctx, tenant); failed != nil {
		return failed
	}
	return err
}

// SigningKeys returns the tenant's pinned keys in order of id.
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
