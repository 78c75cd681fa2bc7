package dynamo

import (
	"context"
	"crypto/rand"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/ddb"
)

const (
	attrNonce   = "nonce" // tells a message from a later one about the same task
	deleteCalls = 16      // at a time
)

// Post implements orchestrator.LeaseStore.
func (s *Leases) Post(ctx context.Context, node string, k orchestrator.Key) error {
	item := leaseItem(kindMail+node, taskKey(k))
	item[attrNonce] = text(rand.Text()[:nonceSize])
	return s.db.Put(ctx, types.Put{TableName: s.db.Table(tableLeases), Item: item})
}

// Collect implements orchestrator.LeaseStore. It deletes only the messages that it has read: a new one about the same task stays.
func (s *Leases) Collect(ctx context.Context, node string, limit int) (keys []orchestrator.Key, err error) {
	items, err := s.all(ctx, kindMail+node, limit)
	if err != nil {
		return nil, err
	}
	var calls errgroup.Group
	calls.SetLimit(deleteCalls)
	for _, item := range items[:min(len(items), limit)] {
		keys = append(keys, keyOf(ddb.TextOf(item, attrName)))
		calls.Go(func() error { return s.remove(ctx, item) })
	}
	return keys, calls.Wait() // what could not be deleted is returned again later
}

// remove deletes a message unless it was replaced.
func (s *Leases) remove(ctx context.Context, word ddb.Item) error {
	_, err := s.db.API().DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName: s.db.Table(tableLeases), Key: leaseItem(ddb.TextOf(word, attrKind), ddb.TextOf(word, attrName)),
		ConditionExpression: aws.String(attrNonce + " = :nonce"), ExpressionAttributeValues: ddb.Item{":nonce": word[attrNonce]},
	})
	if _, other := errors.AsType[*types.ConditionalCheckFailedException](err); other {
		return nil
	}
	return ddb.Fault("removing word for a node", err)
}
