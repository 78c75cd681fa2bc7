// Package dynamo keeps the allowlist in DynamoDB, in the table AllowedDomains: an item for each tenant and domain.
package dynamo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/quorate/quorate/agents/webfetch/allowlist"
	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/platform/tables"
)

// The table and the attributes of its keys.
const (
	table      = "AllowedDomains"
	attrTenant = "tenant"
	attrDomain = "domain"

	maxPage = 1000 // items of one query
)

// Tables returns what the store needs.
func Tables() []ddb.Table { return []ddb.Table{tables.AllowedDomains()} }

// Store is an allowlist.Store; it is safe for concurrent use, by any number of processes.
type Store struct{ db *ddb.Client }

var _ allowlist.Store = (*Store)(nil)

// New returns a store in the tables of Tables.
func New(db *ddb.Client) *Store { return &Store{db} }

// item is an entry as it is stored.
type item struct {
	Tenant    string    `dynamodbav:"tenant"`
	Domain    string    `dynamodbav:"domain"`
	CreatedAt time.Time `dynamodbav:"created_at"`
	CreatedBy string    `dynamodbav:"created_by"`
	Request   string    `dynamodbav:"request"` // that wrote it: one whose answer was lost finds itself again
}

func (i item) entry() allowlist.Entry {
	return allowlist.Entry{Domain: allowlist.Domain(i.Domain), CreateTime: i.CreatedAt.UTC(), Creator: i.CreatedBy}
}

// Add implements allowlist.Store.
func (s *Store) Add(ctx context.Context, tenant string, e allowlist.Entry) (added bool, err error) {
	request := rand.Text()
	encoded, err := attributevalue.MarshalMap(item{tenant, string(e.Domain), e.CreateTime, e.Creator, request})
	if err != nil {
		return false, fmt.Errorf("encode the entry: %w", err)
	}
	absent, err := expression.NewBuilder().WithCondition(expression.Name(attrDomain).AttributeNotExists()).Build()
	if err != nil {
		return false, fmt.Errorf("build the condition: %w", err)
	}
	err = s.db.Put(ctx, types.Put{TableName: s.db.Table(table), Item: encoded, ConditionExpression: absent.Condition(), ExpressionAttributeNames: absent.Names()})
	refused, ok := errors.AsType[*ddb.RefusedError](err)
	if !ok {
		return err == nil, err
	}
	there, err := decode(refused.Item)
	return err == nil && there.Request == request, err
}

// Remove implements allowlist.Store. When the answer to an attempt was lost and the SDK made another one, it may report false for an
// entry that it removed itself.
func (s *Store) Remove(ctx context.Context, tenant string, domain allowlist.Domain) (removed bool, err error) {
	answer, err := s.db.API().DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: s.db.Table(table), Key: key(tenant, domain), ReturnValues: types.ReturnValueAllOld})
	if err != nil {
		return false, ddb.Fault("removing an item", err)
	}
	return len(answer.Attributes) > 0, nil
}

// List implements allowlist.Store.
func (s *Store) List(ctx context.Context, tenant string, after allowlist.Domain, limit int) (list []allowlist.Entry, err error) {
	of := expression.Key(attrTenant).Equal(expression.Value(tenant))
	if after != "" {
		of = of.And(expression.Key(attrDomain).GreaterThan(expression.Value(string(after))))
	}
	built, err := expression.NewBuilder().WithKeyCondition(of).Build()
	if err != nil {
		return nil, fmt.Errorf("build the query: %w", err)
	}
	input := &dynamodb.QueryInput{
		TableName: s.db.Table(table), KeyConditionExpression: built.KeyCondition(), ExpressionAttributeNames: built.Names(),
		ExpressionAttributeValues: built.Values(), ConsistentRead: aws.Bool(true),
	}
	for len(list) < limit {
		input.Limit = aws.Int32(int32(min(limit-len(list), maxPage))) //nolint:gosec // small, by maxPage
		page, err := s.db.API().Query(ctx, input)
		if err != nil {
			return nil, ddb.Fault("listing items", err)
		}
		for _, raw := range page.Items {
			i, err := decode(raw)
			if err != nil {
				return nil, err
			}
			list = append(list, i.entry())
		}
		if len(page.LastEvaluatedKey) == 0 {
			break
		}
		input.ExclusiveStartKey = page.LastEvaluatedKey
	}
	return list, nil
}

// Find implements allowlist.Store.
func (s *Store) Find(ctx context.Context, tenant string, domains []allowlist.Domain) (allowlist.Entry, bool, error) {
	keys := make([]ddb.Item, len(domains))
	for i, domain := range domains {
		keys[i] = key(tenant, domain)
	}
	found, err := s.db.BatchGet(ctx, table, keys)
	if err != nil {
		return allowlist.Entry{}, false, err
	}
	entries := make(map[allowlist.Domain]allowlist.Entry, len(found))
	for _, raw := range found {
		i, err := decode(raw)
		if err != nil {
			return allowlist.Entry{}, false, err
		}
		entries[allowlist.Domain(i.Domain)] = i.entry()
	}
	for _, domain := range domains {
		if e, ok := entries[domain]; ok {
			return e, true, nil
		}
	}
	return allowlist.Entry{}, false, nil
}

func key(tenant string, domain allowlist.Domain) ddb.Item {
	return ddb.Item{attrTenant: &types.AttributeValueMemberS{Value: tenant}, attrDomain: &types.AttributeValueMemberS{Value: string(domain)}}
}

func decode(raw ddb.Item) (i item, err error) {
	if err := attributevalue.UnmarshalMap(raw, &i); err != nil {
		return i, fmt.Errorf("decode an entry of the allowlist: %w", err)
	}
	return i, nil
}
