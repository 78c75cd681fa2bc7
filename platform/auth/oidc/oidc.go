// Package oidc authenticates callers by the signed tokens (JWT) of an OpenID Connect provider.
//
// Only public-key signatures by the keys that the provider publishes are accepted; issuer, audience and times of a token must be valid.
// Tenant and roles of its owner are those in the token's claims, so the provider must not let users choose these claims themselves.
package oidc

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/bounded"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
)

// Config says which provider's tokens are accepted, and what their claims mean. The zero value has no provider.
type Config struct {
	Issuer      string `yaml:"issuer" doc:"URL of the OpenID Connect provider whose tokens are accepted; empty for none."`
	Audience    string `yaml:"audience" doc:"Audience that tokens must have: that of this API. Do not use the id of a client: its ID tokens would be accepted."`
	KeysURL     string `yaml:"keysURL" doc:"URL of the provider's keys; empty: from the provider's configuration, which is read at the start."`
	NameClaim   string `yaml:"nameClaim" doc:"Claim with the caller's name; for the role agent it is the agent's name."`
	RolesClaim  string `yaml:"rolesClaim" doc:"Claim with the caller's roles, as a list or separated by spaces: admin, dispatcher, agent, viewer; other values are ignored."`
	TenantClaim string `yaml:"tenantClaim" doc:"Claim with the caller's tenant; empty: every caller belongs to the default tenant."`
}

// DefaultConfig returns a configuration without a provider, with the usual claims.
func DefaultConfig() Config { return Config{NameClaim: "sub", RolesClaim: "roles"} }

// Validate returns an InvalidArgument fault for a configuration that cannot be applied, and for one of which nothing would be used.
func (c *Config) Validate() error {
	if c.Issuer == "" {
		if *c != (Config{}) && *c != DefaultConfig() {
			return fault.Invalid("issuer", "CONFIG_INVALID", "audience, keysURL, nameClaim, rolesClaim and tenantClaim need an issuer")
		}
		return nil
	}
	for name, text := range map[string]string{"issuer": c.Issuer, "keysURL": c.KeysURL} {
		u, err := url.Parse(text)
		switch {
		case text == "":
		case err == nil && u.User != nil:
			return fault.Invalid(name, "CONFIG_INVALID", "the URL has a user, which is not used: leave it out")
		case !netguard.IsPrivateURL(text): // perhaps one with a password, which must not be repeated
			return fault.Invalid(name, "CONFIG_INVALID", "it is not an https URL")
		case name == "issuer" && (u.RawQuery != "" || u.Fragment != ""): // OpenID Connect Core 1.0, section 2
			return fault.Invalid(name, "CONFIG_INVALID", "%q has a query or a fragment, which no issuer has", text)
		}
	}
	if c.Audience == "" || c.NameClaim == "" || c.RolesClaim == "" {
		return fault.Invalid("audience", "CONFIG_INVALID", "an issuer needs an audience, a nameClaim and a rolesClaim")
	}
	return nil
}

// algorithms are those with a public key. Accepting others would let a token choose one that treats a public key as a shared secret.
var algorithms = []string{oidc.RS256, oidc.RS384, oidc.RS512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.EdDSA}

// maxToken is the longest token that is verified, in bytes.
const maxToken = 16 << 10

// Authenticator is an auth.Authenticator for the tokens of one provider.
type Authenticator struct {
	config   Config
	keys     *keys
	verifier *oidc.IDTokenVerifier
}

var _ auth.Authenticator = (*Authenticator)(nil)

// New returns an authenticator. Without a KeysURL it reads the provider's configuration. It reads keys through client, ignoring its CheckRedirect, when they are
// needed; a new key is found within five seconds. Run forgets withdrawn keys.
func New(ctx context.Context, c Config, client *http.Client) (*Authenticator, error) {
	client = careful(client)
	keysURL := c.KeysURL
	if keysURL == "" {
		found, err := discover(oidc.ClientContext(ctx, client), c.Issuer)
		if err != nil {
			message := fmt.Sprintf("the configuration of the OpenID Connect provider %s cannot be read; with auth.oidc.keysURL it is not needed", c.Issuer)
			return nil, &fault.Error{Kind: fault.Unavailable, Reason: "OIDC_UNAVAILABLE", Message: message, Cause: err}
		}
		keysURL = found
	}
	ctx = oidc.ClientContext(ctx, &http.Client{Transport: publishing{client.Transport}, CheckRedirect: client.CheckRedirect, Timeout: client.Timeout})
	k := newKeys(func() *oidc.RemoteKeySet { return oidc.NewRemoteKeySet(ctx, keysURL) })
	check := &oidc.Config{ClientID: c.Audience, SupportedSigningAlgs: algorithms}
	return &Authenticator{c, k, oidc.NewVerifier(c.Issuer, k, check)}, nil
}

