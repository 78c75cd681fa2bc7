package registry

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/quorate/quorate/platform/fault"
)

// Beat is one heartbeat of an agent.
type Beat struct {
	Agent         string
	Epoch         int64  // as the answer to the process's first beat gave it; 0 in that first beat
	Status        string // available, busy, unavailable or error
	CurrentTaskID string // when busy; at most 512 bytes
	ErrorMessage  string // at most 4,000 bytes
	Capacity      int    // how many tasks it can work on at a time; 0 when it does not say
	InFlight      int    // how many tasks it is working on
}

// Lease is the result of a heartbeat.
type Lease struct {
	Epoch         int64
	NextHeartbeat time.Duration // how long to wait before the next beat; includes jitter
	ExpireTime    time.Time
	Draining      bool // the agent gets no new tasks until an admin resumes it
}

// Limits of a beat, in bytes; those of the API are in characters.
const (
	maxTaskID       = 128 * 4
	maxErrorMessage = 1000 * 4
)

const (
	maxCapacity = 1_000_000 // tasks
	maxEpoch    = 1 << 53   // that a beat may bring, so that there are more
)

// Heartbeat renews an agent's lease. Epoch 0 starts a new epoch. Any epoch other than the current one is a Conflict fault with the reason
// EPOCH_STALE, so that a process that was replaced cannot speak for the agent. A beat after the lease has expired renews it all the same.
//
// A higher epoch than the current one becomes the current one when no lease is live: the agent was registered anew, or a backup restored, while its
// process went on.
func (r *Registry) Heartbeat(ctx context.Context, tenant string, b Beat) (Lease, error) {
	if !slices.Contains([]string{StatusAvailable, StatusBusy, StatusUnavailable, StatusError}, b.Status) {
		return Lease{}, fault.Invalid("status", "VALIDATION_FAILED", "%q is not one of available, busy, unavailable, error", fault.Clip(b.Status))
	}
	if len(b.CurrentTaskID) > maxTaskID || len(b.ErrorMessage) > maxErrorMessage {
		return Lease{}, fault.Invalid("error_message", "VALIDATION_FAILED", "the beat's task id or error message is too long")
	}
	if b.Capacity < 0 || b.Capacity > maxCapacity || b.InFlight < 0 || b.InFlight > maxCapacity {
		return Lease{}, fault.Invalid("capacity", "VALIDATION_FAILED", "capacity and in_flight are numbers of tasks, 0 to %d", maxCapacity)
	}
	now := r.now().UTC()
	lease := Lease{ExpireTime: now.Add(r.leaseDuration), NextHeartbeat: r.nextHeartbeat()}
	err := r.store.UpdatePulse(ctx, Key{tenant, b.Agent}, func(p Pulse) (Pulse, error) {
		switch {
		case b.Epoch == 0:
			p.Epoch++
		case b.Epoch == p.Epoch:
		case b.Epoch > p.Epoch && b.Epoch <= maxEpoch && !p.beating(now):
			p.Epoch = b.Epoch
		default:
			return p, fault.New(fault.Conflict, "EPOCH_STALE",
				"epoch %d is not that of agent %q: another process beats for it since, or none has begun; begin with epoch 0 if this one should",
				b.Epoch, b.Agent).With("agent", b.Agent)
		}
		lease.Epoch, lease.Draining = p.Epoch, !p.DrainTime.IsZero()
		p.Capacity, p.InFlight = b.Capacity, b.InFlight
		p.Word, p.CurrentTaskID, p.ErrorMessage = b.Status, b.CurrentTaskID, b.ErrorMessage
		p.BeatTime, p.BeatExpire = now, lease.ExpireTime
		return p, nil
	})
	if err != nil {
		return Lease{}, err
	}
	return lease, nil
}

// nextHeartbeat leaves room for two lost beats. Its jitter keeps agents that started together from beating together.
func (r *Registry) nextHeartbeat() time.Duration {
	third := r.leaseDuration / 3
	return third - rand.N(third/5+1) //nolint:gosec // not a secret
}
