package ddb

import (
	"context"
	"crypto/rand"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Item is an item of a table, or the key of one.
type Item = map[string]types.AttributeValue

// TextOf returns the string attribute name of an item, or "" if it is absent or of another type.
func TextOf(item Item, name string) string {
	if s, ok := item[name].(*types.AttributeValueMemberS); ok {
		return s.Value
	}
	return ""
}

// RefusedError says that the condition of a write did not hold, and contains the item for which it did not.
type RefusedError struct {
	Index int  // the first item of a transaction whose condition did not hold
	Item  Item // the stored item; nil if there is none
	Lost  bool // an earlier attempt, whose response was lost, may have done the write: look for its id in the items
}

// Error says that a condition did not hold.
func (e *RefusedError) Error() string { return "the condition of the write does not hold" }

// maxConflicts is how often a transaction is sent again because of conflicts.
const maxConflicts = 32

// Put writes one item under a condition. If the condition does not hold, the error is a *RefusedError. If it is unknown whether
// the item was written, it is an Unavailable fault with the reason WRITE_OUTCOME_UNKNOWN.
func (c *Client) Put(ctx context.Context, put types.Put) error {
	ctx, o := watched(ctx)
	_, err := c.api.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: put.TableName, Item: put.Item, ConditionExpression: put.ConditionExpression,
		ExpressionAttributeNames: put.ExpressionAttributeNames, ExpressionAttributeValues: put.ExpressionAttributeValues,
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	if refused, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok {
		return &RefusedError{Item: refused.Item, Lost: o.lost.Load()}
	}
	return settled("writing an item", o, err)
}

// Transact writes all items or none. All attempts carry the same token, so that DynamoDB performs the transaction once even if a response is lost. DynamoDB compares a
// token with all transactions of the account in ten minutes, so it has more random bits than the ids in items. Errors are those of Put. A transaction that conflicts
// with other writes is sent again.
func (c *Client) Transact(ctx context.Context, items []types.TransactWriteItem) error {
	ctx, o := watched(ctx)
	token := aws.String(rand.Text())
	for attempt := 0; ; attempt++ {
		_, err := c.api.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: items, ClientRequestToken: token})
		canceled, ok := errors.AsType[*types.TransactionCanceledException](err)
		if !ok {
			return settled("writing items together", o, err)
		}
		again := false
		for i, reason := range canceled.CancellationReasons {
			switch code := aws.ToString(reason.Code); {
			case code == "ConditionalCheckFailed":
				return &RefusedError{Index: i, Item: reason.Item, Lost: o.lost.Load()}
			case code == "TransactionConflict" || isThrottle(code):
				again = true
			}
		}
		switch {
		case !again:
			return settled("writing items together", o, err)
		case attempt == maxConflicts:
			return busy(err)
		}
		if err := wait(ctx, attempt); err != nil {
			return settled("writing items together", o, err)
		}
	}
}

// settled returns the error of a write. A response that it was not done, which never has the status of a success, counts only if no earlier attempt can have done it.
func settled(doing string, o *outcome, err error) error {
	switch {
	case err == nil:
		return nil
	case o.lost.Load() || o.answered.Load(): // answered, and yet an error: the answer could not be read
		return unknownOutcome(Fault(doing, err))
	}
	return Fault(doing, err)
}
