package embedded

import (
	"context"
	"slices"

	"go.etcd.io/bbolt"

	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/newer"
	"github.com/quorate/quorate/registry"
)

// Update reads an agent and writes what change makes of it, in one transaction.
func (s *Store) Update(ctx context.Context, key registry.Key, change func(old *registry.Record) (registry.Change, error)) error {
	return s.db.Update(ctx, func(tx *bbolt.Tx) error {
		var old *registry.Record
		record, err := s.reader(tx).agent(key)
		if err == nil {
			old = &record
		} else if fault.KindOf(err) != fault.NotFound {
			return err
		}
		c, err := change(old)
		if err != nil {
			return boltdb.Unwritten(err)
		}
		w := &writer{tx: tx, key: key, dry: c.DryRun}
		w.request(c.Remember)
		w.tokens(old, c.Record)
		w.skills(old, c.Record)
		w.tags(old, c.Record)
		w.looks(old, c.Record)
		w.agent(old, c.Record)
		w.version(c)
		if c.Record == nil {
			w.remove(bucketPulses, w.id())
		} else if old == nil && c.Pulse != nil {
			w.pulse(*c.Pulse)
		}
		w.changed(old, c)
		return w.err
	})
}

// UpdatePulse reads an agent's pulse and writes what change makes of it, in one transaction.
func (s *Store) UpdatePulse(ctx context.Context, key registry.Key, change func(old registry.Pulse) (registry.Pulse, error)) error {
	return s.db.Update(ctx, func(tx *bbolt.Tx) error {
		w := &writer{tx: tx, key: key}
		if tx.Bucket(bucketAgents).Get(w.id()) == nil {
			return boltdb.Unwritten(registry.Missing(key))
		}
		old, _, err := s.reader(tx).pulse(key)
		if err != nil {
			return err
		}
		next, err := change(old)
		if err != nil {
			return boltdb.Unwritten(err)
		}
		w.pulse(next)
		w.announced(old, next)
		return w.err
	})
}

// writer writes the rows of one agent. After the first error, which it keeps, it writes no more.
type writer struct {
	tx  *bbolt.Tx
	key registry.Key
	dry bool
	err error
}

func (w *writer) id() []byte { return boltdb.Key(w.key.Tenant, w.key.Name) }

func (w *writer) put(bucket, key, value []byte) {
	if w.err == nil && !w.dry {
		w.err = w.tx.Bucket(bucket).Put(key, value)
	}
}

func (w *writer) putItem(bucket, value []byte) {
	if w.err == nil && !w.dry {
		w.err = putItem(w.tx.Bucket(bucket), w.id(), value)
	}
}

func (w *writer) remove(bucket, key []byte) {
	if w.err == nil && !w.dry {
		w.err = w.tx.Bucket(bucket).Delete(key)
	}
}

// encoded returns v as JSON and keeps the error.
func (w *writer) encoded(what string, v any) []byte {
	if w.err != nil {
		return nil
	}
	value, err := encode(what, v)
	w.err = err
	return value
}

func (w *writer) pulse(p registry.Pulse) {
	w.putItem(bucketPulses, w.encoded("the status of agent "+w.key.Name, p))
}

// agentItem describes the agent's item in errors: what is too large in it is what an admin wrote.
func (w *writer) agentItem() string { return "agent " + w.key.Name + ", with its metadata," }

func (w *writer) agent(old, r *registry.Record) {
	if r == nil {
		w.remove(bucketAgents, w.id())
		w.remove(bucketCards, w.id())
		return
	}
	if w.err == nil {
		w.err = boltdb.CheckItem("the card of agent "+w.key.Name, len(r.RawCard))
	}
	value := w.encoded(w.agentItem(), newItem(r))
	if old != nil {
		value = w.keepNewer(value, w.encoded(w.agentItem(), newItem(old)))
	}
	w.putItem(bucketAgents, value)
	w.put(bucketCards, w.id(), r.RawCard)
}

// keepNewer returns an agent's item, which replaces the stored one, with what a newer version has put into that. again is the stored one as this version
// writes it.
func (w *writer) keepNewer(next, again []byte) []byte {
	stored := w.tx.Bucket(bucketAgents).Get(w.id())
	if w.err != nil || len(stored) < serialSize {
		return next
	}
	kept := newer.Record(next, again, stored[serialSize:])
	w.err = boltdb.CheckItem(w.agentItem(), len(kept))
	return kept
}

// skills updates the index rows to those of next.
func (w *writer) skills(old, next *registry.Record) {
	rows := make(map[string]bool)
	if next != nil {
		for _, skill := range next.Card.Skills {
			rows[skill.ID] = true
			w.put(bucketSkills, boltdb.Key(w.key.Tenant, skill.ID, w.key.Name), w.encoded("the skill "+skill.ID, skill))
		}
	}
	if old == nil {
		return
	}
	for _, skill := range old.Card.Skills {
		if !rows[skill.ID] {
			w.remove(bucketSkills, boltdb.Key(w.key.Tenant, skill.ID, w.key.Name))
		}
	}
}

// tags updates the index rows to those of next.
func (w *writer) tags(old, next *registry.Record) {
	var had, has []string
	if old != nil {
		had = old.Card.FoldedTags()
	}
	if next != nil {
		has = next.Card.FoldedTags()
	}
	for _, tag := range has {
		if !slices.Contains(had, tag) {
			w.put(bucketTags, boltdb.Key(w.key.Tenant, tag, w.key.Name), nil)
		}
	}
	for _, tag := range had {
		if !slices.Contains(has, tag) {
			w.remove(bucketTags, boltdb.Key(w.key.Tenant, tag, w.key.Name))
		}
	}
}

// looks updates the index row to that of next.
func (w *writer) looks(old, next *registry.Record) {
	row := boltdb.Key(w.key.Tenant, registry.Skeleton(w.key.Name), w.key.Name)
	switch {
	case old == nil && next != nil:
		w.put(bucketLooks, row, nil)
	case old != nil && next == nil:
		w.remove(bucketLooks, row)
	}
}

func (w *writer) tokens(old, next *registry.Record) {
	if old != nil && old.HasToken() && (next == nil || next.TokenHash != old.TokenHash) {
		w.remove(bucketTokens, old.TokenHash[:])
	}
	if next != nil && next.HasToken() {
		w.put(bucketTokens, next.TokenHash[:], w.id())
	}
}
