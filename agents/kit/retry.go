package kit

import (
	"context"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/quorate/quorate/platform/fault"
)

const (
	requestTimeout = time.Minute // all attempts of one request to Quorate
	forever        = time.Duration(0)
	maxPause       = 10 * time.Second // and up to half of it more or less, at random
)

// retry repeats call at growing intervals while Quorate is unreachable or overloaded, for at most limit, which may be forever. The last
// attempt is made at most one and a half times maxPause before the limit.
func retry[T any](ctx context.Context, limit time.Duration, call func() (T, error), options ...backoff.RetryOption) (T, error) {
	pauses := backoff.NewExponentialBackOff()
	pauses.InitialInterval, pauses.MaxInterval = 200*time.Millisecond, maxPause
	options = append(options, backoff.WithBackOff(pauses), backoff.WithMaxElapsedTime(limit))
	return backoff.Retry(ctx, func() (T, error) {
		result, err := call()
		if err != nil && !temporary(err) {
			err = backoff.Permanent(err)
		}
		return result, err
	}, options...)
}

// temporary reports whether the same call may succeed later.
func temporary(err error) bool {
	switch fault.KindOf(err) {
	case fault.Unavailable, fault.DeadlineExceeded, fault.ResourceExhausted, fault.Internal:
		return true
	default:
		return false
	}
}
