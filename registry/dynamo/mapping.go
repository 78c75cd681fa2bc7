package dynamo

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

var _ registry.MappingStore = (*Store)(nil)

// mappingItem holds all semantic mappings of a tenant: there are few, and they are checked against each other.
type mappingItem struct {
	AgentName string                       `dynamodbav:"agent_name"` // the key of the mappings, not of an agent
	Mappings  document[[]registry.Mapping] `dynamodbav:"mappings"`
	writes

	old ddb.Item `dynamodbav:"-"` // as it was read; nil for a new one
}

func mappingKey(tenant string) string { return escape.Replace(tenant) + "#%mappings" }

// Mappings returns the tenant's semantic mappings in order of name.
func (s *Store) Mappings(ctx context.Context, tenant string) ([]registry.Mapping, error) {
	item, err := s.mappings(ctx, tenant)
	if err != nil || item == nil {
		return nil, err
	}
	return item.Mappings.value, nil
}

// mappings returns the tenant's item; nil when there is none yet.
func (s *Store) mappings(ctx context.Context, tenant string) (*mappingItem, error) {
	item, err := s.get(ctx, tableMetadata, mappingKey(tenant))
	if err != nil || item == nil {
		return nil, err
	}
	i := new(mappingItem)
	if err := attributevalue.UnmarshalMap(item, i); err != nil {
		return nil, fmt.Errorf("decoding the mappings: %w", err)
	}
	i.old = item
	return i, nil
}

// UpdateMappings reads the tenant's mappings and writes what change makes of them. If somebody else has written meanwhile, it begins again.
func (s *Store) UpdateMappings(ctx context.Context, tenant string, change func(old []registry.Mapping) (registry.MappingChange, error)) error {
	return ddb.Contend(ctx, "the semantic mappings", func() error {
		old, err := s.mappings(ctx, tenant)
		if err != nil {
			return err
		}
		next := mappingItem{AgentName: mappingKey(tenant)}
		var was *writes
		var list []registry.Mapping
		if old != nil {
			next.writes, next.old, was, list = old.writes, old.old, &old.writes, old.Mappings.value
		}
		c, err := change(list)
		if err != nil {
			return err
		}
		next.Mappings, next.writes = document[[]registry.Mapping]{c.Mappings}, next.next(newID())
		return s.putMappings(ctx, tenant, next, was, c.Remember)
	})
}

// putMappings writes the mappings. It returns ddb.ErrMoved if the ones that were read are outdated.
func (s *Store) putMappings(ctx context.Context, tenant string, next mappingItem, was *writes, request *registry.Request) error {
	item, err := rewrite("the semantic mappings", next, next.old)
	if err != nil {
		return err
	}
	if err := boltdb.CheckItem("the semantic mappings", ddb.Size(item)); err != nil {
		return err
	}
	put := &types.Put{TableName: s.db.Table(tableMetadata), Item: item}
	if err := setCondition(put, was); err != nil {
		return err
	}
	items, err := s.withRequest([]types.TransactWriteItem{{Put: put}}, request)
	if err != nil {
		return err
	}
	err = s.commit(ctx, tenant, items, &registry.Entry{Type: registry.ChangeMapping})
	if refused, ok := errors.AsType[*ddb.RefusedError](err); ok {
		if refused.Index == 1 {
			return registry.ErrRequestSeen
		}
		return ddb.ErrMoved
	}
	if fault.ReasonOf(err) == "WRITE_OUTCOME_UNKNOWN" && s.wasWritten(ctx, next.AgentName, next.LastReq) {
		return nil
	}
	return err
}
