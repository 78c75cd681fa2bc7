package server

import (
	"net"
	"net/url"
	"time"

	"github.com/quorate/quorate/orchestrator/router"
	"github.com/quorate/quorate/orchestrator/router/embedding"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/netguard"
)

// Embeddings names an endpoint of the OpenAI form that gives a second opinion when words do not decide where a text goes. The zero value is none.
type Embeddings struct {
	URL     string // such as https://api.openai.com/v1; the operator's word, so it may be on a private address
	Model   string
	Key     auth.Secret   // may be empty
	Timeout time.Duration // that a decision waits; default 150 ms
}

// client returns nil when there is no endpoint.
func (e *Embeddings) client() (router.Embedder, error) {
	if e.URL == "" {
		return nil, nil //nolint:nilnil // no second stage is not an error
	}
	policy := &netguard.Policy{AllowOrigins: []string{origin(e.URL)}}
	c, err := embedding.New(e.URL, e.Model, e.Key, policy.Client(netguard.ClientOptions{MaxIdlePerHost: idlePerAgent}))
	if err != nil {
		return nil, err
	}
	return c, nil
}

// origin is a URL's host:port; embedding.New refuses a URL that has none.
func origin(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}
