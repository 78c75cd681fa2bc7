package agentclient

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quorate/quorate/platform/fault"
)

const (
	smallAnswer = 64 << 10    // bytes of an answer, or of an event of a stream, that are received at any time
	maxLarge    = 32          // larger ones that are received and decoded at a time
	largeTime   = time.Minute // how long one is received
)

// intake bounds how many large answers are received at a time: each may have maxAnswerBytes, and take several times as much while it is decoded, and its
// agent may leave out the end. The others wait in line, without being read. An agent may have as many as are free for others: half if it is the only one.
type intake struct {
	mu    sync.Mutex
	taken int                  // places; guarded by mu
	of    map[string]*entrance // guarded by mu; by name of the endpoint
}

// entrance is that of one agent.
type entrance struct {
	taken int             // places
	line  []chan struct{} // of those that wait; closed when they are given a place
}

// place is what a large answer has until it is decoded. That of a small one is nil.
type place struct {
	intake *intake
	at     *endpoint
	timer  *time.Timer
	late   atomic.Bool // the answer did not come in time
}

// enter waits for a place for an answer, as long as ctx allows. If the answer does not arrive in time from then on, cut is called, which ends the call.
func (i *intake) enter(ctx context.Context, at *endpoint, cut func()) (*place, error) {
	turn := i.queue(at.name)
	select {
	case <-turn:
	case <-ctx.Done():
		i.forgo(at.name, turn)
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return nil, fault.New(fault.DeadlineExceeded, ReasonTimeout,
				"an answer of %s has more than %d KiB, and waited in line for others to be received until the time for it was over; answers can be shorter", at.name, smallAnswer>>10)
		}
		return nil, ctx.Err()
	}
	p := &place{intake: i, at: at}
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
	p.intake.mu.Lock()
	defer p.intake.mu.Unlock()
	p.intake.giveBack(p.at.name)
}

// queue returns a channel that is closed when who is given a place.
func (i *intake) queue(who string) chan struct{} {
	i.mu.Lock()
	defer i.mu.Unlock()
	e := i.of[who]
	if e == nil {
		e = &entrance{}
		if i.of == nil {
			i.of = make(map[string]*entrance)
		}
		i.of[who] = e
	}
	turn := make(chan struct{})
	e.line = append(e.line, turn)
	i.admit(e)
	return turn
}

// forgo leaves the line, or gives back the place that was given meanwhile.
func (i *intake) forgo(who string, turn chan struct{}) {
	i.mu.Lock()
	defer i.mu.Unlock()
	e := i.of[who]
	at := slices.Index(e.line, turn)
	if at < 0 {
		i.giveBack(who)
		return
	}
	e.line = slices.Delete(e.line, at, at+1)
	i.forget(who, e)
}

// giveBack gives a place back, and others to those who may have one then. The caller holds mu.
func (i *intake) giveBack(who string) {
	e := i.of[who]
	e.taken--
	i.taken--
	i.forget(who, e)
	for _, e := range i.of { // in any order, so that no agent is always the first
		i.admit(e)
	}
}

// admit gives places to those who wait in the line of an agent, as long as it may have one. The caller holds mu.
func (i *intake) admit(e *entrance) {
	for len(e.line) > 0 && e.taken < maxLarge-i.taken {
		e.taken++
		i.taken++
		close(e.line[0])
		e.line = e.line[1:]
	}
}

// forget removes the entrance that nobody uses. The caller holds mu.
func (i *intake) forget(who string, e *entrance) {
	if e.taken == 0 && len(e.line) == 0 {
		delete(i.of, who)
	}
}
