package embedded

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

// item is a record without its card's bytes, which are in a bucket of their own: together they could be too large for one item.
type item struct {
	Card       agentcard.Card     `json:"card"`
	CardURI    string             `json:"card_uri,omitempty"`
	Metadata   agentcard.Metadata `json:"metadata"`
	Etag       string             `json:"etag"`
	Revision   int64              `json:"revision"`
	CreateTime time.Time          `json:"created_at"`
	UpdateTime time.Time          `json:"updated_at"`
	TokenHash  []byte             `json:"token_hash,omitempty"`

	LiveVersion   int64                 `json:"live_version,omitempty"`
	LatestVersion int64                 `json:"latest_version,omitempty"`
	LatestHash    string                `json:"latest_hash,omitempty"`
	TakenBackHash string                `json:"taken_back_hash,omitempty"`
	Source        registry.Source       `json:"source,omitzero"`
	Verification  registry.Verification `json:"verification,omitzero"`
	Pending       *registry.Pending     `json:"pending,omitempty"`
	Refused       []string              `json:"refused,omitempty"`
}

// reader reads agents and pulses in one transaction. It opens each bucket once, which matters for long pages.
type reader struct {
	store                 *Store
	agents, cards, pulses *bbolt.Bucket
	keep                  bool // false when what is read may still be rolled back, and its serial used again
}

func (s *Store) reader(tx *bbolt.Tx) *reader {
	return &reader{
		store: s, agents: tx.Bucket(bucketAgents), cards: tx.Bucket(bucketCards), pulses: tx.Bucket(bucketPulses), keep: !tx.Writable(),
	}
}

// agent returns one agent; its slices and maps are shared.
func (r *reader) agent(key registry.Key) (registry.Record, error) {
	id := boltdb.Key(key.Tenant, key.Name)
	value := r.agents.Get(id)
	if value == nil {
		return registry.Record{}, registry.Missing(key)
	}
	record, err := r.store.records.read(key, value, r.keep, func(value []byte) (*registry.Record, int, error) {
		var i item
		if err := decode("agent", value, &i); err != nil {
			return nil, 0, err
		}
		record := i.record(key)
		record.RawCard = bytes.Clone(r.cards.Get(id))
		return record, len(value) + len(record.RawCard), nil
	})
	if err != nil {
		return registry.Record{}, err
	}
	return *record, nil
}

// pulse returns the pulse of one agent; ok is false when it has none.
func (r *reader) pulse(key registry.Key) (p registry.Pulse, ok bool, err error) {
	value := r.pulses.Get(boltdb.Key(key.Tenant, key.Name))
	if value == nil {
		return registry.Pulse{}, false, nil
	}
	p, err = r.store.pulses.read(key, value, r.keep, func(value []byte) (p registry.Pulse, size int, err error) {
		return p, len(value), decode("pulse", value, &p)
	})
	return p, err == nil, err
}

func (i *item) record(key registry.Key) *registry.Record {
	record := &registry.Record{Agent: registry.Agent{
		Tenant: key.Tenant, Name: key.Name, Card: i.Card, CardURI: i.CardURI, Metadata: i.Metadata,
		Etag: i.Etag, Revision: i.Revision, CreateTime: i.CreateTime, UpdateTime: i.UpdateTime,
		LiveVersion: i.LiveVersion, LatestVersion: i.LatestVersion, LatestHash: i.LatestHash, TakenBackHash: i.TakenBackHash,
		Source: i.Source, Verification: i.Verification, Pending: i.Pending, Refused: i.Refused,
	}}
	copy(record.TokenHash[:], i.TokenHash)
	return record
}

func newItem(r *registry.Record) *item {
	i := &item{
		Card: r.Card, CardURI: r.CardURI, Metadata: r.Metadata,
		Etag: r.Etag, Revision: r.Revision, CreateTime: r.CreateTime, UpdateTime: r.UpdateTime,
		LiveVersion: r.LiveVersion, LatestVersion: r.LatestVersion, LatestHash: r.LatestHash, TakenBackHash: r.TakenBackHash,
		Source: r.Source, Verification: r.Verification, Pending: r.Pending, Refused: r.Refused,
	}
	if r.HasToken() {
		i.TokenHash = r.TokenHash[:]
	}
	return i
}

// encode returns v as JSON, or a fault when it is too large for an item. It does not escape HTML characters, which would make it longer.
func encode(what string, v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, fmt.Errorf("encoding %s: %w", what, err)
	}
	return b.Bytes(), boltdb.CheckItem(what, b.Len())
}

func decode(what string, value []byte, v any) error {
	if err := json.Unmarshal(value, v); err != nil {
		return fmt.Errorf("decoding %s: %w", what, err)
	}
	return nil
}
