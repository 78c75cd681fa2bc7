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
	Epoch         int64  // as the process's first beat was answered; 0 is a process's first beat
	Status        string // available, busy, unavailable or error
	CurrentTaskID string // when busy; at most 128 bytes
	ErrorMessage  string // at most 4,000 bytes
	Capacity      int    // tasks that it can work on at a time; 0 says nothing about it
	InFlight      int    // tasks that it is working on
}

// Lease is the answer to a beat.
type Lease struct {
	Epoch         int64
	NextHeartbeat time.Duration // how long to wait before the next beat, with jitter
	ExpireTime    time.Time
	Draining      bool // no new tasks come until an admin resumes the agent
}

// Limits of a beat, in bytes; the contract's are in characters.
const (
	maxTaskID       = 128 * 4
	maxErrorMessage = 1000 * 4
)

const maxCapacity = 1_000_000 // tasks

// Heartbeat renews an agent's lease. Epoch 0 starts a new epoch; any other epoch than the current one is a Conflict fault
// with the reason EPOCH_STALE, so that a process that was replaced cannot speak for the agent again. A late beat revives.
func (r *Registry) Heartbeat(ctx context.Context, tenant string, b Beat) (Lease, error) {
	if !slices.Contains([]string{StatusAvailable, StatusBusy, StatusUnavailable, StatusError}, b.Status) {
		return Lease{}, fault.Invalid("status", "STATUS_INVALID", "%q is not one of available, busy, unavailable, error", clip(b.Status))
	}
	if len(b.CurrentTaskID) > maxTaskID || len(b.ErrorMessage) > maxErrorMessage {
		return Lease{}, fault.Invalid("error_message", "BEAT_TOO_LARGE", "the beat's task id or error message is too long")
	}
	if b.Capacity < 0 || b.Capacity > maxCapacity || b.InFlight < 0 || b.InFlight > maxCapacity {
		return Lease{}, fault.Invalid("capacity", "CAPACITY_INVALID", "capacity and in_flight are numbers of tasks, 0 to %d", maxCapacity)
	}
	now := r.now().UTC()
	lease := Lease{ExpireTime: now.Add(r.leaseDuration), NextHeartbeat: r.nextHeartbeat()}
	err := r.store.UpdatePulse(ctx, Key{tenant, b.Agent}, func(p Pulse) (Pulse, error) {
		switch b.Epoch {
		case 0:
			p.Epoch++
		case p.Epoch:
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

// nextHeartbeat leaves room for two lost beats; the jitter keeps agents that started together from beating together.
func (r *Registry) nextHeartbeat() time.Duration {
	third := r.leaseDuration / 3
	return third - rand.N(third/5+1) //nolint:gosec // not a secret
}
