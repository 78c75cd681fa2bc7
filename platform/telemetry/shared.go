package telemetry

import (
	"sync"
	"time"
)

// metricsFor is how long gathered metrics count. Anybody may ask for them, over thousands of connections, and what was gathered stays in memory until it is read.
const metricsFor = time.Second

// shared returns a function that returns the result of load, the same one for all who ask within d.
func shared[T any](d time.Duration, load func() (T, error)) func() (T, error) {
	var (
		mu   sync.Mutex
		at   time.Time
		last T
		err  error
	)
	return func() (T, error) {
		mu.Lock()
		defer mu.Unlock()
		if time.Since(at) >= d {
			last, err = load()
			at = time.Now()
		}
		return last, err
	}
}
