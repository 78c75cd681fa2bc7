package auth

import (
	"context"
	"crypto/sha256"
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
	mu     sync.RWMutex
	owners map[tokenHash]Principal // guarded by mu
}

type tokenHash [sha256.Size]byte

func hashOf(token string) tokenHash { return sha256.Sum256([]byte(token)) }

// NewKeyring returns an empty keyring.
func NewKeyring() *Keyring { return &Keyring{owners: make(map[tokenHash]Principal)} }

// Add makes p the owner of token, in place of any earlier owner. An empty tenant becomes DefaultTenant; the credential becomes CredentialKey.
func (k *Keyring) Add(token Secret, p Principal) {
	if p.Tenant == "" {
		p.Tenant = DefaultTenant
	}
	k.add(hashOf(token.Reveal()), p)
}

func (k *Keyring) add(hash tokenHash, p Principal) {
	p.Credential = CredentialKey
	k.mu.Lock()
	defer k.mu.Unlock()
	k.owners[hash] = p
}

// Remove makes token invalid. An unknown token is not an error.
func (k *Keyring) Remove(token Secret) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.owners, hashOf(token.Reveal()))
}

// Authenticate returns the owner of token, or an Unauthenticated fault with the reason TOKEN_MISSING or TOKEN_INVALID.
// The time it takes does not depend on how much of the token is right: a token that is nearly right has another hash.
func (k *Keyring) Authenticate(_ context.Context, token string) (Principal, error) {
	if token == "" {
		return Principal{}, fault.New(fault.Unauthenticated, "TOKEN_MISSING", "a bearer token is needed")
	}
	k.mu.RLock()
	defer k.mu.RUnlock()
	if owner, ok := k.owners[hashOf(token)]; ok {
		return owner, nil
	}
	return Principal{}, fault.New(fault.Unauthenticated, "TOKEN_INVALID", "the bearer token is not valid")
}

// Chain returns an Authenticator that tries each of list in turn and returns the first result that is not an Unauthenticated fault. If there is none, it
// returns the first such fault with a cause, or else the last one: most members do not know tokens of other kinds, and have nothing to say about them.
func Chain(list ...Authenticator) Authenticator { return chain(list) }

type chain []Authenticator

// Authenticate returns the result of the first member that knows token. A member that fails for another reason ends the search.
func (c chain) Authenticate(ctx context.Context, token string) (Principal, error) {
	refusal := fault.New(fault.Unauthenticated, "TOKEN_INVALID", "the bearer token is not valid")
	for _, a := range c {
		p, err := a.Authenticate(ctx, token)
		if err == nil || fault.KindOf(err) != fault.Unauthenticated {
			return p, err
		}
		if refusal.Cause == nil {
			refusal = fault.From(err)
		}
	}
	return Principal{}, refusal
}
