package dynamo

import (
	"context"
	"errors"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

// UpdatePulse reads an agent's pulse and writes what change makes of it. The usual heartbeat is one write without a read: the pulse that this process
// wrote last is used as the old one, and the write's condition fails if it no longer is.
func (s *Store) UpdatePulse(ctx context.Context, key registry.Key, change func(old registry.Pulse) (registry.Pulse, error)) error {
	old, hinted := s.hints.get(key)
	for try := range ddb.MaxTries {
		if !hinted {
			var err error
			if old, err = s.readStatus(ctx, key); err != nil {
				return err
			}
		}
		next, err := change(old.pulse)
		if err != nil {
			if hinted { // perhaps because the pulse has changed
				hinted = false
				continue
			}
			return err
		}
		made, err := s.writeStatus(ctx, key, old, next)
		if err != nil {
			s.hints.remove(key)
			return err
		}
		if made != nil {
			s.hints.put(key, made)
			return nil
		}
		hinted = false
		if err := ddb.WaitContended(ctx, try); err != nil {
			return err
		}
	}
	return ddb.Contended("agent " + key.Name)
}

// readStatus returns an agent's status, or the fault of registry.Missing. If the status was garbage-collected, the result has an epoch higher than
// any before, so that no process of that time can speak for the agent.
func (s *Store) readStatus(ctx context.Context, key registry.Key) (*status, error) {
	item, err := s.get(ctx, tableStatus, agentKey(key))
	if err != nil {
		return nil, err
	}
	if item != nil {
		return readStatus(item)
	}
	agent, err := s.get(ctx, tableMetadata, agentKey(key))
	if err != nil {
		return nil, err
	}
	if ddb.TextOf(agent, attrListing) != listAgents {
		return nil, registry.Missing(key)
	}
	return &status{pulse: registry.Pulse{Epoch: s.db.Now().Unix()}, collected: true}, nil
}

// writeStatus replaces old by a pulse and returns what is stored now, or nil if old is no longer stored.
func (s *Store) writeStatus(ctx context.Context, key registry.Key, old *status, next registry.Pulse) (*status, error) {
	made := &status{pulse: next, writes: old.writes.next(newID()), rest: old.rest}
	item, err := newStatusItem(key, &next, made.writes, made.rest)
	if err != nil {
		return nil, err
	}
	err = s.commitStatus(ctx, key, old, next, &types.Put{TableName: s.db.Table(tableStatus), Item: item})
	refused, isRefused := errors.AsType[*ddb.RefusedError](err)
	switch {
	case err == nil:
		return made, nil
	case isRefused && !refused.Lost:
		return nil, nil
	case isRefused:
		return s.settle(refused.Item, old, made, err)
	case fault.ReasonOf(err) == "WRITE_OUTCOME_UNKNOWN":
		return s.settleUnanswered(ctx, key, old, made, err)
	}
	return nil, err
}

// commitStatus writes a status: alone, together with an entry in the change log, or, if the status was garbage-collected, on condition that the agent
// exists.
func (s *Store) commitStatus(ctx context.Context, key registry.Key, old *status, next registry.Pulse, put *types.Put) error {
	was := &old.writes
	if old.collected {
		was = nil
	}
	if err := setCondition(put, was); err != nil {
		return err
	}
	entry := announced(old.pulse, next, key.Name)
	if entry == nil && !old.collected {
		return s.db.Put(ctx, *put)
	}
	items := []types.TransactWriteItem{{Put: put}}
	if old.collected {
		items = append(items, types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
			TableName: s.db.Table(tableMetadata), Key: keyItem(agentKey(key)),
			ConditionExpression: aws.String("attribute_exists(" + attrAgentName + ")"),
		}})
	}
	return s.commit(ctx, key.Tenant, items, entry)
}

// settleUnanswered finds out from the item what became of a write without an answer. It continues when the caller has disconnected.
func (s *Store) settleUnanswered(ctx context.Context, key registry.Key, old, made *status, cause error) (*status, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	item, err := s.get(ctx, tableStatus, agentKey(key))
	if err != nil {
		return nil, cause
	}
	st, err := s.settle(item, old, made, cause)
	if st == nil && err == nil {
		return nil, cause // not made yet, but it may still arrive
	}
	return st, err
}

// settle decides from the item what became of a write whose answer was lost. If the write was not made, it returns nil and no error.
func (s *Store) settle(item ddb.Item, old, made *status, cause error) (*status, error) {
	if item == nil {
		return nil, unsettled(cause) // the agent is gone, and it is unknown whether this was written before
	}
	now, err := readStatus(item)
	switch {
	case err != nil:
		return nil, err
	case now.writes.has(made.writes.LastReq):
		return now, nil
	case now.writes.has(old.writes.LastReq):
		return nil, nil // all writes since are known, and this one is not among them
	}
	return nil, unsettled(cause)
}

func unsettled(cause error) error {
	e := fault.New(fault.Unavailable, "WRITE_OUTCOME_UNKNOWN", "the store gave no answer to a heartbeat, and others have written since; beat again")
	e.Cause = cause
	return e
}

// maxHints is the maximum number of pulses that a process remembers.
const maxHints = 100_000

// hints are the pulses that this process wrote last. They may be outdated. The zero value is empty.
type hints struct {
	mu       sync.Mutex
	statuses map[registry.Key]*status // guarded by mu
}

func (h *hints) get(key registry.Key) (*status, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	st, ok := h.statuses[key]
	return st, ok
}

// put remembers a pulse. If there are too many, all are dropped: that is rare, and simpler than choosing.
func (h *hints) put(key registry.Key, st *status) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.statuses == nil || len(h.statuses) >= maxHints {
		h.statuses = make(map[registry.Key]*status)
	}
	h.statuses[key] = st
}

func (h *hints) remove(key registry.Key) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.statuses, key)
}
