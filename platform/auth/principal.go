package auth

import (
	"context"
	"slices"
)

// Role is what a principal is trusted with.
type Role string

// The roles.
const (
	RoleAdmin      Role = "admin"      // registers agents and sets policy
	RoleDispatcher Role = "dispatcher" // submits tasks and reads what it submitted
	RoleAgent      Role = "agent"      // acts for the agent of its own name only
	RoleViewer     Role = "viewer"     // reads
)

// DefaultTenant is the tenant of a credential that names none.
const DefaultTenant = "default"

// Principal is an authenticated caller.
type Principal struct {
	Tenant string
	Name   string // for RoleAgent: the name of the agent
	Roles  []Role
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
