package rpc

import (
	"context"
	"crypto/sha256"
	"strings"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

// tokenKind is the kind of the tokens that IssueAgentToken makes.
const tokenKind = "agent"

// Tokens returns an authenticator for tokens from IssueAgentToken. The principal has the role agent, the agent's name and its tenant.
func Tokens(r *registry.Registry) auth.Authenticator { return tokens{r} }

type tokens struct{ registry *registry.Registry }

// Authenticate returns the agent with this token, or an Unauthenticated fault with the reason TOKEN_INVALID.
func (t tokens) Authenticate(ctx context.Context, token string) (auth.Principal, error) {
	if !strings.HasPrefix(token, "quorate_"+tokenKind+"_") { // so that tokens of other kinds cause no reads
		return auth.Principal{}, fault.New(fault.Unauthenticated, "TOKEN_INVALID", "the bearer token is not valid")
	}
	tenant, name, err := t.registry.AgentByTokenHash(ctx, sha256.Sum256([]byte(token)))
	if err != nil {
		return auth.Principal{}, err
	}
	return auth.Principal{Tenant: tenant, Name: name, Roles: []auth.Role{auth.RoleAgent}, Credential: auth.CredentialAgent}, nil
}
