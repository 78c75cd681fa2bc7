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

// settleTime bounds finding out what became of a write. It continues after the caller has disconnected.
const settleTime = 5 * time.Second

// idSize is the length of an id, of five random bits per character; ids need to differ from some dozens of others only.
const idSize = 12

// newID returns the id of a write or of a generation of rows.
func newID() string { return rand.Text()[:idSize] }

// Update reads an agent and writes what change makes of it. If somebody else has written meanwhile, it begins again.
func (s *Store) Update(ctx context.Context, key registry.Key, change func(old *registry.Record) (registry.Change, error)) error {
	return ddb.Contend(ctx, "agent "+key.Name, func() error {
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
		return s.write(ctx, key, old, c)
	})
}

// write applies one change to what was read. It returns ddb.ErrMoved if that is outdated.
func (s *Store) write(ctx context.Context, key registry.Key, old *stored, c registry.Change) error {
	t, err := s.transaction(key, old, c)
	switch {
	case err != nil:
		return err
	case c.DryRun:
		return s.checkRequest(ctx, c.Remember)
	case len(t.items) == 0:
		return nil
	}
	err = s.run(ctx, t)
	if old == nil || c.Record == nil {
		s.hints.remove(key)
	}
	return err
}

// run executes a planned change. It returns ddb.ErrMoved if what was read is outdated.
func (s *Store) run(ctx context.Context, t *transaction) error {
	key := t.key
	if t.staged != nil {
		if err := s.stage(ctx, key, t.generation, t.staged); err != nil {
			return err
		}
	}
	err := s.commit(ctx, key.Tenant, t.items, t.entry)
	refused, isRefused := errors.AsType[*ddb.RefusedError](err)
	switch {
	case err == nil:
		s.clean(ctx, t.unused)
		return nil
	case isRefused:
		s.clean(ctx, rowKeys(key, t.generation, t.staged))
		if refused.Index == t.request {
			return registry.ErrRequestSeen
		}
		return ddb.ErrMoved
	case fault.ReasonOf(err) == "WRITE_OUTCOME_UNKNOWN" && s.wasWritten(ctx, agentKey(key), t.id):
		s.clean(ctx, t.unused)
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
