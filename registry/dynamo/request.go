package dynamo

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

// requestItem is a remembered request. DynamoDB deletes it some time after ttl; until then expire_ns shows that it has expired.
type requestItem struct {
	AgentName string                        `dynamodbav:"agent_name"` // the key of the request, not of an agent
	Tenant    string                        `dynamodbav:"tenant"`
	Caller    string                        `dynamodbav:"caller"`
	RequestID string                        `dynamodbav:"request_id"`
	Digest    []byte                        `dynamodbav:"digest"`
	Agent     string                        `dynamodbav:"registered"`
	Warnings  document[[]agentcard.Warning] `dynamodbav:"warnings"`
	Outcome   string                        `dynamodbav:"outcome,omitempty"`
	CreatedAt time.Time                     `dynamodbav:"created_at"`
	ExpireNS  int64                         `dynamodbav:"expire_ns"` // nanoseconds since 1970
	TTL       int64                         `dynamodbav:"ttl"`       // seconds since 1970
}

// putRequest returns a write that remembers a request, on condition that it is not remembered, or has expired.
func (s *Store) putRequest(r *registry.Request) (*types.Put, error) {
	item, err := marshal("the request", requestItem{
		AgentName: requestKey(r.Key), Tenant: r.Key.Tenant, Caller: r.Key.Caller, RequestID: r.Key.ID, Digest: r.Digest[:],
		Agent: r.Agent, Warnings: document[[]agentcard.Warning]{r.Warnings}, Outcome: r.Outcome,
		CreatedAt: r.CreateTime, ExpireNS: r.ExpireTime.UnixNano(), TTL: r.ExpireTime.Unix() + 1,
	})
	if err != nil {
		return nil, err
	}
	if err := boltdb.CheckItem("the request", ddb.Size(item)); err != nil {
		return nil, err
	}
	over := expression.Name(attrExpireNS).LessThanEqual(expression.Value(r.CreateTime.UnixNano()))
	put := &types.Put{TableName: s.db.Table(tableMetadata), Item: item}
	return put, condition(put, expression.AttributeNotExists(expression.Name(attrAgentName)).Or(over))
}

// Request returns a remembered request.
func (s *Store) Request(ctx context.Context, key registry.RequestKey) (request registry.Request, ok bool, err error) {
	item, err := s.get(ctx, tableMetadata, requestKey(key))
	if err != nil || item == nil {
		return registry.Request{}, false, err
	}
	var i requestItem
	if err := attributevalue.UnmarshalMap(item, &i); err != nil {
		return registry.Request{}, false, fmt.Errorf("decoding the request: %w", err)
	}
	request = registry.Request{
		Key: key, Agent: i.Agent, Warnings: i.Warnings.value, Outcome: i.Outcome, CreateTime: i.CreatedAt, ExpireTime: time.Unix(0, i.ExpireNS).UTC(),
	}
	copy(request.Digest[:], i.Digest)
	return request, true, nil
}

// condition adds a condition to a write.
func condition(put *types.Put, c expression.ConditionBuilder) error {
	e, err := expression.NewBuilder().WithCondition(c).Build()
	if err != nil {
		return fmt.Errorf("building a condition: %w", err)
	}
	put.ConditionExpression, put.ExpressionAttributeNames, put.ExpressionAttributeValues = e.Condition(), e.Names(), e.Values()
	put.ReturnValuesOnConditionCheckFailure = types.ReturnValuesOnConditionCheckFailureAllOld
	return nil
}

// setCondition adds the condition unwritten to a write.
func setCondition(put *types.Put, old *writes) error { return condition(put, unwritten(old)) }

// unwritten is the condition that the last write to an item is still the one that was read; nil means that there was no item.
func unwritten(old *writes) expression.ConditionBuilder {
	if old == nil {
		return expression.AttributeNotExists(expression.Name(attrAgentName))
	}
	return expression.Name(attrLastReq).Equal(expression.Value(old.LastReq))
}

// get reads one item consistently; nil when there is none.
func (s *Store) get(ctx context.Context, table, key string) (ddb.Item, error) {
	if len(key) > maxKey {
		return nil, nil
	}
	answer, err := s.db.API().GetItem(ctx, getInput(s.db.Table(table), key))
	if err != nil {
		return nil, ddb.Fault("reading an item", err)
	}
	return answer.Item, nil
}

var consistent = aws.Bool(true)
