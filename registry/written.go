package registry

import (
	"context"
	"log/slog"
	"time"

	"github.com/quorate/quorate/platform/fault"
)

// written returns an agent that was written a moment ago, with its status. When that cannot be read it is what the directory knows of it: an error would
// say that nothing was written, and who tried again would be refused for what they wrote themselves.
func (r *Registry) written(ctx context.Context, a Agent) Agent {
	agents, err := r.withStatus(ctx, []Record{{Agent: a}})
	if err == nil {
		return agents[0]
	}
	r.unread(ctx, a.Key(), err)
	a.Status = Pulse{}.At(r.now())
	if _, status, ok := r.directory.Peek(a.Tenant, a.Name); ok {
		a.Status = status
	}
	return a
}

// answeredToo is answered for an agent whose card was written already: what comes of it does not change that, and the prober asks again.
func (r *Registry) answeredToo(ctx context.Context, key Key, asked time.Time) {
	if err := r.answered(ctx, key, asked); err != nil && fault.KindOf(err) != fault.NotFound { // deleted meanwhile
		r.unread(ctx, key, err)
	}
}

func (r *Registry) unread(ctx context.Context, key Key, err error) {
	if ctx.Err() == nil {
		r.logger.WarnContext(ctx, "status of a written agent not known", slog.String("agent", key.Name), slog.String("tenant", key.Tenant), slog.Any("error", err))
	}
}
