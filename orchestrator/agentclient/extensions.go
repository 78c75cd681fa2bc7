package agentclient

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/quorate/quorate/orchestrator/legacy"
)

// maxExtensions bounds how many extensions a call requests, and maxExtension the bytes of each; others are left out.
const (
	maxExtensions = 32
	maxExtension  = 256
)

// extensionsKey is the key of the header value that WithExtensions makes.
type extensionsKey struct{}

// WithExtensions returns a context in which calls to agents request extensions of A2A by URI, besides Quorate's own (A2A §3.2.6).
func WithExtensions(ctx context.Context, uris []string) context.Context {
	list := []string{extensions}
	for _, uri := range uris {
		if len(list) < maxExtensions && fitsHeader(uri) && !slices.Contains(list, uri) {
			list = append(list, uri)
		}
	}
	if len(list) == 1 {
		return ctx
	}
	return context.WithValue(ctx, extensionsKey{}, strings.Join(list, ","))
}

// fitsHeader reports whether a URI can be an item of a list in a header.
func fitsHeader(uri string) bool {
	return uri != "" && len(uri) <= maxExtension && !strings.ContainsFunc(uri, func(c rune) bool { return c <= ' ' || c > '~' || c == ',' })
}

// requested returns the extensions that a call requests, as a header has them.
func requested(ctx context.Context) string {
	if list, ok := ctx.Value(extensionsKey{}).(string); ok {
		return list
	}
	return extensions
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
