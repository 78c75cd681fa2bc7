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
	// maxTogether is how many items one transaction holds.
	maxTogether = 100
	// maxTogetherBytes is how large they are together at most; DynamoDB's limit is 4 MB.
	maxTogetherBytes = 3 << 20
	// logged is how many items an entry of the log needs.
	logged = 2
)

// tails are the ends of the tenants' logs as this process knows them; the zero value is empty.
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

// tail is the end of one log, and who waits to write there.
type tail struct {
	turn  chan struct{} // who has put a value in may use known and head, and writes for all who wait
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
	whenGone func(func(cause error)) (stop func() bool) // calls a function once the caller does not wait any more
	ended    chan struct{}                              // closed when err is known
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

// leave reports whether w has been waiting until now.
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

// batch takes those from the queue that fit one transaction: the first and, in order, those behind it that have no item in common.
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

// itemKeys returns which items of the tables a change is about: no transaction takes one twice.
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
