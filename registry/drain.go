package registry

import (
	"context"
	"time"
	"unicode/utf8"

	"github.com/quorate/quorate/platform/fault"
)

const maxDrainReason = 500 // characters

// Drain keeps new tasks from an agent until Resume, whatever status the agent reports, and returns its status. For an agent that is drained already
// it only replaces the reason.
func (r *Registry) Drain(ctx context.Context, tenant, name, reason string, retry Retry) (Status, error) {
	if utf8.RuneCountInString(reason) > maxDrainReason {
		return Status{}, fault.Invalid("reason", "VALIDATION_FAILED", "the reason has more than %d characters", maxDrainReason)
	}
	now := r.now().UTC()
	return r.changePulse(ctx, Key{tenant, name}, retry, []string{"drain", name, reason}, func(p *Pulse) {
		if p.DrainTime.IsZero() {
			p.DrainTime = now
		}
		p.DrainReason = reason
	})
}

// Resume lets a drained agent have tasks again and returns its status.
func (r *Registry) Resume(ctx context.Context, tenant, name string, retry Retry) (Status, error) {
	return r.changePulse(ctx, Key{tenant, name}, retry, []string{"resume", name}, func(p *Pulse) {
		p.DrainTime, p.DrainReason = time.Time{}, ""
	})
}

// changePulse applies change to a pulse, once per request id. The pulse is written before the request is remembered; change may run again, with the
// same result.
func (r *Registry) changePulse(ctx context.Context, key Key, retry Retry, content []string, change func(*Pulse)) (Status, error) {
	request, done, err := r.begin(ctx, key, retry, content)
	if err != nil {
		return Status{}, err
	}
	if done {
		pulses, err := r.store.Pulses(ctx, key)
		return pulses[key].At(r.now()), err
	}
	var made Pulse
	err = r.store.UpdatePulse(ctx, key, func(p Pulse) (Pulse, error) {
		change(&p)
		made = p
		return p, nil
	})
	if err == nil && request != nil {
		if err = r.remember(ctx, key, request); err != nil {
			_, err = r.resolveRace(ctx, key, retry, content, err)
		}
	}
	if err != nil {
		return Status{}, err
	}
	return made.At(r.now()), nil
}
