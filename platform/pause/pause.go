// Package pause waits for a time or until a context ends, and reads Retry-After headers.
package pause

import (
	"context"
	"time"
)

// For returns nil after d, or the cause of ctx if that ends first.
func For(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
