// Package pause waits for a time, or for the end of what it is waited for, and reads how long others ask to wait.
package pause

import (
	"context"
	"time"
)

// For returns nil after d, or the cause of ctx's end when that comes first.
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
