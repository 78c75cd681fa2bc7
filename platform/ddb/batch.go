package ddb

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

const (
	maxBatchGet   = 100
	maxBatchWrite = 25
	maxUnfinished = 12 // batches in a row of which nothing was done
)

// BatchGet reads the items with the given keys, in no particular order. Keys without an item are skipped. Each read is consistent by itself.
func (c *Client) BatchGet(ctx context.Context, table string, keys []Item) ([]Item, error) {
	return c.batchGet(ctx, table, keys, true)
}

// BatchGetRecent is BatchGet at half the price: items may be as they were a second ago, and new ones missing.
func (c *Client) BatchGetRecent(ctx context.Context, table string, keys []Item) ([]Item, error) {
	return c.batchGet(ctx, table, keys, false)
}

func (c *Client) batchGet(ctx context.Context, table string, keys []Item, consistent bool) ([]Item, error) {
	name := *c.Table(table)
	var items []Item
	for idle := 0; len(keys) > 0; {
		n := min(len(keys), maxBatchGet)
		answer, err := c.api.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{
			RequestItems: map[string]types.KeysAndAttributes{name: {Keys: keys[:n], ConsistentRead: aws.Bool(consistent)}},
		})
		if err != nil {
			return nil, Fault("reading items", err)
		}
		items = append(items, answer.Responses[name]...)
		left := answer.UnprocessedKeys[name].Keys
		keys = append(left, keys[n:]...)
		if len(left) < n {
			idle = 0
			continue
		}
		if err := c.idle(ctx, &idle); err != nil {
			return nil, err
		}
	}
	return items, nil
}

// BatchWrite performs all requests, in any order and without conditions. It is for writes that may be repeated.
func (c *Client) BatchWrite(ctx context.Context, table string, requests []types.WriteRequest) error {
	name := *c.Table(table)
	for idle := 0; len(requests) > 0; {
		n := min(len(requests), maxBatchWrite)
		answer, err := c.api.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{name: requests[:n]}})
		if err != nil {
			return Fault("writing items", err)
		}
		left := answer.UnprocessedItems[name]
		requests = append(left, requests[n:]...)
		if len(left) < n {
			idle = 0
			continue
		}
		if err := c.idle(ctx, &idle); err != nil {
			return err
		}
	}
	return nil
}

// idle waits after a batch of which nothing was done.
func (c *Client) idle(ctx context.Context, count *int) error {
	*count++
	if *count > maxUnfinished {
		return busy(nil)
	}
	return wait(ctx, *count)
}
