package router

import (
	"context"
	"time"
)

// Observe records the outcome of a task for which Begin was not called.
func (r *Router) Observe(tenant, agent string, took time.Duration, o Outcome) {
	s, now := r.signals, r.signals.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.get(signalKey{tenant, agent}).observe(now, took, o)
}

// EmbedSkills has the second stage read skills of one tenant, and returns how many vectors it keeps.
func (r *Router) EmbedSkills(ctx context.Context, documents ...string) (kept int, err error) {
	s := r.secondStage
	err = s.embedSkills(ctx, map[string][]string{"": documents})
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.vectors), err
}
