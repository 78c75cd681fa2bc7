package auth

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"sync"

	"github.com/quorate/quorate/platform/fault"
)

// Authenticator finds the owner of a bearer token. For an unknown token it returns an Unauthenticated fault.
type Authenticator interface {
	Authenticate(ctx context.Context, token string) (Principal, error)
}

var _ Authenticator = (*Keyring)(nil)

// Keyring is an Authenticator for a set of tokens, of which it keeps only the SHA-256 hashes. It is safe for concurrent use.
//
// Tokens are random, so a fast hash suffices; with a slow one, strangers could waste our CPU time by sending wrong tokens.
type Keyring struct {
	mu   sync.RWMutex
	keys map[uint64][]key // guarded by mu; by the first bytes of the hash
}

type key struct {
	hash  [sha256.Size]byte
	owner Principal
}

// NewKeyring returns an empty keyring.
func NewKeyring() *Keyring { return &Keyring{keys: make(map[uint64][]key)} }

// Add makes p the owner of token, in place of any earlier owner. An empty tenant becomes DefaultTenant; the credential becomes CredentialKey.
func (k *Keyring) Add(token Secret, p Principal) {
	if p.Tenant == "" {
		p.Tenant = DefaultTenant
	}
	_, hash := locate(token.Reveal())
	k.add(key{hash, p})
}

func (k *Keyring) add(entry key) {
	slot := slotOf(entry.hash)
	entry.owner.Credential = CredentialKey
	k.mu.Lock()
	defer k.mu.Unlock()
	k.keys[slot] = append(without(k.keys[slot], entry.hash), entry)
}

// Remove makes token invalid. An unknown token is not an error.
func (k *Keyring) Remove(token Secret) {
	slot, hash := locate(token.Reveal())
	k.mu.Lock()
	defer k.mu.Unlock()
	if rest := without(k.keys[slot], hash); len(rest) > 0 {
		k.keys[slot] = rest
	} else {
		delete(k.keys, slot)
	}
}

// Authenticate returns the owner of token, or an Unauthenticated fault with the reason TOKEN_MISSING or TOKEN_INVALID.
// The time it takes does not depend on how much of the token is right.
func (k *Keyring) Authenticate(_ context.Context, token string) (Principal, error) {
	if token == "" {
		return Principal{}, fault.New(fault.Unauthenticated, "TOKEN_MISSING", "a bearer token is needed")
	}
	slot, hash := locate(token)
	k.mu.RLock()
	defer k.mu.RUnlock()
	for _, candidate := range k.keys[slot] {
		if subtle.ConstantTimeCompare(candidate.hash[:], hash[:]) == 1 {
			return candidate.owner, nil
		}
	}
	return Principal{}, fault.New(fault.Unauthenticated, "TOKEN_INVALID", "the bearer token is not valid")
}

func locate(token string) (slot uint64, hash [sha256.Size]byte) {
	hash = sha256.Sum256([]byte(token))
	return slotOf(hash), hash
}

func slotOf(hash [sha256.Size]byte) uint64 { return binary.BigEndian.Uint64(hash[:]) }

// without returns keys without the one that has the hash.
func without(keys []key, hash [sha256.Size]byte) []key {
	var rest []key
	for _, k := range keys {
		if k.hash != hash {
			rest = append(rest, k)
		}
	}
	return rest
}

// Chain returns an Authenticator that tries each of list in turn and returns the first result that is not an Unauthenticated fault.
func Chain(list ...Authenticator) Authenticator { return chain(list) }

type chain []Authenticator

// Authenticate returns the result of the first member that knows token. A member that fails for another reason ends the search.
func (c chain) Authenticate(ctx context.Context, token string) (Principal, error) {
	var last error
	for _, a := range c {
		p, err := a.Authenticate(ctx, token)
		if err == nil || fault.KindOf(err) != fault.Unauthenticated {
			return p, err
		}
		last = err
	}
	if last == nil { // there is no member
		last = fault.New(fault.Unauthenticated, "TOKEN_INVALID", "the bearer token is not valid")
	}
	return Principal{}, last
}
