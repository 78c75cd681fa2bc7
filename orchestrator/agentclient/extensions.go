package agentclient

import (
	"context"
	"slices"
	"strings"
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
