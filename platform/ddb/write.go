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

// TextOf returns the string attribute name of an item; empty when it is absent or of another type.
func TextOf(item Item, name string) string {
	if s, ok := item[name].(*types.AttributeValueMemberS); ok {
		return s.Value
	}
	return ""
}

// RefusedError says that a condition did not hold, and what was there instead.
type RefusedError struct {
	Index int  // which item of a transaction was refused, the first one
	Item  Item // as it was; nil when there was none
	Lost  bool // the write may have been made by an attempt whose answer was lost: look for its request id in the items
}

// Error says that a condition did not hold.
func (e *RefusedError) Error() string { return "the condition of the write does not hold" }

// maxConflicts bounds how often a transaction that others disturb is sent.
const maxConflicts = 32

// Put writes one item under a condition. A condition that does not hold is a *RefusedError; no answer at all, an Unavailable
// fault with the reason WRITE_OUTCOME_UNKNOWN.
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

// Transact writes items together or not at all. All attempts carry one token, so that one whose answer was lost counts once. DynamoDB holds a token against
// all transactions of the account in ten minutes, so it has more random bits than the ids in items. A condition that does not hold is a *RefusedError; no answer at all, an Unavailable fault with the reason
// WRITE_OUTCOME_UNKNOWN. Transactions that others disturb are sent again.
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

// settled returns the error of a write: an answer that it was not made counts only when no attempt before it may have made it.
func settled(doing string, o *outcome, err error) error {
	switch {
	case err == nil:
		return nil
	case o.lost.Load() || !refusal(err) && o.answered.Load():
		return unknownOutcome(Fault(doing, err))
	}
	return Fault(doing, err)
}
