package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"syscall"
	"time"

	"github.com/quorate/quorate/platform/pause"
)

// disturbance is one thing done to a replica.
type disturbance struct {
	what  string // one of the constants
	start time.Time
}

// What is done to replicas.
const (
	killed     = "killed"
	frozen     = "frozen"
	terminated = "terminated"
)

// Pauses of the disturbances. A stop is often longer than a lease, so that the replica wakes up and finds that its work is another's.
const (
	minPause = 300 * time.Millisecond
	maxPause = 1500 * time.Millisecond
	maxStop  = 5 * time.Second
)

// kinds has each thing as often as it is to be done.
var kinds = []string{killed, killed, killed, frozen, frozen, terminated}

// disturb kills and stops replicas, one at a time, for a time. All run when it returns.
func (w *world) disturb(ctx context.Context, duration time.Duration, seed uint64) (done []disturbance, err error) {
	random := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // to be repeated
	between := func(least, most time.Duration) time.Duration {
		return least + time.Duration(random.Int64N(int64(most-least)))
	}
	end := time.Now().Add(duration)
	for time.Now().Before(end) {
		if err := pause.For(ctx, between(minPause, maxPause)); err != nil {
			return done, err
		}
		r := w.replicas[random.IntN(len(w.replicas))]
		d := disturbance{what: kinds[random.IntN(len(kinds))], start: time.Now()}
		switch d.what {
		case killed:
			err = restart(ctx, r, r.kill, between(0, maxPause))
		case terminated:
			err = restart(ctx, r, func() error { return r.leave(ctx) }, between(0, maxPause))
		default:
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

// restart ends a replica and starts it again after a time.
func restart(ctx context.Context, r *replica, end func() error, after time.Duration) error {
	select {
	case <-r.ended():
		return fmt.Errorf("%s ended by itself; it said:\n%s", r.name, tail(r.log))
	default:
	}
	if err := end(); err != nil {
		return err
	}
	if err := pause.For(ctx, after); err != nil {
		return err
	}
	return r.start(ctx)
}

// leave tells a replica to stop once it serves: before, nothing in it hears a signal.
func (r *replica) leave(ctx context.Context) error {
	if err := r.until(ctx, r.name+" is ready", func() bool { return r.ready(ctx) }); err != nil {
		return err
	}
	return r.stop(ctx)
}

// freeze stops a replica (SIGSTOP) for a time, as a machine that pauses does.
func freeze(ctx context.Context, r *replica, duration time.Duration) error {
	if err := r.signal(syscall.SIGSTOP); err != nil {
		return err
	}
	err := pause.For(ctx, duration)
	if contErr := r.signal(syscall.SIGCONT); err == nil {
		err = contErr
	}
	return err
}
