package dynamo

import (
	"context"
	"slices"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/registry"
)

const (
	// maxTogether is how many items fit into one transaction.
	maxTogether = 100
	// maxTogetherBytes is their maximum total size; DynamoDB's limit is 4 MB.
	maxTogetherBytes = 3 << 20
	// logged is how many items a log entry takes.
	logged = 2
)

// tails are the ends of the tenants' logs as this process knows them. The zero value is empty.
type tails struct {
	mu      sync.Mutex
	tenants map[string]*tail // guarded by mu
}

func (t *tails) of(tenant string) *tail {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.tenants == nil {
		t.tenants = make(map[string]*tail)
	}
	if t.tenants[tenant] == nil {
		t.tenants[tenant] = &tail{turn: make(chan struct{}, 1)}
	}
	return t.tenants[tenant]
}

// tail is the end of one log, with the changes that wait to be appended.
type tail struct {
	turn  chan struct{} // a semaphore: its holder may use known and head, and writes for all that wait
	known bool
	head  int64

	mu    sync.Mutex
	queue []*waiting // guarded by mu
}

// waiting is a change that waits for its revision.
type waiting struct {
	items    []types.TransactWriteItem
	entry    *registry.Entry
	bytes    int
	whenGone func(func(cause error)) (stop func() bool) // registers a function to be called once the caller no longer waits
	ended    chan struct{}                              // closed when err is set
	err      error
}

func newWaiting(ctx context.Context, items []types.TransactWriteItem, entry *registry.Entry) *waiting {
	w := &waiting{items: items, entry: entry, ended: make(chan struct{})}
	for i := range items {
		if put := items[i].Put; put != nil {
			w.bytes += ddb.Size(put.Item)
		}
	}
	w.whenGone = func(call func(error)) func() bool {
		return context.AfterFunc(ctx, func() { call(context.Cause(ctx)) })
	}
	return w
}

func (w *waiting) end(err error) {
	w.err = err
	close(w.ended)
}

func (w *waiting) over() bool {
	select {
	case <-w.ended:
		return true
	default:
		return false
	}
}

func endAll(batch []*waiting, err error) {
	for _, w := range batch {
		w.end(err)
	}
}

func (t *tail) join(w *waiting) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.queue = append(t.queue, w)
}

// leave removes w from the queue and reports whether it was still there.
func (t *tail) leave(w *waiting) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := slices.Index(t.queue, w)
	if at < 0 {
		return false
	}
	t.queue = slices.Delete(t.queue, at, at+1)
	return true
}

// batch takes from the queue what fits into one transaction: the first change and, in order, those that share no item with the ones before.
func (t *tail) batch() []*waiting {
	t.mu.Lock()
	defer t.mu.Unlock()
	var batch, rest []*waiting
	items, bytes := 0, 0
	taken := make(map[string]bool)
	for i, w := range t.queue {
		if len(batch) > 0 && (items+len(w.items)+logged > maxTogether || bytes+w.bytes > maxTogetherBytes) {
			rest = append(rest, t.queue[i:]...)
			break
		}
		keys := itemKeys(w.items)
		if slices.ContainsFunc(keys, func(key string) bool { return taken[key] }) {
			rest = append(rest, w)
			continue
		}
		for _, key := range keys {
			taken[key] = true
		}
		batch = append(batch, w)
		items, bytes = items+len(w.items)+logged, bytes+w.bytes
	}
	t.queue = rest
	return batch
}

// itemKeys returns the keys of the items that a change is about; a transaction must not contain an item twice.
func itemKeys(items []types.TransactWriteItem) []string {
	keys := make([]string, 0, len(items))
	for _, item := range items {
		switch {
		case item.Put != nil:
			keys = append(keys, *item.Put.TableName+" "+ddb.TextOf(item.Put.Item, attrAgentName))
		case item.Delete != nil:
			keys = append(keys, *item.Delete.TableName+" "+ddb.TextOf(item.Delete.Key, attrAgentName))
		case item.ConditionCheck != nil:
			keys = append(keys, *item.ConditionCheck.TableName+" "+ddb.TextOf(item.ConditionCheck.Key, attrAgentName))
		}
	}
	return keys
}
