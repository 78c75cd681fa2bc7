// Package lease divides the work between replicas that share a store. There is no leader: every replica reads who is alive and who holds what, takes what
// is free up to its share, and gives up what is beyond it. Life is judged by each observer's own monotonic clock, never by comparing clocks; what a
// replica does that was only paused and not dead is refused by the epoch of its lease.
package lease

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/quorate/quorate/orchestrator"
)

// Worker works on the tasks of the groups that are held.
type Worker interface {
	// Gained says that the group's tasks are now this replica's to work on.
	Gained(group int)
	// Drop has to end all work on the group's tasks and return when it has ended, or ctx has.
	Drop(ctx context.Context, group int)
	// Look says that a task has to be looked at. Nobody says it again: it must not be forgotten when ctx ends, which is soon.
	Look(ctx context.Context, k orchestrator.Key)
}

// Config is what a Manager works with. Store and Logger are required.
type Config struct {
	Store    orchestrator.LeaseStore
	Logger   *slog.Logger
	Node     string        // unique among all processes that ever used the store; default random
	Duration time.Duration // how long a silent replica keeps its leases; at least 1 s, default 10 s
	Collect  time.Duration // how often word of the others is looked for; default 250 ms
}

// Defaults of a Config, and how they divide: a replica beats five times while its lease lasts, and stops acting a fifth before the others may take over.
const (
	defaultDuration = 10 * time.Second
	minDuration     = time.Second
	defaultCollect  = 250 * time.Millisecond
	beats           = 5
	parallel        = 16 // calls to the store at a time
	idleRounds      = 2  // that a group stays free for those who have less than their share
)

// Manager holds leases for one process.
type Manager struct {
	store    orchestrator.LeaseStore
	logger   *slog.Logger
	node     string
	duration time.Duration
	collect  time.Duration

	seen map[string]sign          // by node; used by Run only
	beat uint64                   // used by Run only
	idle [orchestrator.Groups]int // rounds in a row that a group was free; used by Run only

	mu    sync.Mutex
	until time.Time                   // guarded by mu; what is held may be acted on before
	held  [orchestrator.Groups]uint64 // guarded by mu; epochs; 0 is a group that is not held
	owner [orchestrator.Groups]string // guarded by mu; as last read
}

// sign is the last new sign of life of a node.
type sign struct {
	beats uint64
	at    time.Time // when it was first seen, by this process's own clock
	left  bool      // at that time the node was not there any more
}

// New returns a manager that holds nothing; Run makes it take leases.
func New(c Config) (*Manager, error) {
	if c.Duration == 0 {
		c.Duration = defaultDuration
	}
	if c.Duration < minDuration {
		return nil, fmt.Errorf("a lease of %s is too short: replicas need at least %s", c.Duration, minDuration)
	}
	if c.Collect <= 0 {
		c.Collect = defaultCollect
	}
	if c.Node == "" {
		b := make([]byte, 8)
		rand.Read(b)
		c.Node = hex.EncodeToString(b)
	}
	return &Manager{store: c.Store, logger: c.Logger, node: c.Node, duration: c.Duration, collect: c.Collect, seen: make(map[string]sign)}, nil
}

// Epoch returns the epoch under which tasks of a shard may be worked on now; false when they may not.
func (m *Manager) Epoch(shard int) (uint64, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	epoch := m.held[orchestrator.GroupOf(shard)]
	return epoch, epoch > 0 && time.Now().Before(m.until)
}

// Held returns how many of the groups, of which there are orchestrator.Groups, may be worked on now.
func (m *Manager) Held() (groups int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !time.Now().Before(m.until) {
		return 0
	}
	for _, epoch := range m.held {
		if epoch > 0 {
			groups++
		}
	}
	return groups
}

// Choose returns a shard for a new task: one that is held if any is, which spares handing the task over, and otherwise the task's own.
func (m *Manager) Choose(taskID string) (shard int, epoch uint64, held bool) {
	shard = orchestrator.ShardOf(taskID)
	m.mu.Lock()
	defer m.mu.Unlock()
	if !time.Now().Before(m.until) {
		return shard, 0, false
	}
	for range orchestrator.Groups {
		if epoch := m.held[orchestrator.GroupOf(shard)]; epoch > 0 {
			return shard, epoch, true
		}
		shard = (shard + orchestrator.ShardsPerGroup) % orchestrator.Shards
	}
	return shard, 0, false
}

// Tell leaves word with whoever holds a shard that a task has to be looked at. Where nobody does there is no need: whoever takes it looks at all its tasks.
func (m *Manager) Tell(ctx context.Context, shard int, k orchestrator.Key) error {
	group := orchestrator.GroupOf(shard)
	m.mu.Lock()
	owner := m.owner[group]
	m.mu.Unlock()
	if owner == m.node { // then it was, and the store knows better
		leases, err := m.store.Leases(ctx)
		if err != nil {
			return err
		}
		owner = view(leases)[group].Owner
	}
	if owner == "" || owner == m.node {
		return nil
	}
	return m.store.Post(ctx, owner, k)
}
