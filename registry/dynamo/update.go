package dynamo

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"

	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

const (
	// maxTries bounds how often a change is repeated because another writer was faster.
	maxTries = 200
	// settleTime bounds finding out what became of a write. It continues after the caller has disconnected.
	settleTime = 5 * time.Second
)

// idSize is the length of an id, of five random bits per character; ids need to differ from some dozens of others only.
const idSize = 12

// newID returns the id of a write or of a generation of rows.
func newID() string { return rand.Text()[:idSize] }

// Update reads an agent and writes what change makes of it. If somebody else has written meanwhile, it begins again.
func (s *Store) Update(ctx context.Context, key registry.Key, change func(old *registry.Record) (registry.Change, error)) error {
	for try := range maxTries {
		old, err := s.read(ctx, key)
		if err != nil {
			return err
		}
		var record *registry.Record
		if old != nil {
			record = &old.record
		}
		c, err := change(record)
		if err != nil {
			return err
		}
		again, err := s.write(ctx, key, old, c)
		if err != nil || !again {
			return err
		}
		if err := ddb.WaitContended(ctx, try); err != nil {
			return err
		}
	}
	return contended(key)
}

func contended(key registry.Key) error {
	return fault.New(fault.Unavailable, "STORE_BUSY", "too many others write to agent %q at the same time", key.Name)
}

// write applies one change to what was read. again means that what was read is outdated.
func (s *Store) write(ctx context.Context, key registry.Key, old *stored, c registry.Change) (again bool, err error) {
	var was *status
	if old != nil && c.Record != nil && c.Pulse != nil {
		if was, err = s.readStatus(ctx, key); err != nil {
			return fault.KindOf(err) == fault.NotFound, ignoreMissing(err)
		}
	}
	t, err := s.transaction(key, old, was, c)
	switch {
	case err != nil:
		return false, err
	case c.DryRun:
		return false, s.checkRequest(ctx, c.Remember)
	case len(t.items) == 0:
		return false, nil
	}
	again, err = s.run(ctx, t)
	if old == nil || c.Record == nil || c.Pulse != nil {
		s.hints.remove(key)
	}
	return again, err
}

// run executes a planned change. again means that what was read is outdated.
func (s *Store) run(ctx context.Context, t *transaction) (again bool, err error) {
	key := t.key
	if t.staged != nil {
		if err := s.stage(ctx, key, t.generation, t.staged); err != nil {
			return false, err
		}
	}
	err = s.commit(ctx, key.Tenant, t.items, t.entry)
	refused, isRefused := errors.AsType[*ddb.RefusedError](err)
	switch {
	case err == nil:
		s.clean(ctx, t.unused)
		return false, nil
	case isRefused:
		s.clean(ctx, rowKeys(key, t.generation, t.staged))
		if refused.Index == t.request {
			return false, registry.ErrRequestSeen
		}
		return true, nil
	case fault.ReasonOf(err) == "WRITE_OUTCOME_UNKNOWN" && s.wasWritten(ctx, agentKey(key), t.id):
		s.clean(ctx, t.unused)
		return false, nil
	}
	return false, err
}

// ignoreMissing drops the fault of an agent that was just deleted: the change is then repeated without it.
func ignoreMissing(err error) error {
	if fault.KindOf(err) == fault.NotFound {
		return nil
	}
	return err
}

// checkRequest returns ErrRequestSeen if a request is remembered and has not expired.
func (s *Store) checkRequest(ctx context.Context, r *registry.Request) error {
	if r == nil {
		return nil
	}
	first, ok, err := s.Request(ctx, r.Key)
	if err == nil && ok && first.ExpireTime.After(r.CreateTime) {
		return registry.ErrRequestSeen
	}
	return err
}

// wasWritten reports whether an item of AgentMetadata has the id of the write. If not, that proves nothing.
func (s *Store) wasWritten(ctx context.Context, key, id string) bool {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	item, err := s.get(ctx, tableMetadata, key)
	var now writes
	return err == nil && attributevalue.UnmarshalMap(item, &now) == nil && now.has(id)
}
