package kit

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/pause"
	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
)

// Limits of the interval between heartbeats, whatever the server asks for.
const (
	minBeat      = 10 * time.Millisecond
	maxBeat      = 5 * time.Minute
	defaultBeat  = 10 * time.Second
	leaveTimeout = 2 * time.Second
	rejoinPause  = 200 * time.Millisecond
)

// Statuses that an agent reports.
const (
	available   = "available"
	busy        = "busy"
	unavailable = "unavailable"
)

// Limits of a heartbeat.
const (
	maxTaskIDBytes = 128
	maxCapacity    = 1_000_000 // tasks
)

// join keeps the agent a member of Quorate until ctx is done, and then reports that it stops. It returns earlier only if Quorate refuses the agent
// for good.
func (a *Agent) join(ctx context.Context) error {
	epoch, err := a.keepRegistered(ctx)
	a.reportStopping(context.WithoutCancel(ctx), epoch)
	if ctx.Err() == nil {
		return err
	}
	return nil // it was ended on purpose
}

// keepRegistered registers the agent and sends heartbeats until ctx is done. It returns the epoch of the agent's lease, or 0 when it has none.
func (a *Agent) keepRegistered(ctx context.Context) (epoch int64, err error) {
	for {
		if err := a.register(ctx); err != nil {
			return 0, err
		}
		epoch, err = a.sendHeartbeats(ctx)
		switch fault.KindOf(err) {
		case fault.NotFound: // the agent was deleted, or the server lost its data
			a.config.Logger.WarnContext(ctx, "Quorate does not know this agent any more, registering again", slog.Any("error", err))
			if err := pause.For(ctx, rejoinPause); err != nil {
				return 0, err
			}
		case fault.Conflict: // another process of this agent started later and takes precedence
			a.config.Logger.WarnContext(ctx, "another process sends heartbeats for this agent; this one sends none from now on, but goes on serving", slog.Any("error", err))
			<-ctx.Done()
			return 0, nil
		default:
			return epoch, err
		}
	}
}

// register registers the agent by its card. If the name is taken, it is the agent's own from an earlier registration, perhaps at another address, and
// Quorate reads its card again.
func (a *Agent) register(ctx context.Context) error {
	request := &registryv1.RegisterAgentRequest{Source: &registryv1.RegisterAgentRequest_CardUri{CardUri: a.CardURL()}}
	response, err := persist(ctx, a.config.Logger, "registering", func() (*registryv1.RegisterAgentResponse, error) {
		var response registryv1.RegisterAgentResponse
		return &response, a.quorate.Call(ctx, http.MethodPost, "/v1/agents:register", nil, request, &response)
	})
	if fault.KindOf(err) == fault.AlreadyExists {
		return a.refresh(ctx)
	}
	if err != nil {
		return fmt.Errorf("register %s: %w", a.CardURL(), err)
	}
	a.logWarnings(ctx, response.GetWarnings())
	a.config.Logger.InfoContext(ctx, "agent is registered", slog.String("server", a.config.Server))
	return nil
}

// refresh has Quorate read the agent's card again.
func (a *Agent) refresh(ctx context.Context) error {
	request := &registryv1.RefreshAgentCardRequest{CardUri: a.CardURL()}
	response, err := persist(ctx, a.config.Logger, "refreshing the registration", func() (*registryv1.RefreshAgentCardResponse, error) {
		var response registryv1.RefreshAgentCardResponse
		return &response, a.quorate.Call(ctx, http.MethodPost, a.path(":refreshCard"), nil, request, &response)
	})
	if fault.KindOf(err) == fault.NotFound && ctx.Err() == nil {
		return nil // it was deleted meanwhile, which the first heartbeat will show
	}
	if err != nil {
		return fmt.Errorf("register %s again: %w", a.CardURL(), err)
	}
	a.logWarnings(ctx, response.GetWarnings())
	a.config.Logger.InfoContext(ctx, "agent is registered already; its card was read anew", slog.String("server", a.config.Server))
	return nil
}

func (a *Agent) logWarnings(ctx context.Context, warnings []*registryv1.Warning) {
	for _, w := range warnings {
		a.config.Logger.WarnContext(ctx, "Quorate has a remark on the registration", slog.String("code", w.GetCode()), slog.String("remark", w.GetMessage()))
	}
}

// sendHeartbeats sends heartbeats at the server's interval until ctx is done or the server refuses one.
func (a *Agent) sendHeartbeats(ctx context.Context) (epoch int64, err error) {
	for {
		lease, err := persist(ctx, a.config.Logger, "sending a heartbeat", func() (*registryv1.HeartbeatResponse, error) { return a.sendHeartbeat(ctx, epoch) })
		if err != nil {
			return epoch, fmt.Errorf("send a heartbeat of %s to %s: %w", a.config.Name, a.config.Server, err)
		}
		epoch = lease.GetEpoch()
		next := lease.GetNextHeartbeat().AsDuration()
		if next <= 0 {
			next = defaultBeat
		}
		if err := pause.For(ctx, min(max(next, minBeat), maxBeat)); err != nil {
			return epoch, err
		}
	}
}

// sendHeartbeat sends one heartbeat. The agent is busy if a further task would have to wait; tasks that wait already, or for a reply, are not in flight.
func (a *Agent) sendHeartbeat(ctx context.Context, epoch int64) (*registryv1.HeartbeatResponse, error) {
	count, oldest := a.working.load()
	request := &registryv1.HeartbeatRequest{
		Name: a.config.Name, Epoch: epoch, Status: available,
		Capacity: int32(min(a.config.MaxConcurrent, maxCapacity)), InFlight: int32(min(count, maxCapacity)), //nolint:gosec // not after min
	}
	if count >= a.config.MaxConcurrent {
		request.Status = busy
		if len(oldest) <= maxTaskIDBytes {
			request.CurrentTaskId = oldest
		}
	}
	var lease registryv1.HeartbeatResponse
	return &lease, a.quorate.Call(ctx, http.MethodPost, a.path(":heartbeat"), nil, request, &lease)
}

// reportStopping reports to Quorate, once, that the agent stops. If that fails, the lease expires.
func (a *Agent) reportStopping(ctx context.Context, epoch int64) {
	if epoch == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, leaveTimeout)
	defer cancel()
	request := &registryv1.HeartbeatRequest{Name: a.config.Name, Epoch: epoch, Status: unavailable}
	if err := a.quorate.Call(ctx, http.MethodPost, a.path(":heartbeat"), nil, request, nil); err != nil {
		a.config.Logger.InfoContext(ctx, "Quorate was not told that the agent stops", slog.Any("error", err))
	}
}

func (a *Agent) path(suffix string) string {
	return "/v1/agents/" + url.PathEscape(a.config.Name) + suffix
}

// persist repeats call until Quorate answers. It logs when Quorate does not, and when it does again.
func persist[T any](ctx context.Context, logger *slog.Logger, doing string, call func() (T, error)) (T, error) {
	var away bool
	answer, err := retry(ctx, forever, call, backoff.WithNotify(func(err error, pause time.Duration) {
		away = true
		logger.WarnContext(ctx, "Quorate does not answer, trying again", slog.String("doing", doing), slog.Duration("pause", pause), slog.Any("error", err))
	}))
	if away && err == nil {
		logger.InfoContext(ctx, "Quorate answers again", slog.String("doing", doing))
	}
	return answer, err
}
