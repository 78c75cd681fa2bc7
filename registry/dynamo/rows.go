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
	// maxRows is how many rows of SkillIndex one transaction writes in addition to the other items of an agent; a transaction holds 100 items.
	maxRows = 80
	// garbageAge is the age at which a row that no agent confirms is deleted: no writer is still working on it then.
	garbageAge = time.Hour
	// stagingTime is how long a writer may take from writing the rows of a generation to referring to them; it is well below garbageAge.
	stagingTime = 5 * time.Minute
	// cleanTime bounds deleting rows that are no longer needed.
	cleanTime = 10 * time.Second
)

// borne is a row of an index with the agent that confirms it.
type borne struct {
	row   ddb.Item
	agent *stored
}

// borneOut returns the rows that their agents confirm, in order, and deletes those that are garbage.
func (s *Store) borneOut(ctx context.Context, tenant string, rows []ddb.Item) ([]borne, error) {
	names, generations := make([]registry.Key, len(rows)), make([]string, len(rows))
	for i, row := range rows {
		name, generation := rowOf(tenant, ddb.TextOf(row, attrAgentName))
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
		} else if at, err := time.Parse(time.RFC3339Nano, ddb.TextOf(row, attrCreatedAt)); err == nil && s.db.Now().Sub(at) > garbageAge {
			garbage = append(garbage, ddb.TextOf(row, attrAgentName))
		}
	}
	s.clean(ctx, garbage)
	return good, nil
}

// rowKind is the kind of a row. It is part of keys; that of skills is empty.
type rowKind string

const (
	rowSkill rowKind = ""
	rowTag   rowKind = "%tag"
	rowLook  rowKind = "%look" // the look of the agent's name
)

// rowID identifies a row of an agent's generation.
type rowID struct {
	kind rowKind
	name string
}

// rows are what an agent has in SkillIndex, with the tags of each skill.
type rows map[rowID][]string

// rowsOf returns the rows of a record; nil has none.
func rowsOf(r *registry.Record) rows {
	all := make(rows)
	if r == nil {
		return all
	}
	for i := range r.Card.Skills {
		all[rowID{rowSkill, r.Card.Skills[i].ID}] = r.Card.Skills[i].FoldedTags()
	}
	for _, tag := range r.Card.FoldedTags() {
		all[rowID{rowTag, tag}] = nil
	}
	all[rowID{rowLook, registry.Skeleton(r.Name)}] = nil
	return all
}

// rowItem returns the item of a row. Skills are in the list of skills too.
func rowItem(key registry.Key, generation string, r rowID, tags []string, at time.Time) ddb.Item {
	item := keyItem(rowKey(key, generation, r))
	item[attrCreatedAt] = &types.AttributeValueMemberS{Value: at.UTC().Format(time.RFC3339Nano)}
	item[attrSkillID] = &types.AttributeValueMemberS{Value: indexKey(key.Tenant, r)}
	if r.kind != rowSkill {
		return item
	}
	item[attrListing] = &types.AttributeValueMemberS{Value: listSkills}
	item[attrPosition] = &types.AttributeValueMemberB{Value: boltdb.Key(key.Tenant, short(r.name), key.Name)}
	if len(tags) > 0 {
		item[attrTags] = &types.AttributeValueMemberSS{Value: tags}
	}
	return item
}

// stage writes the rows of a generation to which no agent refers yet.
func (s *Store) stage(ctx context.Context, key registry.Key, generation string, all rows) error {
	ctx, cancel := context.WithTimeout(ctx, stagingTime)
	defer cancel()
	now := s.db.Now()
	requests := make([]types.WriteRequest, 0, len(all))
	for id, tags := range all {
		requests = append(requests, types.WriteRequest{PutRequest: &types.PutRequest{Item: rowItem(key, generation, id, tags, now)}})
	}
	return s.db.BatchWrite(ctx, tableMetadata, requests)
}

func rowKeys(key registry.Key, generation string, all rows) []string {
	keys := make([]string, 0, len(all))
	for id := range all {
		keys = append(keys, rowKey(key, generation, id))
	}
	return keys
}

// clean deletes items that are no longer needed. Rows that it misses are deleted by readers, an hour later; versions stay, and nobody reads them.
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
