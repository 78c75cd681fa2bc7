package orchestrator

import (
	"context"
	"hash/fnv"
)

// Work is divided into shards, and replicas hold leases on groups of shards. Both numbers are fixed for the lifetime of a store.
const (
	Shards         = 1024
	ShardsPerGroup = 8
	Groups         = Shards / ShardsPerGroup
)

// GroupOf returns the group of a shard.
func GroupOf(shard int) int { return shard / ShardsPerGroup }

// ShardOf returns the shard for a task that is accepted by a replica without shards of its own; a replica that holds shards chooses one of them
// instead.
func ShardOf(taskID string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(taskID)) // never fails
	return int(h.Sum32() % Shards)
}

// Node is a replica as the others see it.
type Node struct {
	ID    string // differs with each start of a process
	Beats uint64 // incremented with each sign of life; others watch it change and use their own clocks
}

// Lease is the right to work on the tasks of a group. Each new owner gets a higher epoch, and writes under an earlier epoch are refused.
type Lease struct {
	Group int
	Owner string // a node; empty after a release
	Epoch uint64
}

// LeaseStore keeps leases, nodes and the messages between nodes. Every write is durable before it returns, and every read sees all earlier writes.
// A write that ends with ctx may still be performed, and after later ones.
type LeaseStore interface {
	// Beat stores the current state of a node.
	Beat(ctx context.Context, n Node) error
	// Nodes lists the nodes that have not left, in no particular order.
	Nodes(ctx context.Context) ([]Node, error)
	// Leave removes a node and what was posted to it. Its leases stay as they are, and other nodes may take them at once.
	Leave(ctx context.Context, node string) error
	// Leases lists all leases that were ever taken, in no particular order.
	Leases(ctx context.Context) ([]Lease, error)
	// Take makes a node the owner of a group under the epoch after seen. If seen is no longer the epoch of the lease (0 before it was first taken),
	// the result is a Conflict fault with the reason LEASE_TAKEN.
	Take(ctx context.Context, group int, node string, seen uint64) (Lease, error)
	// Release clears the owner of a lease and keeps its epoch. It does nothing if the lease has another owner or epoch by now.
	Release(ctx context.Context, l Lease) error
	// Post tells a node that a task needs attention; the zero Key, that of no task, is delivered like the others. Posting the same task again before it
	// is collected has no effect.
	Post(ctx context.Context, node string, k Key) error
	// Collect removes and returns up to limit tasks that were posted to a node. A task may be returned twice, but is never lost.
	Collect(ctx context.Context, node string, limit int) ([]Key, error)
}
