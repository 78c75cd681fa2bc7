package webfetch

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/quorate/quorate/agents/webfetch/allowlist"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/bounded"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
)

const tokenTimeout = 15 * time.Second

// Credential is a secret for some hosts. A request refers to it by name and never contains it. One of Username, Token and OAuth is set.
type Credential struct {
	Hosts     []string // it is sent to these hosts only; in the form of allowlist.Parse
	AllowHTTP bool     // send it over plain HTTP too

	Username string // HTTP basic, with Password
	Password auth.Secret
	Token    auth.Secret // bearer
	OAuth    *OAuth
}

// OAuth gets bearer tokens by the client credentials grant (RFC 6749 section 4.4).
type OAuth struct {
	TokenURL     string
	ClientID     string
	ClientSecret auth.Secret
	Scopes       []string
}

// credential is a checked Credential.
type credential struct {
	Credential

	hosts  *allowlist.List
	tokens *tokens // nil without OAuth
}

func newCredentials(list map[string]Credential, policy *netguard.Policy) (map[string]*credential, error) {
	checked := make(map[string]*credential, len(list))
	for name, c := range list {
		kinds := 0
		for _, set := range []bool{c.Username != "", c.Token != "", c.OAuth != nil} {
			if set {
				kinds++
			}
		}
		if kinds != 1 || len(c.Hosts) == 0 {
			return nil, fault.Invalid("credentials", ReasonRequestInvalid, "the credential %q needs hosts and one of a user name, a token and OAuth", name)
		}
		hosts, err := allowlist.New(&allowlist.Memory{}, c.Hosts...)
		if err != nil {
			return nil, fmt.Errorf("credential %q: %w", name, err)
		}
		checked[name] = &credential{Credential: c, hosts: hosts}
		if c.OAuth == nil {
			continue
		}
		if checked[name].tokens, err = c.OAuth.tokens(policy); err != nil {
			return nil, fmt.Errorf("credential %q: %w", name, err)
		}
	}
	return checked, nil
}

// tokens gets bearer tokens and keeps each until it expires.
type tokens struct {
	config clientcredentials.Config
	client *http.Client

	turn  chan struct{} // a mutex that can be waited for with a context: whoever renews the token holds its one place
	token *oauth2.Token // guarded by turn
}

// tokens returns a source of tokens. The endpoint is set by the operator, so internal addresses are allowed.
func (o *OAuth) tokens(policy *netguard.Policy) (*tokens, error) {
	endpoint, err := url.Parse(o.TokenURL)
	if err != nil || endpoint.Host == "" || endpoint.User != nil {
		return nil, fault.Invalid("credentials", ReasonRequestInvalid, "its token URL cannot be read")
	}
	return &tokens{
		config: clientcredentials.Config{ClientID: o.ClientID, ClientSecret: o.ClientSecret.Reveal(), TokenURL: o.TokenURL, Scopes: o.Scopes},
		client: netguard.ForEndpoint(endpoint, policy.Resolver).Client(netguard.ClientOptions{Timeout: tokenTimeout}),
		turn:   make(chan struct{}, 1),
	}, nil
}

// get returns a valid token. Concurrent callers wait for the first one to get it, each as long as its context allows.
func (t *tokens) get(ctx context.Context) (string, error) {
	select {
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if t.token.Valid() {
		return t.token.AccessToken, nil
	}
	token, err := t.config.Token(context.WithValue(ctx, oauth2.HTTPClient, t.client))
	if err != nil {
		return "", withoutBody(err)
	}
	t.token = token
	return token.AccessToken, nil
}

// authorise adds the credential of the plan to the headers of a request for u.
func (f *Fetcher) authorise(ctx context.Context, p plan, u *url.URL, h http.Header) error {
	if p.Credential == "" {
		return nil
	}
	c := f.credentials[p.Credential]
	if c == nil {
		return failure(fault.InvalidArgument, ReasonAuth, u, "there is no credential %q", bounded.Characters(p.Credential, 40))
	}
	_, forHost, err := c.hosts.Allows(ctx, auth.DefaultTenant, u)
	if err != nil {
		return err
	}
	switch {
	case !forHost:
		return failure(fault.PermissionDenied, ReasonAuth, u, "the credential %q is for other hosts: leave it out here", p.Credential)
	case u.Scheme != "https" && !c.AllowHTTP:
		return failure(fault.PermissionDenied, ReasonAuth, u, "the credential %q is sent over https only: ask for the page's https URL, or have an operator set allow_http for it", p.Credential)
	}
	switch {
	case c.tokens != nil:
		token, err := c.tokens.get(ctx)
		if err != nil {
			failed := failure(fault.Unauthenticated, ReasonAuth, u, "no token for the credential %q could be had; ask an operator", p.Credential)
			failed.Cause = err
			return failed
		}
		h.Set("Authorization", "Bearer "+token)
	case c.Token != "":
		h.Set("Authorization", "Bearer "+c.Token.Reveal())
	default:
		h.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(c.Username+":"+c.Password.Reveal())))
	}
	return nil
}

// withoutBody removes the body of the token endpoint's answer from an error: it must not be logged.
func withoutBody(err error) error {
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		return fmt.Errorf("the token endpoint answered %s %s", refused.Response.Status, refused.ErrorCode)
	}
	return err
}