// Authenticate returns the owner of a token, or an Unauthenticated fault with the reason TOKEN_INVALID. A valid token without any of our
// roles is a PermissionDenied fault with the reason ROLE_MISSING. A token that is signed with an unknown key, while the provider cannot
// be asked for newer keys, is an Unavailable fault with the reason OIDC_UNAVAILABLE.
func (a *Authenticator) Authenticate(ctx context.Context, token string) (auth.Principal, error) {
	if strings.Count(token, ".") != 2 || len(token) > maxToken {
		return auth.Principal{}, invalid(nil)
	}
	verified, err := a.verifier.Verify(ctx, token)
	if err != nil {
		return auth.Principal{}, a.refuse(ctx, token, err)
	}
	if kind := kindOf(token); !slices.Contains(kinds, kind) {
		return auth.Principal{}, invalid(fmt.Errorf("its type is %.100q", kind))
	}
	var claims map[string]any
	if err := verified.Claims(&claims); err != nil {
		return auth.Principal{}, invalid(err)
	}
	p := auth.Principal{Tenant: auth.DefaultTenant, Roles: roles(claims[a.config.RolesClaim]), Credential: auth.CredentialOIDC}
	p.Name, _ = claims[a.config.NameClaim].(string)
	if a.config.TenantClaim != "" {
		p.Tenant, _ = claims[a.config.TenantClaim].(string)
	}
	if err := p.Check(); err != nil {
		return auth.Principal{}, invalid(fmt.Errorf("claims %q and %q: %w", a.config.NameClaim, a.config.TenantClaim, err))
	}
	if len(p.Roles) == 0 {
		return auth.Principal{}, fault.New(fault.PermissionDenied, "ROLE_MISSING", "the token's claim %s names no role", a.config.RolesClaim)
	}
	return p, nil
}

// kinds are the accepted types of JWTs: none, the generic type, and access tokens (RFC 9068 §2.1). Other tokens that a provider signs, such as logout tokens, may
// have the same audience but do not identify a caller (RFC 8725 §3.11).
var kinds = []string{"", "jwt", "at+jwt"}

// kindOf returns the type in the header of a verified token, in lower case.
func kindOf(token string) string {
	first, _, _ := strings.Cut(token, ".")
	var header struct {
		Type string `json:"typ"`
	}
	text, err := base64.RawURLEncoding.DecodeString(first)
	if err == nil {
		err = json.Unmarshal(text, &header)
	}
	if err != nil {
		return "unreadable"
	}
	return strings.TrimPrefix(strings.ToLower(header.Type), "application/") // the prefix is optional (RFC 7515 §4.1.9)
}

// refuse returns the error for a token that was not verified. It finds out whether the keys could not be read, which go-oidc's error does not tell. That a
// token has expired is found last, and its owner may know: only the provider can have made it, for us.
func (a *Authenticator) refuse(ctx context.Context, token string, err error) error {
	if e, expired := errors.AsType[*oidc.TokenExpiredError](err); expired && !e.Expiry.IsZero() {
		message := fmt.Sprintf("the bearer token expired at %s; get a new one", e.Expiry.UTC().Format(time.RFC3339))
		return &fault.Error{Kind: fault.Unauthenticated, Reason: "TOKEN_INVALID", Message: message, Cause: e} // by its cause, auth.Chain knows that we have something to say
	}
	_, again := a.keys.VerifySignature(ctx, token) // answered from the response that the provider has just given
	if trouble := unreadable(again); trouble != nil {
		return &fault.Error{Kind: fault.Unavailable, Reason: "OIDC_UNAVAILABLE", Message: "the keys of the OpenID Connect provider cannot be read; try again", Cause: trouble}
	}
	return invalid(err)
}

// maxCause is how many bytes the log says about a token. Its cause may repeat what a stranger wrote into the token.
const maxCause = 512

func invalid(cause error) error {
	e := fault.New(fault.Unauthenticated, "TOKEN_INVALID", "the bearer token is not valid")
	if cause != nil {
		e.Cause = errors.New(bounded.Text(cause.Error(), maxCause))
	}
	return e
}

// roles returns those roles of ours that a claim names.
func roles(claim any) (list []auth.Role) {
	var words []string
	switch v := claim.(type) {
	case string:
		words = strings.Fields(v)
	case []any:
		for _, item := range v {
			if word, ok := item.(string); ok {
				words = append(words, word)
			}
		}
	}
	for _, word := range words {
		if found, err := auth.ParseRoles(word); err == nil {
			list = append(list, found...)
		}
	}
	return list
}
