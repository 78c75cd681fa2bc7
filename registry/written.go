package registry

import (
	"context"
	"log/slog"
	"time"

	"github.com/quorate/quorate/platform/fault"
)

// withStatusAfterWrite returns an agent that was just written, with its status. If that cannot be read, it returns what the directory knows: an error would
// suggest that nothing was written, and a caller who tried again would be refused because of the first write.
func (r *Registry) withStatusAfterWrite(ctx context.Context, a Agent) Agent {
	agents, err := r.withStatus(ctx, []Record{{Agent: a}})
	if err == nil {
		return agents[0]
	}
	r.logUnread(ctx, a.Key(), err)
	a.Status = Pulse{}.At(r.now())
	if _, status, ok := r.directory.Peek(a.Tenant, a.Name); ok {
		a.Status = status
	}
	return a
}

// tryRenewProbeLease is renewProbeLease for an agent whose card was written already. A failure is only logged: it does not undo the write, and the prober
// asks again.
func (r *Registry) tryRenewProbeLease(ctx context.Context, key Key, asked time.Time) {
	if err := r.renewProbeLease(ctx, key, asked); err != nil && fault.KindOf(err) != fault.NotFound { // it was deleted meanwhile
		r.logUnread(ctx, key, err)
	}
}

func (r *Registry) logUnread(ctx context.Context, key Key, err error) {
	if ctx.Err() == nil {
		r.logger.WarnContext(ctx, "status of a written agent not known", slog.String("agent", key.Name), slog.String("tenant", key.Tenant), slog.Any("error", err))
	}
}
