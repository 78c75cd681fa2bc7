package ddb

import (
	"context"
	"crypto/rand"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/quorate/quorate/platform/fault"
)

// The attributes by which a writer whose answer was lost finds out what became of its write.
const (
	attrLastReq = "last_req" // the id of the last write
	attrPastReq = "past_req" // the ids of those before, newest first, with a space between
)

const (
	writeIDSize = 8  // characters of five random bits each; ids need to differ from some dozens of others
	maxPast     = 32 // how many writes may come between one and the question what became of it
	maxReplace  = 4  // how often a write without any answer is sent again, each time with all the retries of the client
)

// ErrMoved says that a write was certainly not made, because the item is not the one that was read any more.
var ErrMoved = errors.New("the item changed meanwhile")

// Replace writes item in the place of old, which is nil for an item that is not there yet, if nobody has written to it since old was
// read; else it returns ErrMoved. It gives the item the attributes last_req and past_req. A write whose answer was lost is sent again,
// which the condition makes safe, and is then found in the item. What cannot be found out is an Unavailable fault with the reason
// WRITE_OUTCOME_UNKNOWN.
func (c *Client) Replace(ctx context.Context, table string, old, item Item) error {
	put, id := c.Replacement(table, old, item)
	lost := false
	for try := range maxReplace {
		if try > 0 {
			if err := wait(ctx, try); err != nil {
				return unknownOutcome(err)
			}
		}
		err := c.Put(ctx, put)
		refused, isRefused := errors.AsType[*RefusedError](err)
		switch {
		case err == nil:
			return nil
		case isRefused && !lost && !refused.Lost:
			return ErrMoved
		case isRefused:
			return settle(refused.Item, old, id)
		case fault.ReasonOf(err) == "WRITE_OUTCOME_UNKNOWN" && ctx.Err() == nil: // send it again
		case lost: // that this sending was not carried out says nothing of those before
			return unknownOutcome(err)
		default:
			return err
		}
		lost = true
	}
	return unknownOutcome(errors.New("no attempt was answered"))
}

// Replacement returns the write that Replace makes, for a transaction, and its id, which is then the item's last_req.
func (c *Client) Replacement(table string, old, item Item) (put types.Put, id string) {
	id = rand.Text()[:writeIDSize]
	item = maps.Clone(item)
	item[attrLastReq] = &types.AttributeValueMemberS{Value: id}
	delete(item, attrPastReq)
	put = types.Put{
		TableName: c.Table(table), Item: item, ConditionExpression: aws.String("attribute_not_exists(" + attrLastReq + ")"),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}
	if old == nil {
		return put, id
	}
	past := writesOf(old)
	item[attrPastReq] = &types.AttributeValueMemberS{Value: strings.Join(past[:min(len(past), maxPast)], " ")}
	put.ConditionExpression = aws.String(attrLastReq + " = :was")
	put.ExpressionAttributeValues = Item{":was": &types.AttributeValueMemberS{Value: LastWrite(old)}}
	return put, id
}

// LastWrite returns the id of the last write to an item.
func LastWrite(item Item) string { return TextOf(item, attrLastReq) }

// settle decides from the item that stood in its way what became of a write.
func settle(now, old Item, id string) error {
	writes := writesOf(now)
	switch {
	case slices.Contains(writes, id):
		return nil
	case old == nil && len(writes) > 0 && len(writes) <= maxPast, old != nil && slices.Contains(writes, LastWrite(old)):
		return ErrMoved // all that was written since is known, and this is not among it
	}
	return unknownOutcome(errors.New("too many others have written since"))
}

// writesOf returns the ids of the last writes to an item, newest first.
func writesOf(item Item) []string {
	if LastWrite(item) == "" {
		return nil
	}
	return append([]string{LastWrite(item)}, strings.Fields(TextOf(item, attrPastReq))...)
}
