package storetest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
)

// Memory is a Store for simulations: it forgets everything with the process, and Fail makes its calls go wrong. The zero value is empty.
type Memory struct {
	// Fail is called with a number for every call, from 1, but for those that look for work where there is none. before is returned instead of doing
	// the call, after instead of its result once it is done: a write whose answer was lost. It must not call the store.
	Fail func(call int) (before, after error)
	// Written is called with every task that is written. It must not call the store.
	Written func(t orchestrator.Task)
	// Lag is how late Unfinished sees what is written, as an index that is written later.
	Lag time.Duration

	mu     sync.Mutex
	index  []entry                                   // guarded by mu; what Unfinished sees
	calls  int                                       // guarded by mu
	tasks  map[orchestrator.Key]orchestrator.Task    // guarded by mu
	events map[orchestrator.Key][]orchestrator.Event // guarded by mu

	contexts map[orchestrator.ContextKey]string // guarded by mu
}

var (
	_ orchestrator.Store        = (*Memory)(nil)
	_ orchestrator.ContextStore = (*Memory)(nil)
)

// Calls returns how many calls there were.
func (m *Memory) Calls() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.calls
}

func (m *Memory) do(ctx context.Context, call func() error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	m.calls++
	var before, after error
	if m.Fail != nil {
		before, after = m.Fail(m.calls)
	}
	if before != nil {
		return before
	}
	if err := call(); err != nil {
		return err
	}
	return after
}

// Create implements orchestrator.Store.
func (m *Memory) Create(ctx context.Context, t orchestrator.Task, events ...orchestrator.Event) (stored orchestrator.Task, created bool, err error) {
	err = m.do(ctx, func() error {
		k := t.Key()
		if old, ok := m.tasks[k]; ok {
			stored = old
			return nil
		}
		if m.tasks == nil {
			m.tasks, m.events = make(map[orchestrator.Key]orchestrator.Task), make(map[orchestrator.Key][]orchestrator.Event)
		}
		created = true
		stored = m.write(t, events)
		return nil
	})
	return stored, created && err == nil, err
}

func (m *Memory) write(t orchestrator.Task, events []orchestrator.Event) orchestrator.Task {
	k := t.Key()
	t.Version++
	for _, e := range events {
		t.LastEvent++
		e.Sequence = t.LastEvent
		m.events[k] = append(m.events[k], e)
	}
	m.reindex(&t)
	m.tasks[k] = t
	if m.Written != nil {
		m.Written(t)
	}
	return t
}

// Reread has the tasks be as a store reads them from where it keeps them, which does not tell what is empty from what is not there.
func (m *Memory) Reread() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for k, t := range m.tasks {
		if len(t.Attributes) == 0 {
			t.Attributes = nil
		}
		m.tasks[k] = t
	}
}

// Forget removes a task, as a store does when its retention is over.
func (m *Memory) Forget(k orchestrator.Key) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.index = slices.DeleteFunc(m.index, func(e entry) bool { return e.key == k })
	delete(m.tasks, k)
	delete(m.events, k)
}

// entry is a task in the index, from when it was written until it was settled.
type entry struct {
	key      orchestrator.Key
	shard    int
	from, to time.Time // to is zero while the task is not settled
}

func (m *Memory) reindex(t *orchestrator.Task) {
	k := t.Key()
	i := slices.IndexFunc(m.index, func(e entry) bool { return e.key == k && e.to.IsZero() })
	switch {
	case i < 0 && !t.Settled():
		m.index = append(m.index, entry{key: k, shard: t.Shard, from: time.Now()})
	case i >= 0 && t.Settled():
		m.index[i].to = time.Now()
	}
}

// Task implements orchestrator.Store.
func (m *Memory) Task(ctx context.Context, k orchestrator.Key) (t orchestrator.Task, err error) {
	err = m.do(ctx, func() error {
		t, err = m.task(k)
		return err
	})
	return t, err
}

// TaskPart implements orchestrator.Store.
func (m *Memory) TaskPart(ctx context.Context, k orchestrator.Key, want orchestrator.Part) (orchestrator.Task, error) {
	t, err := m.Task(ctx, k)
	if !want.Messages {
		t.Message, t.Turns = nil, slices.Clone(t.Turns)
		for i := range t.Turns {
			t.Turns[i].Message = nil
		}
	}
	if !want.Artifacts {
		t.Artifacts = make([]*a2apb.Artifact, len(t.Artifacts))
	}
	return t, err
}

