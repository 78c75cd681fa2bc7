package serve

import (
	"context"
	"log/slog"
	"time"

	"github.com/quorate/quorate/orchestrator/server"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/pause"
	"github.com/quorate/quorate/platform/telemetry"
)

const (
	startWait  = 45 * time.Second // less than the start-up probe of the chart gives a replica, so that its log says why it ends
	startPause = 2 * time.Second
)

// openReplica opens the stores of a replica. A DynamoDB that is throttled or does not respond is tried again for startWait: replicas that ended at once
// would be restarted at ever longer intervals, and be away long after it is back.
func (p *process) openReplica(ctx context.Context, o server.DynamoDB) (*server.Stores, error) {
	end := time.Now().Add(startWait)
	for {
		stores, err := server.OpenDynamoDB(ctx, o)
		left := time.Until(end)
		if !passes(err) || left <= 0 {
			return stores, err
		}
		p.tel.Logger.WarnContext(ctx, "the store cannot be used yet; trying again", slog.Duration("left", left.Round(time.Second)), slog.Any(telemetry.LogError, err))
		if err := pause.For(ctx, pause.Jittered(startPause)); err != nil {
			return nil, err
		}
	}
}

// passes reports whether an error of the store is likely to pass without an operator.
func passes(err error) bool {
	reason := fault.ReasonOf(err)
	return reason == "STORE_BUSY" || reason == "STORE_UNREACHABLE"
}
