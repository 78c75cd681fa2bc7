package dynamo

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/registry"
)

var (
	_ registry.Store        = (*Store)(nil)
	_ registry.RecentPulses = (*Store)(nil)
)

// Store is a registry.Store; it is safe for concurrent use, by any number of processes.
type Store struct {
	db    *ddb.Client
	hints hints
	tails tails
}

// New returns a store in the tables of Tables.
func New(db *ddb.Client) *Store { return &Store{db: db} }

func getInput(table *string, key string) *dynamodb.GetItemInput {
	return &dynamodb.GetItemInput{TableName: table, Key: keyItem(key), ConsistentRead: consistent}
}

// Agent returns one agent, or the fault of registry.Missing.
func (s *Store) Agent(ctx context.Context, key registry.Key) (registry.Record, error) {
	found, err := s.read(ctx, key)
	if err != nil {
		return registry.Record{}, err
	}
	if found == nil {
		return registry.Record{}, registry.Missing(key)
	}
	return found.record, nil
}

// maxTorn bounds how often reading an agent is repeated because its card was replaced between the two reads.
const maxTorn = 10

// read returns one agent; nil when it is missing.
func (s *Store) read(ctx context.Context, key registry.Key) (*stored, error) {
	for range maxTorn {
		item, err := s.get(ctx, tableMetadata, agentKey(key))
		if err != nil {
			return nil, err
		}
		found, err := readAgent(item)
		if err != nil || found == nil || found.cardDigest == "" {
			return found, err
		}
		card, err := s.get(ctx, tableMetadata, cardKey(key, found.cardDigest))
		if err != nil {
			return nil, err
		}
		if card != nil {
			found.record.RawCard = cardBytes(card)
			return found, nil
		}
	}
	return nil, fmt.Errorf("reading agent %q: its card is not there", key.Name)
}

// AgentByToken returns the agent whose token has the hash.
func (s *Store) AgentByToken(ctx context.Context, hash [sha256.Size]byte) (key registry.Key, ok bool, err error) {
	item, err := s.get(ctx, tableMetadata, tokenKey(hash))
	if err != nil || item == nil {
		return registry.Key{}, false, err
	}
	return registry.Key{Tenant: ddb.TextOf(item, "tenant"), Name: ddb.TextOf(item, "name")}, true, nil
}

// Pulses returns the pulses of those of the agents that have one.
func (s *Store) Pulses(ctx context.Context, keys ...registry.Key) (map[registry.Key]registry.Pulse, error) {
	return s.pulses(ctx, s.db.BatchGet, keys)
}

// RecentPulses returns the pulses of those of the agents that have one, as they were a second ago at most.
func (s *Store) RecentPulses(ctx context.Context, keys ...registry.Key) (map[registry.Key]registry.Pulse, error) {
	return s.pulses(ctx, s.db.BatchGetRecent, keys)
}

func (s *Store) pulses(ctx context.Context, read func(context.Context, string, []ddb.Item) ([]ddb.Item, error), keys []registry.Key) (map[registry.Key]registry.Pulse, error) {
	names := make(map[string]registry.Key, len(keys))
	var items []ddb.Item
	for _, key := range keys {
		name := agentKey(key)
		if _, twice := names[name]; twice || len(name) > maxKey {
			continue
		}
		names[name] = key
		items = append(items, keyItem(name))
	}
	found, err := read(ctx, tableStatus, items)
	if err != nil {
		return nil, err
	}
	pulses := make(map[registry.Key]registry.Pulse, len(found))
	for _, item := range found {
		st, err := readStatus(item)
		if err != nil {
			return nil, err
		}
		if !st.blank {
			pulses[names[ddb.TextOf(item, attrAgentName)]] = st.pulse
		}
	}
	return pulses, nil
}
