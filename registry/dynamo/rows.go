package dynamo

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/registry"
)

const (
	// maxRows is how many skills one transaction writes, beside the other items of an agent; a transaction holds 100.
	maxRows = 80
	// garbageAge is how old a row is that no agent bears out before it is removed: no writer is still at work on it then.
	garbageAge = time.Hour
	// stagingTime is how long a writer may take for the rows of a generation before it names them; well below garbageAge.
	stagingTime = 5 * time.Minute
	// cleanTime bounds the removal of rows that nobody reads any more.
	cleanTime = 10 * time.Second
)

// borne is a row of an index and the agent that bears it out.
type borne struct {
	row   ddb.Item
	agent *stored
}

// borneOut returns the rows that their agents bear out, in order, and removes those that are garbage.
func (s *Store) borneOut(ctx context.Context, tenant string, rows []ddb.Item) ([]borne, error) {
	names, generations := make([]registry.Key, len(rows)), make([]string, len(rows))
	for i, row := range rows {
		name, generation := rowOf(tenant, text(row, attrAgentName))
		names[i], generations[i] = registry.Key{Tenant: tenant, Name: name}, generation
	}
	agents, err := s.agents(ctx, names)
	if err != nil {
		return nil, err
	}
	var good []borne
	var garbage []string
	for i, row := range rows {
		if a := agents[names[i]]; a != nil && a.generation == generations[i] {
			good = append(good, borne{row, a})
		} else if at, err := time.Parse(time.RFC3339Nano, text(row, attrCreatedAt)); err == nil && time.Since(at) > garbageAge {
			garbage = append(garbage, text(row, attrAgentName))
		}
	}
	s.clean(ctx, garbage)
	return good, nil
}

// rowItem returns the item of one skill.
func rowItem(key registry.Key, generation, skill string, at time.Time) ddb.Item {
	item := keyItem(rowKey(key, generation, skill))
	for name, value := range map[string]string{
		attrSkillID: skillKey(key.Tenant, skill), attrListing: listSkills, attrCreatedAt: at.UTC().Format(time.RFC3339Nano),
	} {
		item[name] = &types.AttributeValueMemberS{Value: value}
	}
	item[attrPosition] = &types.AttributeValueMemberB{Value: boltdb.Key(key.Tenant, short(skill), key.Name)}
	return item
}

// skillIDs returns the ids of a record's skills; nil has none.
func skillIDs(r *registry.Record) map[string]bool {
	ids := make(map[string]bool)
	if r != nil {
		for _, skill := range r.Card.Skills {
			ids[skill.ID] = true
		}
	}
	return ids
}

// stage writes the rows of a generation that no agent names yet.
func (s *Store) stage(ctx context.Context, key registry.Key, generation string, ids map[string]bool) error {
	ctx, cancel := context.WithTimeout(ctx, stagingTime)
	defer cancel()
	now := time.Now()
	requests := make([]types.WriteRequest, 0, len(ids))
	for id := range ids {
		requests = append(requests, types.WriteRequest{PutRequest: &types.PutRequest{Item: rowItem(key, generation, id, now)}})
	}
	return s.db.BatchWrite(ctx, tableMetadata, requests)
}

func rowKeys(key registry.Key, generation string, ids map[string]bool) []string {
	keys := make([]string, 0, len(ids))
	for id := range ids {
		keys = append(keys, rowKey(key, generation, id))
	}
	return keys
}

// clean removes rows that nobody reads any more. What it leaves behind, readers find and remove an hour later.
func (s *Store) clean(ctx context.Context, keys []string) {
	if len(keys) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanTime)
	defer cancel()
	requests := make([]types.WriteRequest, len(keys))
	for i, key := range keys {
		requests[i] = types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: keyItem(key)}}
	}
	_ = s.db.BatchWrite(ctx, tableMetadata, requests)
}
