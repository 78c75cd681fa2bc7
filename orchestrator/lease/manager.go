// Package lease divides the work between replicas that share a store. There is no leader: every replica reads which replicas are alive and who holds
// what, takes free groups up to its share, and releases those beyond it. Each replica judges by its own monotonic clock whether others are alive, so
// clocks are never compared. If a replica was only paused and continues, its writes are refused because of the epochs of its leases.
package lease

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/quorate/quorate/orchestrator"
)

// Worker works on the tasks of the groups that this replica holds.
type Worker interface {
	// Gained is called when this replica has gained a group, or may work on it again after a time in which it could not.
	Gained(group int)
	// Drop must end all work on the group's tasks, and return when it has ended or ctx has.
	Drop(ctx context.Context, group int)
	// Look is called when a task needs attention. The call is not repeated, so it must not be forgotten when ctx ends, which is soon.
	Look(ctx context.Context, k orchestrator.Key)
}

// Config holds the dependencies and settings of a Manager. Store and Logger are required.
type Config struct {
	Store    orchestrator.LeaseStore
	Logger   *slog.Logger
	Node     string        // unique among all processes that ever use the store; default random
	Duration time.Duration // how long a silent replica keeps its leases; at least 1 s, default 10 s
	Collect  time.Duration // how often to collect messages of other replicas; default 250 ms
}

// Defaults of a Config, and fractions of the lease duration: a replica sends five signs of life in that time, and stops working a fifth of it before
// others may take over.
const (
	defaultDuration = 10 * time.Second
	minDuration     = time.Second
	defaultCollect  = 250 * time.Millisecond
	beats           = 5
	parallel        = 16 // calls to the store at a time
	idleRounds      = 2  // for which a group stays free for replicas below their share
)

// Manager holds leases for one process.
type Manager struct {
	store    orchestrator.LeaseStore
	logger   *slog.Logger
	node     string
	duration time.Duration
	collect  time.Duration

	seen map[string]heartbeat     // by node; used by Run only
	beat uint64                   // used by Run only
	idle [orchestrator.Groups]int // used by Run only; how many rounds in a row a group was free

	unrenewed   int // used by Run only; how many rounds in a row failed
	unforgotten int // used by Run only; how many times in a row what is left of others was not deleted
	uncollected int // used by Run only; how many times in a row messages could not be read

	mu    sync.Mutex
	until time.Time                   // guarded by mu; the groups held may be worked on until then
	held  [orchestrator.Groups]uint64 // guarded by mu; epochs; 0 for a group that is not held
	owner [orchestrator.Groups]string // guarded by mu; as last read

	written [orchestrator.Groups]uint64 // guarded by mu; the highest epoch of a task that was above that of the lease; 0 for none
}

// heartbeat is the latest sign of life of a node.
type heartbeat struct {
	beats uint64
	at    time.Time // when it was first seen, by this process's clock
	left  bool      // the node was no longer listed at that time
}

// New returns a manager that holds nothing. Run makes it take leases.
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
	return &Manager{store: answered{c.Store}, logger: c.Logger, node: cmp.Or(c.Node, rand.Text()), duration: c.Duration, collect: c.Collect}, nil
}

// Epoch returns the epoch under which tasks of a shard may be worked on now; ok is false when they may not.
func (m *Manager) Epoch(shard int) (uint64, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	epoch := m.held[orchestrator.GroupOf(shard)]
	return epoch, epoch > 0 && !m.lapsed()
}

// lapsed reports whether the groups held may not be worked on now. The caller holds mu.
func (m *Manager) lapsed() bool { return !time.Now().Before(m.until) }

// Held returns how many of the orchestrator.Groups groups may be worked on now.
func (m *Manager) Held() (groups int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.lapsed() {
		return 0
	}
	for _, epoch := range m.held {
		if epoch > 0 {
			groups++
		}
	}
	return groups
}

// Choose returns a shard for a new task: if possible one that is held, so that the task need not be handed over; otherwise the task's own shard.
func (m *Manager) Choose(taskID string) (shard int, epoch uint64, held bool) {
	shard = orchestrator.ShardOf(taskID)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.lapsed() {
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

// Tell sends a message to the holder of a shard that a task needs attention. If nobody holds the shard none is needed: the next holder looks at all
// its tasks.
func (m *Manager) Tell(ctx context.Context, shard int, k orchestrator.Key) error {
	group := orchestrator.GroupOf(shard)
	m.mu.Lock()
	owner := m.owner[group]
	m.mu.Unlock()
	if owner == "" || owner == m.node { // it was nobody, or this replica, which may have changed since
		leases, err := m.store.Leases(ctx)
		if err != nil {
			return err
		}
		owner = allGroups(leases)[group].Owner
	}
	if owner == "" || owner == m.node {
		return nil
	}
	return m.store.Post(ctx, owner, k)
}
