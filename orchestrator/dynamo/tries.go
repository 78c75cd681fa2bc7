package dynamo

import (
	"context"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/quorate/quorate/platform/ddb"
)

// cleanTime bounds deleting records to which nothing refers.
const cleanTime = 5 * time.Second

// tries is what the last try of a change has left in TaskBlobs, because others were faster. No task's item refers to it. The zero value is nothing.
type tries struct {
	left  []ddb.Item
	large map[string]large // by name of the content; its records are among those left
}

// write writes a step's items, except those that the try before has left. It deletes what that has left besides. Nothing refers to the items yet, and
// nobody else writes them.
func (s *Store) write(ctx context.Context, added *step, tries *tries) error {
	left := tries.left
	s.discard(ctx, without(left, added.items))
	fresh := without(added.items, left)
	tries.left, tries.large = without(added.items, fresh), added.large
	for _, item := range fresh { // one after the other: all have the same key, and use up each other's attempts when that is throttled
		err := s.put(ctx, types.Put{TableName: s.db.Table(tableBlobs), Item: item})
		if err == nil || unknown(err) {
			tries.left = append(tries.left, item)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// without returns the items of a list whose records are not in another one.
func without(list, other []ddb.Item) []ddb.Item {
	names := make(map[string]bool, len(other))
	for _, item := range other {
		names[ddb.TextOf(item, attrRecord)] = true
	}
	return slices.DeleteFunc(slices.Clone(list), func(item ddb.Item) bool { return names[ddb.TextOf(item, attrRecord)] })
}

// put writes an item that may be written again.
func (s *Store) put(ctx context.Context, put types.Put) error {
	for try := 0; ; try++ {
		err := s.db.Put(ctx, put)
		if err == nil || !unknown(err) || try == 3 || ctx.Err() != nil {
			return err
		}
	}
}

// discard deletes items that a change has left, when the task certainly does not refer to them.
func (s *Store) discard(ctx context.Context, items []ddb.Item) {
	if len(items) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanTime)
	defer cancel()
	requests := make([]types.WriteRequest, len(items))
	for i, item := range items {
		requests[i] = types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: ddb.Item{attrTask: item[attrTask], attrRecord: item[attrRecord]}}}
	}
	_ = s.db.BatchWrite(ctx, tableBlobs, requests) // what remains is garbage, to which nothing refers
}
