package auth

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Role is a set of permissions that a principal can have.
type Role string

// The roles.
const (
	RoleAdmin      Role = "admin"      // registers agents and sets policy
	RoleDispatcher Role = "dispatcher" // submits tasks and reads those that it submitted
	RoleAgent      Role = "agent"      // acts only for the agent that has its name
	RoleViewer     Role = "viewer"     // reads
)

// DefaultTenant is the tenant of credentials that name none.
const DefaultTenant = "default"

// Credential is the kind of credential that a caller presented.
type Credential string

// The kinds of credentials.
const (
	CredentialKey   Credential = "api-key"        // a key of a Keyring
	CredentialAgent Credential = "agent-token"    // a token that was issued to an agent
	CredentialOIDC  Credential = "openid-connect" // a token of an OpenID Connect provider
)

// Principal is an authenticated caller.
type Principal struct {
	Tenant     string
	Name       string // for RoleAgent: the name of the agent
	Roles      []Role
	Credential Credential // set by the Authenticator; empty for callers within the program
}

// ReservedPrefix begins the names under which the program itself acts. No credential can have such a name.
const ReservedPrefix = "quorate:"

// Limits of names and tenants in bytes. Both are part of keys in the stores.
const (
	MaxName   = 256
	MaxTenant = 128
)

// Check returns an error if p's name or tenant is not allowed. Code that makes principals from outside input has to call it.
func (p Principal) Check() error {
	switch {
	case strings.HasPrefix(p.Name, ReservedPrefix):
		return fmt.Errorf("the name %.100q begins with %s, which is reserved", p.Name, ReservedPrefix)
	case !isLabel(p.Name, MaxName):
		return fmt.Errorf("the name is not 1 to %d bytes of UTF-8 without control characters", MaxName)
	case !isLabel(p.Tenant, MaxTenant):
		return fmt.Errorf("the tenant is not 1 to %d bytes of UTF-8 without control characters", MaxTenant)
	}
	return nil
}

func isLabel(s string, most int) bool {
	return s != "" && len(s) <= most && utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl)
}

// Is reports whether p has any of the roles.
func (p Principal) Is(roles ...Role) bool {
	return slices.ContainsFunc(roles, func(r Role) bool { return slices.Contains(p.Roles, r) })
}

type contextKey struct{}

// NewContext returns a context that carries p.
func NewContext(ctx context.Context, p Principal) context.Context {
	return context.WithValue(ctx, contextKey{}, p)
}

// FromContext returns the principal that ctx carries; ok is false when the caller is not authenticated.
func FromContext(ctx context.Context) (p Principal, ok bool) {
	p, ok = ctx.Value(contextKey{}).(Principal)
	return p, ok
}
