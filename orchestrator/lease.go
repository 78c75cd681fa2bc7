package orchestrator

import (
	"context"
	"hash/fnv"
)

// Work is divided into shards, and replicas hold leases on groups of shards. The numbers are fixed for the life of a store.
const (
	Shards         = 1024
	ShardsPerGroup = 8
	Groups         = Shards / ShardsPerGroup
)

// GroupOf returns the group of a shard.
func GroupOf(shard int) int { return shard / ShardsPerGroup }

// ShardOf returns the shard of a task that is accepted where no shard is held. A replica that holds shards chooses one of its own instead.
func ShardOf(taskID string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(taskID)) // it never fails
	return int(h.Sum32() % Shards)
}

// Node is a replica as it shows itself to the others.
type Node struct {
	ID    string // new with each start of a process
	Beats uint64 // grows with each sign of life; others judge it by their own clocks
}

// Lease is the right to work on the tasks of a group. The epoch grows with every owner: what an earlier one still writes is refused.
type Lease struct {
	Group int
	Owner string // a node; empty after a release
	Epoch uint64
}

// LeaseStore keeps who works on what. Every write is durable before it returns, and every read sees every earlier write.
type LeaseStore interface {
	// Beat stores a node as it is now.
	Beat(ctx context.Context, n Node) error
	// Nodes lists the nodes that have not left, in no order.
	Nodes(ctx context.Context) ([]Node, error)
	// Leave removes a node and the word left for it. Its leases stay as they are; nobody has to wait before taking them.
	Leave(ctx context.Context, node string) error
	// Leases lists the leases that were ever taken, in no order.
	Leases(ctx context.Context) ([]Lease, error)
	// Take makes a node the owner of a group under the epoch after seen, which must still be the lease's epoch (0: it was never taken);
	// otherwise it is fault Conflict "LEASE_TAKEN".
	Take(ctx context.Context, group int, node string, seen uint64) (Lease, error)
	// Release empties the owner of a lease and keeps its epoch. A lease that has another owner or epoch by now is left alone.
	Release(ctx context.Context, l Lease) error
	// Post leaves word for a node that a task has to be looked at; the same word twice is one.
	Post(ctx context.Context, node string, k Key) error
	// Collect returns and removes up to limit words that were left for a node. A word may come twice, and is never lost.
	Collect(ctx context.Context, node string, limit int) ([]Key, error)
}
