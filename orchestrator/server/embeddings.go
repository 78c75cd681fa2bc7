package server

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"github.com/quorate/quorate/orchestrator/router"
	"github.com/quorate/quorate/orchestrator/router/embedding"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/netguard"
)

// Embeddings configures an OpenAI-compatible endpoint that gives a second opinion when words do not decide where a text goes. The zero value is none.
type Embeddings struct {
	URL     string // such as https://api.openai.com/v1; set by the operator, so private addresses are allowed
	Model   string
	Key     auth.Secret   // may be empty
	Timeout time.Duration // how long a decision waits; default 150 ms
}

// Try asks the endpoint, which must be configured, for the vector of one word.
func (e *Embeddings) Try(ctx context.Context) error {
	c, err := e.client()
	if err == nil {
		_, err = c.Embed(ctx, []string{"quorate"})
	}
	return err
}

// client returns nil when there is no endpoint.
func (e *Embeddings) client() (router.Embedder, error) {
	if e.URL == "" {
		return nil, nil //nolint:nilnil // no second stage is not an error
	}
	u, err := url.Parse(e.URL)
	if err != nil {
		return nil, fmt.Errorf("read the URL of the embeddings: %w", err)
	}
	c, err := embedding.New(e.URL, e.Model, e.Key, netguard.ForEndpoint(u, nil).Client(netguard.ClientOptions{MaxIdlePerHost: idlePerAgent}))
	if err != nil {
		return nil, err
	}
	return c, nil
}
