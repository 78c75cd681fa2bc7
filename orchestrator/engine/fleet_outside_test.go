package engine_test

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
)

// outside is all that one process of a node does that others see.
type outside struct {
	node *node
	dead atomic.Bool
}

// errLost is what a store says that is throttled, or does not answer.
var errLost error = &fault.Error{Kind: fault.Unavailable, Reason: "STORE_BUSY", Message: "the store is busy", Ours: true}

// gate holds a paused process until its pause is over, and stops a dead one.
func (o *outside) gate() error {
	o.node.mu.Lock()
	paused := o.node.paused
	o.node.mu.Unlock()
	if paused != nil {
		<-paused
	}
	if o.dead.Load() {
		return errDead
	}
	return nil
}

// do makes one call, with what goes wrong before and after it.
func (o *outside) do(call func() error) error {
	if err := o.gate(); err != nil {
		return err
	}
	hit, more := o.node.fleet.count()
	if hit {
		switch o.node.fleet.kind {
		case diesBefore:
			o.node.kill(o)
		case pausesBefore:
			o.node.pause()
		case failsOnce:
			return errLost
		default:
		}
		if err := o.gate(); err != nil {
			return err
		}
	}
	if more {
		return errLost
	}
	err := call()
	if hit {
		switch o.node.fleet.kind {
		case diesAfter:
			o.node.kill(o)
		case pausesAfter:
			o.node.pause()
		case answerLost:
			return errLost
		default:
		}
	}
	return errors.Join(o.gate(), err)
}

// count counts a call and reports whether it is the one that goes wrong, and whether it is one of several that are refused.
func (f *fleet) count() (hit, refused bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.quiet {
		return false, false
	}
	f.calls++
	return f.calls == f.at, f.kind == throttled && f.calls >= f.at && f.calls < f.at+10
}

// storeOutside is the tasks' store as a process sees it.
type storeOutside struct {
	orchestrator.Store
	*outside
}

func (s storeOutside) Create(ctx context.Context, t orchestrator.Task, events ...orchestrator.Event) (stored orchestrator.Task, created bool, err error) {
	answer := s.node.fleet.history.note(t.Key(), callCreate)
	err = s.do(func() error {
		stored, created, err = s.Store.Create(ctx, t, events...)
		return err
	})
	answer(stored.Version, err)
	return stored, created && err == nil, err
}

// watching is in the context of who watches, all the time and in vain: nothing goes wrong with that, and nobody counts it.
type watching struct{}

func (s storeOutside) Task(ctx context.Context, k orchestrator.Key) (t orchestrator.Task, err error) {
	if ctx.Value(watching{}) != nil {
		return s.Store.Task(ctx, k)
	}
	answer := s.node.fleet.history.note(k, callRead)
	err = s.do(func() error {
		t, err = s.Store.Task(ctx, k)
		return err
	})
	answer(t.Version, err)
	return t, err
}

func (s storeOutside) TaskPart(ctx context.Context, k orchestrator.Key, want orchestrator.Part) (t orchestrator.Task, err error) {
	answer := s.node.fleet.history.note(k, callRead)
	err = s.do(func() error {
		t, err = s.Store.TaskPart(ctx, k, want)
		return err
	})
	answer(t.Version, err)
	return t, err
}

func (s storeOutside) Update(ctx context.Context, k orchestrator.Key, change func(*orchestrator.Task) ([]orchestrator.Event, error)) (t orchestrator.Task, err error) {
	answer := s.node.fleet.history.note(k, callUpdate)
	err = s.do(func() error {
		t, err = s.Store.Update(ctx, k, change)
		return err
	})
	answer(t.Version, err)
	return t, err
}

func (s storeOutside) Unfinished(ctx context.Context, shard int, after orchestrator.Key, limit int) (keys []orchestrator.Key, err error) {
	if err := s.gate(); err != nil {
		return nil, err
	}
	if keys, err = s.Store.Unfinished(ctx, shard, after, limit); len(keys) == 0 || err != nil {
		return keys, err // not worth a mishap: there are a thousand of them
	}
	err = s.do(func() error { return nil })
	return keys, err
}

