package registry

import "context"

// semaphore is held by one at a time, like a mutex that one can stop waiting for.
type semaphore chan struct{}

func newSemaphore() semaphore { return make(semaphore, 1) }

// acquire returns when the caller holds the semaphore, which then has to be released, or with the cause of ctx when that ends before.
func (s semaphore) acquire(ctx context.Context) error {
	select {
	case s <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s semaphore) release() { <-s }
