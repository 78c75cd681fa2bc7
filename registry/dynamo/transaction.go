package dynamo

import (
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/registry"
)

// transaction holds what one change writes.
type transaction struct {
	store *Store
	id    string
	key   registry.Key
	old   *stored
	items []types.TransactWriteItem

	entry      *registry.Entry // for the change log; nil for none
	request    int             // index of the item that remembers the request; -1 for none
	generation string          // of the rows in the new state
	staged     rows            // rows that must be written before
	unused     []string        // keys of rows that are garbage afterwards
}

// transaction plans a change to what was read.
func (s *Store) transaction(key registry.Key, old *stored, c registry.Change) (*transaction, error) {
	t := &transaction{store: s, id: newID(), key: key, old: old, request: -1}
	t.entry = changed(old, c, key.Name)
	var err error
	switch {
	case c.Record != nil:
		err = t.put(c)
	case old != nil:
		err = t.remove()
	}
	if err != nil {
		return nil, err
	}
	if c.Remember != nil {
		put, err := s.putRequest(c.Remember)
		if err != nil {
			return nil, err
		}
		t.request = len(t.items)
		t.items = append(t.items, types.TransactWriteItem{Put: put})
	}
	return t, nil
}

// put writes an agent, and its status if the agent is new.
func (t *transaction) put(c registry.Change) error {
	old := &stored{generation: newID(), life: newID()}
	var record *registry.Record
	var unchanged *writes
	if t.old != nil {
		old, record, unchanged = t.old, &t.old.record, &t.old.writes
	}
	t.generation = old.generation
	rows := t.rows(record, c.Record)
	versions, err := t.version(c.Version, old)
	if err != nil {
		return err
	}
	agent, card, digest, err := newAgentItem(&stored{
		record: *c.Record, generation: t.generation, life: old.life, versions: versions, writes: old.writes.next(t.id), item: old.item,
	})
	if err != nil {
		return err
	}
	if err := t.putAgent(agent, unchanged); err != nil {
		return err
	}
	if digest != old.cardDigest {
		if card != nil {
			t.putItem(tableMetadata, card)
		}
		if old.cardDigest != "" {
			t.delete(tableMetadata, cardKey(t.key, old.cardDigest))
		}
	}
	t.tokens(record, c.Record)
	t.items = append(t.items, rows...)
	if t.old != nil {
		return nil
	}
	status, err := newStatusItem(t.key, c.Pulse, writes{}.next(t.id), nil) // that of an earlier agent of this name does not matter
	t.putItem(tableStatus, status)
	return err
}

// remove deletes an agent with everything that belongs to it.
func (t *transaction) remove() error {
	var condition types.Put // used only to build the condition
	if err := setCondition(&condition, &t.old.writes); err != nil {
		return err
	}
	t.items = append(t.items, types.TransactWriteItem{Delete: &types.Delete{
		TableName: t.store.db.Table(tableMetadata), Key: keyItem(agentKey(t.key)), ConditionExpression: condition.ConditionExpression,
		ExpressionAttributeNames: condition.ExpressionAttributeNames, ExpressionAttributeValues: condition.ExpressionAttributeValues,
		ReturnValuesOnConditionCheckFailure: condition.ReturnValuesOnConditionCheckFailure,
	}})
	t.delete(tableStatus, agentKey(t.key))
	if t.old.cardDigest != "" {
		t.delete(tableMetadata, cardKey(t.key, t.old.cardDigest))
	}
	t.tokens(&t.old.record, nil)
	for _, number := range t.old.versions {
		t.unused = append(t.unused, versionKey(t.key, t.old.life, number))
	}
	t.generation = t.old.generation
	t.items = append(t.items, t.rows(&t.old.record, nil)...)
	return nil
}

// rows changes the rows in the index to those of next: in the transaction if they fit, otherwise as a new generation.
func (t *transaction) rows(old, next *registry.Record) []types.TransactWriteItem {
	had, has := rowsOf(old), rowsOf(next)
	now := t.store.db.Now()
	var items []types.TransactWriteItem
	for id, tags := range has {
		if was, there := had[id]; !there || !slices.Equal(was, tags) {
			items = append(items, types.TransactWriteItem{Put: &types.Put{
				TableName: t.store.db.Table(tableMetadata), Item: rowItem(t.key, t.generation, id, tags, now),
			}})
		}
	}
	for id := range had {
		if _, stays := has[id]; !stays {
			items = append(items, types.TransactWriteItem{Delete: &types.Delete{
				TableName: t.store.db.Table(tableMetadata), Key: keyItem(rowKey(t.key, t.generation, id)),
			}})
		}
	}
	if len(items) <= maxRows {
		return items
	}
	if old != nil {
		t.unused = append(t.unused, rowKeys(t.key, t.old.generation, had)...)
		t.generation = newID()
	}
	if next != nil {
		t.staged = has
	}
	return nil
}

func (t *transaction) tokens(old, next *registry.Record) {
	if old != nil && old.HasToken() && (next == nil || next.TokenHash != old.TokenHash) {
		t.delete(tableMetadata, tokenKey(old.TokenHash))
	}
	if next != nil && next.HasToken() && (old == nil || next.TokenHash != old.TokenHash) {
		item := keyItem(tokenKey(next.TokenHash))
		item["tenant"] = &types.AttributeValueMemberS{Value: t.key.Tenant}
		item["name"] = &types.AttributeValueMemberS{Value: t.key.Name}
		t.putItem(tableMetadata, item)
	}
}

// putAgent writes the agent's item on condition that the last write to it is still was.
func (t *transaction) putAgent(item ddb.Item, was *writes) error {
	put := &types.Put{TableName: t.store.db.Table(tableMetadata), Item: item}
	t.items = append(t.items, types.TransactWriteItem{Put: put})
	return setCondition(put, was)
}

func (t *transaction) putItem(table string, item ddb.Item) {
	t.items = append(t.items, types.TransactWriteItem{Put: &types.Put{TableName: t.store.db.Table(table), Item: item}})
}

func (t *transaction) delete(table, key string) {
	t.items = append(t.items, types.TransactWriteItem{Delete: &types.Delete{TableName: t.store.db.Table(table), Key: keyItem(key)}})
}
