package dynamo

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

// Agents returns the selected agents in order of tenant and name.
func (s *Store) Agents(ctx context.Context, q registry.Query) ([]registry.Record, error) {
	indexed := q.Skill != "" || q.Tag != "" || q.Like != ""
	if indexed && q.Tenant == "" {
		return nil, errors.New("skills, tags and names are looked up in one tenant only")
	}
	var found []registry.Record
	keep := func(a *stored) { found = append(found, a.record) }
	if indexed {
		err := s.bySkill(ctx, q, keep)
		return found, err
	}
	if q.Names != nil {
		return s.named(ctx, q)
	}
	var after []byte
	if q.After != (registry.Key{}) {
		after = boltdb.Key(q.After.Tenant, q.After.Name)
	}
	if q.Tenant != "" { // the part of the list that belongs to the tenant
		after = boltdb.Key(q.Tenant, q.After.Name)
	}
	err := s.pages(ctx, listQuery(listAgents, q.Tenant, after), q.Limit, func(rows []ddb.Item) (int, error) {
		records, err := s.listed(ctx, rows, q.Bare)
		found = append(found, records[:min(len(records), q.Limit-len(found))]...)
		return len(found), err
	})
	return found, err
}

// named is Agents for names.
func (s *Store) named(ctx context.Context, q registry.Query) (records []registry.Record, err error) {
	names := q.OfNames()
	keys := make([]registry.Key, len(names))
	for i, name := range names {
		keys[i] = registry.Key{Tenant: q.Tenant, Name: name}
	}
	agents, err := s.agents(ctx, keys)
	if err != nil {
		return nil, err
	}
	for _, key := range keys {
		if a := agents[key]; a != nil {
			records = append(records, a.record)
		}
	}
	return records, nil
}

// listed returns the agents in rows of the list that exist; bare ones are returned without checking.
func (s *Store) listed(ctx context.Context, rows []ddb.Item, bare bool) (records []registry.Record, err error) {
	keys := make([]registry.Key, 0, len(rows))
	for _, row := range rows {
		parts := boltdb.Split(bytesOf(row, attrPosition))
		if len(parts) == 2 {
			keys = append(keys, registry.Key{Tenant: parts[0], Name: parts[1]})
		}
	}
	var agents map[registry.Key]*stored
	if !bare {
		if agents, err = s.agents(ctx, keys); err != nil {
			return nil, err
		}
	}
	for _, key := range keys {
		if bare {
			records = append(records, registry.Record{Agent: registry.Agent{Tenant: key.Tenant, Name: key.Name}})
		} else if a := agents[key]; a != nil {
			records = append(records, a.record)
		}
	}
	return records, nil
}

// bySkill calls keep for the agents with a skill, a tag, a skill with a tag, or a similar name. It takes one query, in which the index filters by its
// copy of the skill's tags.
func (s *Store) bySkill(ctx context.Context, q registry.Query, keep func(*stored)) error {
	row := rowID{rowSkill, q.Skill}
	var filter *expression.ConditionBuilder
	switch {
	case q.Like != "":
		row = rowID{rowLook, q.Like}
	case q.Skill == "":
		row = rowID{rowTag, q.Tag}
	case q.Tag != "":
		has := expression.Contains(expression.Name(attrTags), q.Tag)
		filter = &has
	}
	key := expression.Key(attrSkillID).Equal(expression.Value(indexKey(q.Tenant, row)))
	if q.After.Name != "" {
		key = key.And(expression.Key(attrAgentName).GreaterThan(expression.Value(agentKey(registry.Key{Tenant: q.Tenant, Name: q.After.Name}) + behind)))
	}
	kept := 0
	return s.pages(ctx, query{indexSkills, key, filter}, q.Limit, func(rows []ddb.Item) (int, error) {
		borne, err := s.borneOut(ctx, q.Tenant, rows)
		if err != nil {
			return 0, err
		}
		for _, b := range borne {
			if q.Fits(&b.agent.record.Agent) && kept < q.Limit {
				keep(b.agent)
				kept++
			}
		}
		return kept, nil
	})
}

// Skills returns the tenant's skills behind after, in order of skill id and agent name.
func (s *Store) Skills(ctx context.Context, tenant string, after registry.SkillKey, limit int) ([]registry.SkillRow, error) {
	var found []registry.SkillRow
	start := boltdb.Key(tenant, short(after.Skill), after.Agent)
	err := s.pages(ctx, listQuery(listSkills, tenant, start), limit, func(rows []ddb.Item) (int, error) {
		borne, err := s.borneOut(ctx, tenant, rows)
		if err != nil {
			return 0, err
		}
		for _, b := range borne {
			parts := boltdb.Split(bytesOf(b.row, attrPosition))
			if skill, has := b.agent.skill(parts[1]); has && len(found) < limit {
				found = append(found, registry.SkillRow{Skill: skill, Agent: b.agent.record.Name})
			}
		}
		return len(found), nil
	})
	return found, err
}

