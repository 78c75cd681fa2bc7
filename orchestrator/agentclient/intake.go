package agentclient

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/share"
)

const (
	smallAnswer = 64 << 10    // bytes of an answer, or of an event of a stream, that are received at any time
	maxLarge    = 32          // larger ones that are received and decoded at a time
	largeTime   = time.Minute // how long one is received
)

// intake bounds how many large answers are received at a time: each may have maxAnswerBytes, and take several times as much while it is decoded, and its
// agent may leave out the end. The others wait in line, without being read. An agent may have as many as are free for others: half if it is the only one.
type intake struct {
	places *share.Places[string] // by name of the endpoint
}

func newIntake() *intake { return &intake{share.NewPlaces[string](maxLarge)} }

// place is what a large answer has until it is decoded. That of a small one is nil.
type place struct {
	giveBack func()
	timer    *time.Timer
	late     atomic.Bool // the answer did not come in time
}

// enter waits for a place for an answer, as long as ctx allows. If the answer does not arrive in time from then on, cut is called, which ends the call.
func (i *intake) enter(ctx context.Context, at *endpoint, cut func()) (*place, error) {
	giveBack, err := i.places.Take(ctx, at.name)
	if err != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return nil, fault.New(fault.DeadlineExceeded, ReasonTimeout,
				"an answer of %s has more than %d KiB, and waited in line for others to be received until the time for it was over; answers can be shorter", at.name, smallAnswer>>10)
		}
		return nil, ctx.Err()
	}
	p := &place{giveBack: giveBack}
	p.timer = time.AfterFunc(largeTime, func() {
		p.late.Store(true)
		cut()
	})
	return p, nil
}

// arrived is called when the answer has arrived, or could not be read because of err. It returns why the answer is not to be used, or nil.
func (p *place) arrived(at *endpoint, err error) error {
	if p != nil && !p.timer.Stop() && p.late.Load() {
		return fault.New(fault.DeadlineExceeded, ReasonTimeout,
			"%s did not answer in time: an answer of more than %d KiB has to arrive within %s; it can be shorter, or in parts", at.name, smallAnswer>>10, largeTime)
	}
	if err != nil {
		return unreachable(at, err)
	}
	return nil
}

// leave gives the place back.
func (p *place) leave() {
	if p == nil {
		return
	}
	p.timer.Stop()
	p.giveBack()
}
