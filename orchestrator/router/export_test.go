package router

import "time"

// Observe records the outcome of a task for which Begin was not called.
func (r *Router) Observe(tenant, agent string, took time.Duration, o Outcome) {
	s, now := r.signals, r.signals.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.get(signalKey{tenant, agent}).observe(now, took, o)
}