// skill returns the agent's skill whose id has the form part in keys.
func (a *stored) skill(part string) (agentcard.Skill, bool) {
	for _, skill := range a.record.Card.Skills {
		if short(skill.ID) == part {
			return skill, true
		}
	}
	return agentcard.Skill{}, false
}

// query is a look-up in an index of AgentMetadata.
type query struct {
	index  string
	key    expression.KeyConditionBuilder
	filter *expression.ConditionBuilder // on the other attributes in the index; nil for none
}

// listQuery selects the list behind after, of one tenant or, if tenant is empty, of all.
func listQuery(list, tenant string, after []byte) query {
	key := expression.Key(attrListing).Equal(expression.Value(list))
	if tenant != "" {
		prefix := boltdb.Prefix(tenant)
		last := slices.Clone(prefix)
		last[len(last)-1]++               // no key of the list equals this
		next := slices.Concat(after, nul) // the smallest key that is larger
		return query{index: indexListing, key: key.And(expression.Key(attrPosition).Between(expression.Value(next), expression.Value(last)))}
	}
	if len(after) > 0 {
		key = key.And(expression.Key(attrPosition).GreaterThan(expression.Value(after)))
	}
	return query{index: indexListing, key: key}
}

var nul = []byte{0}

// maxPage is how many rows one query reads. It reads only as many as are wanted, unless some may not count.
const maxPage = 1000

// pages calls each with the rows of an index, page by page, until each says that limit of them counted.
func (s *Store) pages(ctx context.Context, q query, limit int, each func(rows []ddb.Item) (total int, err error)) error {
	builder := expression.NewBuilder().WithKeyCondition(q.key)
	if q.filter != nil {
		builder = builder.WithFilter(*q.filter)
	}
	e, err := builder.Build()
	if err != nil {
		return fmt.Errorf("building a query: %w", err)
	}
	input := &dynamodb.QueryInput{
		TableName: s.db.Table(tableMetadata), IndexName: aws.String(q.index), KeyConditionExpression: e.KeyCondition(), FilterExpression: e.Filter(),
		ExpressionAttributeNames: e.Names(), ExpressionAttributeValues: e.Values(), Limit: aws.Int32(int32(min(max(limit, 1), maxPage))),
	}
	for {
		page, err := s.db.API().Query(ctx, input)
		if err != nil {
			return ddb.Fault("reading index "+q.index, err)
		}
		total, err := each(page.Items)
		if err != nil || total >= limit || len(page.LastEvaluatedKey) == 0 {
			return err
		}
		input.ExclusiveStartKey = page.LastEvaluatedKey
	}
}

// agents reads the agents with the keys, each of them consistently. Missing ones are left out.
func (s *Store) agents(ctx context.Context, keys []registry.Key) (map[registry.Key]*stored, error) {
	agents := make(map[registry.Key]*stored, len(keys))
	var wanted []ddb.Item
	for _, key := range keys {
		if _, twice := agents[key]; !twice && len(agentKey(key)) <= maxKey {
			agents[key] = nil
			wanted = append(wanted, keyItem(agentKey(key)))
		}
	}
	items, err := s.db.BatchGet(ctx, tableMetadata, wanted)
	if err != nil {
		return nil, err
	}
	var cards []ddb.Item
	for _, item := range items {
		a, err := readAgent(item)
		if err != nil {
			return nil, err
		}
		if a == nil {
			continue
		}
		agents[a.record.Key()] = a
		if a.cardDigest != "" {
			cards = append(cards, keyItem(cardKey(a.record.Key(), a.cardDigest)))
		}
	}
	return agents, s.addCards(ctx, agents, cards)
}

// addCards reads the cards that are in separate items.
func (s *Store) addCards(ctx context.Context, agents map[registry.Key]*stored, cards []ddb.Item) error {
	if len(cards) == 0 {
		return nil
	}
	items, err := s.db.BatchGet(ctx, tableMetadata, cards)
	if err != nil {
		return err
	}
	found := make(map[string]ddb.Item, len(items))
	for _, item := range items {
		found[ddb.TextOf(item, attrAgentName)] = item
	}
	for key, a := range agents {
		if a == nil || a.cardDigest == "" {
			continue
		}
		if card := found[cardKey(key, a.cardDigest)]; card != nil {
			a.record.RawCard = cardBytes(card)
			continue
		}
		if agents[key], err = s.read(ctx, key); err != nil { // it was replaced between the two reads
			return err
		}
	}
	return nil
}

func cardBytes(card ddb.Item) []byte { return bytesOf(card, "card_bytes") }

func bytesOf(item ddb.Item, name string) []byte {
	if b, ok := item[name].(*types.AttributeValueMemberB); ok {
		return b.Value
	}
	return nil
}
