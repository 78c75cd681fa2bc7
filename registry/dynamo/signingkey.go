package dynamo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

var _ registry.SigningKeyStore = (*Store)(nil)

// ringItem holds the ids of a tenant's keys, so that all of them can be listed, counted and changed without an index that lags behind.
type ringItem struct {
	AgentName string   `dynamodbav:"agent_name"` // the key of the ring, not of an agent
	IDs       []string `dynamodbav:"key_ids"`
	writes

	old ddb.Item `dynamodbav:"-"` // as it was read; nil for a new one
}

// signingKeyItem is one key.
type signingKeyItem struct {
	AgentName  string    `dynamodbav:"agent_name"` // the key of the item, not of an agent
	ID         string    `dynamodbav:"key_id"`
	JWK        []byte    `dynamodbav:"jwk"`
	Agents     []string  `dynamodbav:"agents"`
	Thumbprint string    `dynamodbav:"thumbprint"`
	CreatedAt  time.Time `dynamodbav:"created_at"`
}

func ringKey(tenant string) string { return escape.Replace(tenant) + "#%keys" }

func signingKeyKey(tenant, id string) string { return escape.Replace(tenant) + "#%key#" + short(id) }

// PutSigningKey adds a key and remembers the request for it.
func (s *Store) PutSigningKey(ctx context.Context, key registry.SigningKey, remember *registry.Request) error {
	item, err := marshal("the key", signingKeyItem{
		AgentName: signingKeyKey(key.Tenant, key.ID), ID: key.ID, JWK: key.JWK, Agents: key.Agents, Thumbprint: key.Thumbprint, CreatedAt: key.CreateTime,
	})
	if err != nil {
		return err
	}
	if err := boltdb.CheckItem("the key "+key.ID, ddb.Size(item)); err != nil {
		return err
	}
	puts := []types.TransactWriteItem{{Put: &types.Put{TableName: s.db.Table(tableMetadata), Item: item}}}
	if puts, err = s.withRequest(puts, remember); err != nil {
		return err
	}
	return s.updateRing(ctx, key.Tenant, func(ids []string) ([]string, []types.TransactWriteItem, error) {
		if slices.Contains(ids, key.ID) {
			return nil, nil, registry.SigningKeyExists(key.ID)
		}
		if len(ids) >= registry.MaxSigningKeys {
			return nil, nil, registry.SigningKeysFull()
		}
		return append(slices.Clip(ids), key.ID), puts, nil
	})
}

// withRequest adds the item that remembers a request, if there is a request.
func (s *Store) withRequest(items []types.TransactWriteItem, remember *registry.Request) ([]types.TransactWriteItem, error) {
	if remember == nil {
		return items, nil
	}
	put, err := s.putRequest(remember)
	return append(items, types.TransactWriteItem{Put: put}), err
}

// DeleteSigningKey removes a key and remembers the request for it.
func (s *Store) DeleteSigningKey(ctx context.Context, tenant, id string, remember *registry.Request) (ok bool, err error) {
	remove := []types.TransactWriteItem{{Delete: &types.Delete{TableName: s.db.Table(tableMetadata), Key: keyItem(signingKeyKey(tenant, id))}}}
	if remove, err = s.withRequest(remove, remember); err != nil {
		return false, err
	}
	err = s.updateRing(ctx, tenant, func(ids []string) ([]string, []types.TransactWriteItem, error) {
		if ok = slices.Contains(ids, id); !ok {
			return nil, nil, nil
		}
		return slices.DeleteFunc(slices.Clone(ids), func(other string) bool { return other == id }), remove, nil
	})
	return ok && err == nil, err
}

// SigningKeys returns all keys of the tenant.
func (s *Store) SigningKeys(ctx context.Context, tenant string) ([]registry.SigningKey, error) {
	ring, err := s.ring(ctx, tenant)
	if err != nil || ring == nil {
		return nil, err
	}
	var wanted []ddb.Item
	for _, id := range ring.IDs {
		wanted = append(wanted, keyItem(signingKeyKey(tenant, id)))
	}
	items, err := s.db.BatchGet(ctx, tableMetadata, wanted)
	if err != nil {
		return nil, err
	}
	var keys []registry.SigningKey
	for _, item := range items {
		var i signingKeyItem
		if err := attributevalue.UnmarshalMap(item, &i); err != nil {
			return nil, fmt.Errorf("decoding a key: %w", err)
		}
		keys = append(keys, registry.SigningKey{
			Tenant: tenant, ID: i.ID, JWK: i.JWK, Agents: i.Agents, Thumbprint: i.Thumbprint, CreateTime: i.CreatedAt,
		})
	}
	slices.SortFunc(keys, func(a, b registry.SigningKey) int { return slices.Compare([]byte(a.ID), []byte(b.ID)) })
	return keys, nil
}

// ring returns the tenant's ring, or nil when it has none yet.
func (s *Store) ring(ctx context.Context, tenant string) (*ringItem, error) {
	item, err := s.get(ctx, tableMetadata, ringKey(tenant))
	if err != nil || item == nil {
		return nil, err
	}
	ring := new(ringItem)
	if err := attributevalue.UnmarshalMap(item, ring); err != nil {
		return nil, fmt.Errorf("decoding the ring of keys: %w", err)
	}
	ring.old = item
	return ring, nil
}

// updateRing writes what change makes of the tenant's ring, together with the items that change returns: a key and, if there is one, the request. If
// it returns no items, nothing is written.
func (s *Store) updateRing(ctx context.Context, tenant string, change func(ids []string) ([]string, []types.TransactWriteItem, error)) error {
	return ddb.Contend(ctx, "the ring of keys", func() error {
		old, err := s.ring(ctx, tenant)
		if err != nil {
			return err
		}
		next := ringItem{AgentName: ringKey(tenant)}
		var was *writes
		if old != nil {
			next.IDs, next.old, was = old.IDs, old.old, &old.writes
			next.writes = old.writes
		}
		var with []types.TransactWriteItem
		if next.IDs, with, err = change(next.IDs); err != nil || len(with) == 0 {
			return err
		}
		next.writes = next.next(newID())
		item, err := rewrite("the ring of keys", next, next.old)
		if err != nil {
			return err
		}
		put := &types.Put{TableName: s.db.Table(tableMetadata), Item: item}
		if err := setCondition(put, was); err != nil {
			return err
		}
		err = s.db.Transact(ctx, append([]types.TransactWriteItem{{Put: put}}, with...))
		refused, ok := errors.AsType[*ddb.RefusedError](err)
		switch {
		case fault.ReasonOf(err) == "WRITE_OUTCOME_UNKNOWN" && s.wasWritten(ctx, next.AgentName, next.LastReq):
			return nil
		case !ok:
			return err
		case refused.Index == len(with): // the last one: the ring is still as it was read
			return registry.ErrRequestSeen
		}
		return ddb.ErrMoved
	})
}