func (m *Memory) task(k orchestrator.Key) (orchestrator.Task, error) {
	t, ok := m.tasks[k]
	if !ok {
		return t, orchestrator.Missing(k)
	}
	return t, nil
}

// Update implements orchestrator.Store.
func (m *Memory) Update(ctx context.Context, k orchestrator.Key, change func(*orchestrator.Task) ([]orchestrator.Event, error)) (t orchestrator.Task, err error) {
	err = m.do(ctx, func() error {
		old, err := m.task(k)
		if err != nil {
			return err
		}
		next := old
		events, err := change(&next)
		if errors.Is(err, orchestrator.ErrUnchanged) {
			t = old
			return nil
		}
		if err != nil {
			return err
		}
		t = m.write(next, events)
		return nil
	})
	return t, err
}

// Tasks implements orchestrator.Store.
func (m *Memory) Tasks(ctx context.Context, tenant, after string, limit int) (page []orchestrator.Task, next string, err error) {
	err = m.do(ctx, func() error {
		var list []orchestrator.Task
		for k, t := range m.tasks {
			if k.Tenant == tenant {
				t.Message, t.StatusMessage, t.Artifacts, t.Metadata = nil, nil, nil, nil
				t.Turns = slices.Clone(t.Turns)
				for i := range t.Turns {
					t.Turns[i].Message = nil
				}
				list = append(list, t)
			}
		}
		slices.SortFunc(list, func(x, y orchestrator.Task) int {
			if c := y.CreateTime.Compare(x.CreateTime); c != 0 {
				return c
			}
			return strings.Compare(x.ID, y.ID)
		})
		if after != "" {
			list = list[slices.IndexFunc(list, func(t orchestrator.Task) bool { return t.ID == after })+1:]
		}
		if len(list) > limit {
			list, next = list[:limit], list[limit-1].ID
		}
		page = list
		return nil
	})
	return page, next, err
}

// Unfinished implements orchestrator.Store.
func (m *Memory) Unfinished(ctx context.Context, shard int, after orchestrator.Key, limit int) (keys []orchestrator.Key, err error) {
	if keys := m.unfinished(shard, after, limit); len(keys) == 0 {
		return nil, ctx.Err()
	}
	err = m.do(ctx, func() error { return nil })
	if err != nil {
		return nil, err
	}
	return m.unfinished(shard, after, limit), nil
}

func (m *Memory) unfinished(shard int, after orchestrator.Key, limit int) (keys []orchestrator.Key) {
	m.mu.Lock()
	defer m.mu.Unlock()
	seen := time.Now().Add(-m.Lag)
	for _, e := range m.index {
		if e.shard == shard && !e.from.After(seen) && (e.to.IsZero() || e.to.After(seen)) && compareKeys(e.key, after) > 0 {
			keys = append(keys, e.key)
		}
	}
	slices.SortFunc(keys, compareKeys)
	return keys[:min(limit, len(keys))]
}

func compareKeys(x, y orchestrator.Key) int {
	if c := strings.Compare(x.Tenant, y.Tenant); c != 0 {
		return c
	}
	return strings.Compare(x.ID, y.ID)
}

// Events implements orchestrator.Store.
func (m *Memory) Events(ctx context.Context, k orchestrator.Key, after uint64, limit int) (events []orchestrator.Event, err error) {
	err = m.do(ctx, func() error {
		if _, err := m.task(k); err != nil {
			return err
		}
		all := m.events[k]
		all = all[min(after, uint64(len(all))):]
		events = slices.Clone(all[:min(limit, len(all))])
		return nil
	})
	return events, err
}

// AgentContext implements orchestrator.ContextStore.
func (m *Memory) AgentContext(ctx context.Context, k orchestrator.ContextKey) (id string, err error) {
	err = m.do(ctx, func() error {
		id = m.contexts[k]
		return nil
	})
	return id, err
}

// SetAgentContext implements orchestrator.ContextStore.
func (m *Memory) SetAgentContext(ctx context.Context, k orchestrator.ContextKey, id string) error {
	return m.do(ctx, func() error {
		if m.contexts == nil {
			m.contexts = make(map[orchestrator.ContextKey]string)
		}
		m.contexts[k] = id
		return nil
	})
}
