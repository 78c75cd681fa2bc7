package agentclient

import (
	"context"
	"net/http"

	"go.opentelemetry.io/otel/propagation"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator/agentauth"
	"github.com/quorate/quorate/orchestrator/legacy"
)

// Service parameters of every request: the version of A2A and the extensions in use (A2A §3.2.6).
const (
	version    = "1.0"
	extensions = consultation.ExtensionURI
)

// parameters returns A2A's service parameters (A2A §3.2.6), the trace context, and the credential.
func parameters(ctx context.Context, shows *agentauth.Credential) (pairs, error) {
	p := append(make(pairs, 0, 8), "a2a-version", version, "a2a-extensions", requested(ctx)) //nolint:mnd // for all of them with a trace and its state
	propagation.TraceContext{}.Inject(ctx, &p)
	key, value, err := shows.Metadata(ctx)
	if err != nil {
		return nil, err
	}
	if key != "" {
		p.Set(key, value)
	}
	return p, nil
}

// pairs are metadata to send, and a carrier for the trace context: a map would cost more than the rest of the request.
type pairs []string

// Set adds a pair.
func (p *pairs) Set(key, value string) { *p = append(*p, key, value) }

// Get returns "": propagators read nothing while injecting.
func (*pairs) Get(string) string { return "" }

// Keys returns nil, for the same reason.
func (*pairs) Keys() []string { return nil }

// headerOf returns the headers that all requests have.
func headerOf(accept string, content bool) http.Header {
	h := http.Header{"Accept": {accept}, "A2a-Version": {version}, "A2a-Extensions": {extensions}} // in net/http's canonical form
	if content {
		h["Content-Type"] = []string{"application/json"}
	}
	return h
}

// addParameters puts the service parameters of a call into the header of a request.
func (c *caller) addParameters(ctx context.Context, h http.Header) {
	if c.legacy {
		delete(h, "A2a-Extensions")
		h.Set("X-A2A-Extensions", requested(ctx)) // its name before 1.0
		h.Set("A2A-Version", legacy.Version)
		return
	}
	h.Set("A2A-Extensions", requested(ctx))
}
