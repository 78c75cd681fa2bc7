package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"syscall"
	"time"
)

// disturbance is one thing done to a replica.
type disturbance struct {
	what  string // killed or stopped
	start time.Time
}

// Pauses of the disturbances. A stop is often longer than a lease, so that the replica wakes up and finds that its work is another's.
const (
	minPause = 300 * time.Millisecond
	maxPause = 1500 * time.Millisecond
	maxStop  = 5 * time.Second
)

// disturb kills and stops replicas, one at a time, for a time. All run when it returns.
func (w *world) disturb(ctx context.Context, duration time.Duration, seed uint64) (done []disturbance, err error) {
	random := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // to be repeated
	between := func(least, most time.Duration) time.Duration {
		return least + time.Duration(random.Int64N(int64(most-least)))
	}
	end := time.Now().Add(duration)
	for time.Now().Before(end) {
		if err := pause(ctx, between(minPause, maxPause)); err != nil {
			return done, err
		}
		r := w.replicas[random.IntN(len(w.replicas))]
		d := disturbance{what: "killed", start: time.Now()}
		if random.IntN(5) < 3 {
			err = w.crash(ctx, r, between(0, maxPause))
		} else {
			d.what = "stopped"
			err = freeze(ctx, r, between(minPause, maxStop))
		}
		if err != nil {
			return done, err
		}
		done = append(done, d)
	}
	for _, r := range w.replicas {
		if err := r.until(ctx, r.name+" is ready", func() bool { return r.ready(ctx) }); err != nil {
			return done, err
		}
	}
	return done, nil
}

// crash kills a replica and starts it again after a time.
func (w *world) crash(ctx context.Context, r *replica, after time.Duration) error {
	select {
	case <-r.ended():
		return fmt.Errorf("%s ended by itself; it said:\n%s", r.name, tail(r.log))
	default:
	}
	if err := r.kill(); err != nil {
		return err
	}
	if err := pause(ctx, after); err != nil {
		return err
	}
	return r.start(ctx)
}

// freeze stops a replica for a time, as a machine that pauses does.
func freeze(ctx context.Context, r *replica, duration time.Duration) error {
	if err := r.signal(syscall.SIGSTOP); err != nil {
		return err
	}
	err := pause(ctx, duration)
	if contErr := r.signal(syscall.SIGCONT); err == nil {
		err = contErr
	}
	return err
}

func pause(ctx context.Context, duration time.Duration) error {
	timer := time.NewTimer(duration)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
