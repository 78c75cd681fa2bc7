package dynamo

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/registry"
)

// commit writes items together with an entry in the tenant's log, unless entry is nil. The revision is a condition of the transaction, so that the
// log has neither gaps nor duplicates, whichever process writes to it. Changes that wait for the end of the log in one process are written together
// in one transaction, so that the log can grow by a batch in the time of one write. If a condition of one change fails, only that change fails.
func (s *Store) commit(ctx context.Context, tenant string, items []types.TransactWriteItem, entry *registry.Entry) error {
	if entry == nil {
		return s.db.Transact(ctx, items)
	}
	t, w := s.tails.of(tenant), newWaiting(ctx, items, entry)
	t.join(w)
	select {
	case <-w.ended:
		return w.err
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
		for !w.over() {
			s.commitTogether(ctx, tenant, t, t.batch())
		}
		return w.err
	case <-ctx.Done():
		if t.leave(w) {
			return context.Cause(ctx)
		}
		<-w.ended // it is being written; the result is known when all callers of the batch are gone, or earlier
		return w.err
	}
}

// commitTogether writes a batch and tells each change its result. The caller must have the turn.
func (s *Store) commitTogether(ctx context.Context, tenant string, t *tail, batch []*waiting) {
	ctx, stop := untilAllAreGone(ctx, batch)
	defer stop()
	for try := 0; len(batch) > 0; {
		err := s.tryTogether(ctx, tenant, t, batch)
		at := whose(batch, err)
		switch {
		case err == nil:
			endAll(batch, nil)
			return
		case at == inLog && try == ddb.MaxTries:
			endAll(batch, ddb.Contended("the log of changes"))
			return
		case at == inLog: // another process was faster
			if waitErr := ddb.WaitContended(ctx, try); waitErr != nil {
				endAll(batch, waitErr)
				return
			}
			try++
		case at >= 0:
			batch[at].end(refusalOf(batch, at, err))
			batch = append(batch[:at:at], batch[at+1:]...)
		default:
			endAll(batch, err)
			return
		}
	}
}

// tryTogether writes a batch at the end of the log.
func (s *Store) tryTogether(ctx context.Context, tenant string, t *tail, batch []*waiting) error {
	if !t.known {
		head, err := s.Head(ctx, tenant)
		if err != nil {
			return err
		}
		t.head, t.known = head, true
	}
	var items, entries []types.TransactWriteItem
	for i, w := range batch {
		appended, err := s.logItems(tenant, t.head+1+int64(i), w.entry)
		if err != nil {
			return err
		}
		items, entries = append(items, w.items...), append(entries, appended...)
	}
	err := s.db.Transact(ctx, append(items, entries...))
	if err == nil {
		t.head += int64(len(batch))
	} else {
		t.known = whose(batch, err) >= 0 // otherwise the end of the log may be different
	}
	return err
}

// Results of whose when the failed condition belongs to none of the batch.
const (
	inLog   = -1
	nobodys = -2
)

// whose returns the index of the change whose condition failed.
func whose(batch []*waiting, err error) int {
	refused, ok := errors.AsType[*ddb.RefusedError](err)
	if !ok {
		return nobodys
	}
	rest := refused.Index
	for i, w := range batch {
		if rest < len(w.items) {
			return i
		}
		rest -= len(w.items)
	}
	return inLog
}

// refusalOf returns the refusal of a batch as the refusal of the change at index at.
func refusalOf(batch []*waiting, at int, err error) error {
	refused, _ := errors.AsType[*ddb.RefusedError](err)
	own := *refused
	for _, before := range batch[:at] {
		own.Index -= len(before.items)
	}
	return &own
}

// untilAllAreGone returns a context that ends when all callers of the batch have disconnected.
func untilAllAreGone(ctx context.Context, batch []*waiting) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	var left atomic.Int64
	left.Store(int64(len(batch)))
	stops := make([]func() bool, len(batch))
	for i, w := range batch {
		stops[i] = w.whenGone(func(cause error) {
			if left.Add(-1) == 0 {
				cancel(cause)
			}
		})
	}
	return ctx, func() {
		for _, stop := range stops {
			stop()
		}
		cancel(nil)
	}
}
