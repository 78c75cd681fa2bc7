package agentauth

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/netguard"
)

const (
	tokenTimeout = 10 * time.Second
	maxToken     = 32 << 10  // bytes
	maxTokenLife = time.Hour // also for a token without an expiry
)

// oauth is a token for Quorate itself, by client credentials (RFC 6749 §4.4).
type oauth struct {
	TokenURL     string   `yaml:"tokenURL"`
	ClientID     string   `yaml:"clientID"`
	ClientSecret string   `yaml:"clientSecret"`
	Scopes       []string `yaml:"scopes"`
	Resource     string   `yaml:"resource"` // the agent's URI (RFC 8707), for servers that issue tokens for one resource
	Audience     string   `yaml:"audience"` // the same for servers that call it so, such as Auth0
}

func (o *oauth) credential(c Config) (*Credential, error) {
	u, err := url.Parse(o.TokenURL)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("oauth2.tokenURL: want the URL of the token endpoint, without user, query and fragment")
	case !sendable(o.ClientID):
		return nil, errors.New("oauth2.clientID: want one of visible characters")
	case o.Resource != "" && !isResource(o.Resource):
		return nil, errors.New("oauth2.resource: want an absolute URI without a fragment")
	}
	s, err := openReference(c, o.ClientSecret)
	if err != nil {
		return nil, fmt.Errorf("oauth2.clientSecret: %w", err)
	}
	t := &tokens{
		clientSecret: s,
		grant:        clientcredentials.Config{ClientID: o.ClientID, TokenURL: o.TokenURL, Scopes: o.Scopes, EndpointParams: o.target()},
		client:       netguard.ForEndpoint(u, c.Policy.Resolver).Client(netguard.ClientOptions{Timeout: tokenTimeout}), // set by the operator
	}
	return &Credential{kind: kindOAuth2, scheme: "bearer", in: inHeader, name: "Authorization", form: asBearer, source: t, endpoint: t.client}, nil
}

// isResource reports whether a string may name a resource (RFC 8707 §2).
func isResource(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.IsAbs() && !strings.Contains(s, "#")
}

// target returns the parameters that say what a token is for.
func (o *oauth) target() url.Values {
	v := url.Values{}
	for name, value := range map[string]string{"resource": o.Resource, "audience": o.Audience} {
		if value != "" {
			v.Set(name, value)
		}
	}
	return v
}

// ask requests a token, and returns how long it is valid. Of the endpoint's answer only the error code goes into the error, since the rest may repeat
// the secret.
func (t *tokens) ask(ctx context.Context) (auth.Secret, time.Duration, error) {
	secret, err := t.clientSecret.secret(ctx)
	if err != nil {
		return "", 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, tokenTimeout)
	defer cancel()
	t.grant.ClientSecret = secret.Reveal()
	token, err := t.grant.Token(context.WithValue(ctx, oauth2.HTTPClient, t.client))
	if err != nil {
		return "", 0, withoutAnswer(err)
	}
	life := maxTokenLife
	if !token.Expiry.IsZero() {
		life = min(life, time.Until(token.Expiry))
	}
	switch {
	case len(token.AccessToken) > maxToken || !sendable(token.AccessToken):
		return "", 0, errors.New("it gave a token that no header can hold")
	case !strings.EqualFold(token.Type(), "bearer"):
		return "", 0, errors.New("it gave a token of another type than Bearer")
	case life <= 0:
		return "", 0, errors.New("it gave a token that has expired")
	}
	return auth.Secret(token.AccessToken), life, nil
}

// errorCode matches error codes of RFC 6749 §5.2.
var errorCode = regexp.MustCompile(`^[a-z_]{1,40}$`)

func withoutAnswer(err error) error {
	refusal, ok := errors.AsType[*oauth2.RetrieveError](err)
	switch {
	case !ok:
		return err
	case errorCode.MatchString(refusal.ErrorCode):
		return fmt.Errorf("it answered HTTP %d, %s", refusal.Response.StatusCode, refusal.ErrorCode)
	default:
		return fmt.Errorf("it answered HTTP %d", refusal.Response.StatusCode)
	}
}
