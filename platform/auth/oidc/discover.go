package oidc

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/coreos/go-oidc/v3/oidc"

	"github.com/quorate/quorate/platform/netguard"
)

// discover returns the URL of the keys from the provider's configuration.
func discover(ctx context.Context, issuer string) (string, error) {
	provider, err := oidc.NewProvider(ctx, issuer)
	if err != nil {
		return "", err
	}
	var published struct {
		KeysURL string `json:"jwks_uri"`
	}
	if err := provider.Claims(&published); err != nil {
		return "", err
	}
	if !netguard.IsPrivateURL(published.KeysURL) {
		return "", fmt.Errorf("jwks_uri %q is not an https URL", published.KeysURL)
	}
	return published.KeysURL, nil
}

// maxRedirects is the default of net/http.
const maxRedirects = 10

// careful returns a client that sends requests at a limited rate, and follows no redirect to a plain http URL.
func careful(client *http.Client) *http.Client {
	c := *client
	c.Transport = newPaced(client.Transport)
	c.CheckRedirect = func(r *http.Request, via []*http.Request) error {
		switch {
		case !netguard.IsPrivateURL(r.URL.String()):
			return fmt.Errorf("it is redirected to %q, which is not an https URL", r.URL.Redacted())
		case len(via) >= maxRedirects:
			return errors.New("it is redirected too often")
		}
		return nil
	}
	return &c
}
