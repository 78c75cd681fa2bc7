package dynamo

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/registry"
)

var _ registry.ChangeLog = (*Store)(nil)

// changeItem is an entry in a tenant's log.
type changeItem struct {
	Tenant   string    `dynamodbav:"tenant"`
	Revision int64     `dynamodbav:"revision"`
	Type     string    `dynamodbav:"change"`
	Agent    string    `dynamodbav:"agent,omitempty"`
	Status   string    `dynamodbav:"status,omitempty"`
	Time     time.Time `dynamodbav:"at"`
}

// changed returns the log entry for a change to an agent, or nil.
func changed(old *stored, c registry.Change, name string) *registry.Entry {
	switch {
	case old == nil && c.Record == nil:
		return nil
	case old == nil:
		return &registry.Entry{Type: registry.ChangeCreated, Agent: name}
	case c.Record == nil:
		return &registry.Entry{Type: registry.ChangeDeleted, Agent: name}
	case old.record.Etag != c.Record.Etag:
		return &registry.Entry{Type: registry.ChangeUpdated, Agent: name}
	}
	return nil
}

// announced returns the log entry for a new pulse, or nil.
func announced(old, next registry.Pulse, name string) *registry.Entry {
	if old.AnnouncedStatus() == next.AnnouncedStatus() {
		return nil
	}
	return &registry.Entry{Type: registry.ChangeStatus, Agent: name, Status: next.AnnouncedStatus()}
}

// logItems returns the items that append an entry and delete the oldest one beyond the limit.
func (s *Store) logItems(tenant string, revision int64, entry *registry.Entry) ([]types.TransactWriteItem, error) {
	item, err := marshal("the change", changeItem{
		Tenant: tenant, Revision: revision, Type: entry.Type, Agent: entry.Agent, Status: entry.Status, Time: s.db.Now().UTC(),
	})
	if err != nil {
		return nil, err
	}
	put := &types.Put{TableName: s.db.Table(tableChanges), Item: item}
	if err := condition(put, expression.AttributeNotExists(expression.Name(attrTenant))); err != nil {
		return nil, err
	}
	items := []types.TransactWriteItem{{Put: put}}
	if revision > registry.ChangesKept {
		items = append(items, types.TransactWriteItem{Delete: &types.Delete{TableName: put.TableName, Key: ddb.Item{
			attrTenant:   &types.AttributeValueMemberS{Value: tenant},
			attrRevision: &types.AttributeValueMemberN{Value: strconv.FormatInt(revision-registry.ChangesKept, 10)},
		}}})
	}
	return items, nil
}

// Head returns the tenant's latest revision.
func (s *Store) Head(ctx context.Context, tenant string) (int64, error) {
	entries, err := s.changes(ctx, expression.Key(attrTenant).Equal(expression.Value(tenant)), false, 1)
	if err != nil || len(entries) == 0 {
		return 0, err
	}
	return entries[0].Revision, nil
}

// Changes returns the tenant's changes behind the revision after, or the fault of registry.RevisionGone. It takes one query even when there is
// nothing new, which each replica asks some times a second: it also reads the entry of after itself, which shows that the log goes that far.
func (s *Store) Changes(ctx context.Context, tenant string, after int64, limit int) ([]registry.Entry, error) {
	if after < 0 {
		return nil, registry.RevisionGone(after)
	}
	key := expression.Key(attrTenant).Equal(expression.Value(tenant)).And(expression.Key(attrRevision).GreaterThanEqual(expression.Value(after)))
	entries, err := s.changes(ctx, key, true, min(max(limit, 1), maxPage)+1)
	switch {
	case err != nil:
		return nil, err
	case len(entries) == 0 && after == 0:
		return nil, nil
	case len(entries) == 0 || entries[0].Revision > after+1:
		return nil, registry.RevisionGone(after)
	case entries[0].Revision == after:
		entries = entries[1:]
	}
	return entries[:min(len(entries), max(limit, 1))], nil
}

// changes returns entries of the log, at most limit.
func (s *Store) changes(ctx context.Context, key expression.KeyConditionBuilder, forward bool, limit int) ([]registry.Entry, error) {
	e, err := expression.NewBuilder().WithKeyCondition(key).Build()
	if err != nil {
		return nil, fmt.Errorf("building a query: %w", err)
	}
	page, err := s.db.API().Query(ctx, &dynamodb.QueryInput{ // entries are small: a page of DynamoDB has many more than are asked for
		TableName: s.db.Table(tableChanges), KeyConditionExpression: e.KeyCondition(), ExpressionAttributeNames: e.Names(),
		ExpressionAttributeValues: e.Values(), ConsistentRead: consistent, ScanIndexForward: aws.Bool(forward),
		Limit: aws.Int32(int32(limit)), //nolint:gosec // small, by maxPage
	})
	if err != nil {
		return nil, ddb.Fault("reading the change log", err)
	}
	var entries []registry.Entry
	for _, item := range page.Items {
		var i changeItem
		if err := attributevalue.UnmarshalMap(item, &i); err != nil {
			return nil, fmt.Errorf("decoding a change: %w", err)
		}
		entries = append(entries, registry.Entry{Revision: i.Revision, Type: i.Type, Agent: i.Agent, Status: i.Status, Time: i.Time})
	}
	return entries, nil
}