func (s storeOutside) Events(ctx context.Context, k orchestrator.Key, after uint64, limit int) (events []orchestrator.Event, err error) {
	if ctx.Value(watching{}) != nil {
		return s.Store.Events(ctx, k, after, limit)
	}
	err = s.do(func() error {
		events, err = s.Store.Events(ctx, k, after, limit)
		return err
	})
	return events, err
}

// leasesOutside is the leases' store as a process sees it. Its calls are not counted: they go on for ever.
type leasesOutside struct {
	orchestrator.LeaseStore
	*outside
}

func (l leasesOutside) Beat(ctx context.Context, n orchestrator.Node) error {
	if err := l.gate(); err != nil {
		return err
	}
	return errors.Join(l.LeaseStore.Beat(ctx, n), l.gate())
}

func (l leasesOutside) Leases(ctx context.Context) ([]orchestrator.Lease, error) {
	if err := l.gate(); err != nil {
		return nil, err
	}
	list, err := l.LeaseStore.Leases(ctx)
	return list, errors.Join(err, l.gate())
}

func (l leasesOutside) Take(ctx context.Context, group int, node string, seen uint64) (orchestrator.Lease, error) {
	if err := l.gate(); err != nil {
		return orchestrator.Lease{}, err
	}
	lease, err := l.LeaseStore.Take(ctx, group, node, seen)
	return lease, errors.Join(err, l.gate())
}

func (l leasesOutside) Release(ctx context.Context, lease orchestrator.Lease) error {
	if err := l.gate(); err != nil {
		return err
	}
	return l.LeaseStore.Release(ctx, lease)
}

func (l leasesOutside) Post(ctx context.Context, node string, k orchestrator.Key) error {
	if err := l.gate(); err != nil {
		return err
	}
	if l.node.fleet.silent.Load() {
		return fault.New(fault.Unavailable, "STORE_BUSY", "the store is busy")
	}
	return l.LeaseStore.Post(ctx, node, k)
}

func (l leasesOutside) Leave(ctx context.Context, node string) error {
	if err := l.gate(); err != nil {
		return err
	}
	return l.LeaseStore.Leave(ctx, node)
}

// agentOutside is the agent as a process sees it, over a network.
type agentOutside struct {
	agent *farAgent
	*outside
}

// over makes a call over the network; the process that makes it learns nothing of why it came to nothing.
func (a agentOutside) over(call func() error) error {
	err := a.do(call)
	if errors.Is(err, errLost) {
		return fault.New(fault.Unavailable, agentclient.ReasonUnreachable, "the connection broke")
	}
	return err
}

func (a agentOutside) Send(_ context.Context, m *a2apb.Message, _ bool, each agentclient.Each) error {
	return a.over(func() error {
		task, err := a.agent.send(m)
		if err != nil {
			return err
		}
		if err := a.gate(); err != nil {
			return err
		}
		return each(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_Task{Task: task}}) // and the stream breaks: the engine has to ask
	})
}

func (a agentOutside) Subscribe(context.Context, string, agentclient.Each) error {
	return fault.New(fault.FailedPrecondition, agentclient.ReasonRefused, "no streams")
}

func (a agentOutside) Task(_ context.Context, id string, _ int32) (t *a2apb.Task, err error) {
	err = a.over(func() error {
		t, err = a.agent.task(id)
		return err
	})
	return t, err
}

// listingAgent lists its tasks.
type listingAgent struct{ agentOutside }

func (a listingAgent) Find(_ context.Context, messageID string, _ time.Time) (t *a2apb.Task, err error) {
	err = a.over(func() error {
		t = a.agent.find(messageID)
		return nil
	})
	return t, err
}

func (a agentOutside) Cancel(ctx context.Context, _ string, _ *structpb.Struct) (*a2apb.Task, error) {
	if a.agent.temper == mutes {
		return nil, noAnswer(ctx)
	}
	return nil, fault.New(fault.FailedPrecondition, agentclient.ReasonRefused, "no")
}

// receiverOutside is a receiver of push notifications as a process sees it.
type receiverOutside struct {
	*receiver
	*outside
}

func (r receiverOutside) Send(ctx context.Context, w orchestrator.Webhook, t *orchestrator.Task, e orchestrator.Event) error {
	return r.do(func() error { return r.receiver.Send(ctx, w, t, e) })
}
