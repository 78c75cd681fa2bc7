package dynamo

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"

	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

var _ registry.VersionStore = (*Store)(nil)

// versionItem is one version of an agent's card. The agent's item has the numbers of the versions that are kept.
type versionItem struct {
	AgentName   string                               `dynamodbav:"agent_name"` // the key of the version, not of an agent
	Number      int64                                `dynamodbav:"number"`
	Hash        string                               `dynamodbav:"content_hash"`
	CardBytes   []byte                               `dynamodbav:"card_bytes"`
	CardURI     string                               `dynamodbav:"card_uri,omitempty"`
	CardVersion string                               `dynamodbav:"version"`
	Breaking    document[[]agentcard.BreakingChange] `dynamodbav:"breaking_changes"`
	CreatedAt   time.Time                            `dynamodbav:"created_at"`
}

// versionKey returns the key of a version. The versions of a deleted agent are removed after the agent, when another agent may have its name already;
// life tells them apart.
func versionKey(key registry.Key, life string, number int64) string {
	return fmt.Sprintf("%s#%%version#%s#%d", agentKey(key), life, number)
}

// version adds a new version of an agent, deletes the oldest one beyond the limit, and returns the numbers of the versions that remain.
func (t *transaction) version(v *registry.Version, of *stored) ([]int64, error) {
	if v == nil {
		return of.versions, nil
	}
	item, err := marshal("the version", versionItem{
		AgentName: versionKey(t.key, of.life, v.Number), Number: v.Number, Hash: v.Hash, CardBytes: v.RawCard, CardURI: v.CardURI,
		CardVersion: v.CardVersion, Breaking: document[[]agentcard.BreakingChange]{v.Breaking}, CreatedAt: v.CreateTime,
	})
	if err != nil {
		return nil, err
	}
	if err := boltdb.CheckItem(fmt.Sprintf("version %d of agent %s", v.Number, t.key.Name), ddb.Size(item)); err != nil {
		return nil, err
	}
	t.putItem(tableMetadata, item)
	var now []int64
	for _, number := range of.versions {
		if number > v.Number-registry.MaxVersions && number != v.Number {
			now = append(now, number)
		} else if number != v.Number {
			t.unused = append(t.unused, versionKey(t.key, of.life, number))
		}
	}
	now = append(now, v.Number)
	slices.Sort(now)
	return now, nil
}

// Version returns one version, or the fault of registry.MissingVersion.
func (s *Store) Version(ctx context.Context, key registry.Key, number int64) (registry.Version, error) {
	list, err := s.versions(ctx, key, func(kept int64) bool { return kept == number }, 1)
	if err == nil && len(list) == 0 {
		err = registry.MissingVersion(key, number)
	}
	if err != nil {
		return registry.Version{}, err
	}
	return list[0], nil
}

// Versions returns the agent's versions with numbers less than before, newest first.
func (s *Store) Versions(ctx context.Context, key registry.Key, before int64, limit int) ([]registry.Version, error) {
	return s.versions(ctx, key, func(kept int64) bool { return before == 0 || kept < before }, limit)
}

func (s *Store) versions(ctx context.Context, key registry.Key, want func(number int64) bool, limit int) ([]registry.Version, error) {
	item, err := s.get(ctx, tableMetadata, agentKey(key))
	if err != nil {
		return nil, err
	}
	agent, err := readAgent(item)
	if err != nil || agent == nil {
		return nil, err
	}
	var keys []ddb.Item
	for _, number := range slices.Backward(agent.versions) {
		if want(number) && len(keys) < limit {
			keys = append(keys, keyItem(versionKey(key, agent.life, number)))
		}
	}
	items, err := s.db.BatchGet(ctx, tableMetadata, keys)
	if err != nil {
		return nil, err
	}
	var list []registry.Version
	for _, item := range items {
		var i versionItem
		if err := attributevalue.UnmarshalMap(item, &i); err != nil {
			return nil, fmt.Errorf("decoding a version: %w", err)
		}
		list = append(list, registry.Version{
			Agent: key.Name, Number: i.Number, Hash: i.Hash, RawCard: i.CardBytes, CardURI: i.CardURI, CardVersion: i.CardVersion,
			Breaking: i.Breaking.value, CreateTime: i.CreatedAt,
		})
	}
	slices.SortFunc(list, func(a, b registry.Version) int { return int(b.Number - a.Number) })
	return list, nil
}
