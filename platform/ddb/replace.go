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

// The attributes by which a writer that got no response finds out whether its write was done.
const (
	attrLastReq = "last_req" // the id of the last write
	attrPastReq = "past_req" // the ids of earlier writes, newest first, separated by spaces
)

const (
	writeIDSize = 8  // characters of five random bits each; an id needs to differ from some dozens of others
	maxPast     = 32 // how many earlier ids an item keeps: after more writes than that, the outcome of one is unknown
	maxReplace  = 4  // how often a write is sent as long as there is no response, each time with all the retries of the client
)

// ErrMoved says that a write was certainly not done, because the item has changed since it was read.
var ErrMoved = errors.New("the item changed meanwhile")

// Replace writes item in place of old, which is nil if there is no item yet, provided that nobody has written to it since old was read;
// otherwise it returns ErrMoved. It adds the attributes last_req and past_req. If the response to a write is lost, the write is sent
// again, which the condition makes safe, and then finds its id in the item. If the outcome cannot be found out, the result is an
// Unavailable fault with the reason WRITE_OUTCOME_UNKNOWN.
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
		case lost: // this attempt was not performed, but an earlier one may have been
			return unknownOutcome(err)
		default:
			return err
		}
		lost = true
	}
	return unknownOutcome(errors.New("no attempt was answered"))
}

// Replacement returns the write that Replace makes, for use in a transaction, and its id, which becomes the item's last_req.
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

// settle decides from the item that made its condition fail whether a write was done.
func settle(now, old Item, id string) error {
	writes := writesOf(now)
	switch {
	case slices.Contains(writes, id):
		return nil
	case old == nil && len(writes) > 0 && len(writes) <= maxPast, old != nil && slices.Contains(writes, LastWrite(old)):
		return ErrMoved // all writes since old are known, and this one is not among them
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
