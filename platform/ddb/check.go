package ddb

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/quorate/quorate/platform/fault"
)

// Check queries each table and each of its indexes, for which it needs no other permission. A missing one is a FailedPrecondition fault with the reason
// TABLES_MISSING, one with other keys such a fault with the reason TABLE_DIFFERS; both name it. Check does not find anything else that Plan would change.
func (c *Client) Check(ctx context.Context, tables []Table) error {
	for _, t := range tables {
		if err := c.look(ctx, t.Name, "", t.Hash, t.Range); err != nil {
			return err
		}
		for _, i := range t.Indexes {
			if err := c.look(ctx, t.Name, i.Name, i.Hash, i.Range); err != nil {
				return err
			}
		}
	}
	return nil
}

// look queries a table, or an index of it, for an item that nobody has written.
func (c *Client) look(ctx context.Context, table, index string, hash, sort Attribute) error {
	name := c.Table(table)
	what := "table " + *name
	input := &dynamodb.QueryInput{
		TableName: name, Limit: aws.Int32(1), KeyConditionExpression: aws.String("#hash = :hash"),
		ExpressionAttributeNames: map[string]string{"#hash": hash.Name}, ExpressionAttributeValues: Item{":hash": hash.nobody()},
	}
	if sort.Name != "" {
		input.KeyConditionExpression = aws.String("#hash = :hash AND #sort = :sort")
		input.ExpressionAttributeNames["#sort"], input.ExpressionAttributeValues[":sort"] = sort.Name, sort.nobody()
	}
	if index != "" {
		what, input.IndexName = "index "+index+" of "+what, aws.String(index)
	}
	_, err := c.api.Query(ctx, input)
	if _, missing := errors.AsType[*types.ResourceNotFoundException](err); missing {
		return caused(fault.New(fault.FailedPrecondition, "TABLES_MISSING",
			"%s is not there; create it with quorate tables apply, and check region and table prefix", what), err)
	}
	if api, ok := errors.AsType[smithy.APIError](err); ok && api.ErrorCode() == "ValidationException" {
		return caused(fault.New(fault.FailedPrecondition, "TABLE_DIFFERS",
			"%s cannot be read by the keys that Quorate needs; see what quorate tables plan says", what), err)
	}
	return Fault("reading "+what, err)
}

// nobody returns a value of the attribute that no item has.
func (a Attribute) nobody() types.AttributeValue {
	switch a.Type {
	case types.ScalarAttributeTypeN:
		return &types.AttributeValueMemberN{Value: "-1"}
	case types.ScalarAttributeTypeB:
		return &types.AttributeValueMemberB{Value: []byte{0}}
	default:
		return &types.AttributeValueMemberS{Value: "%nobody"}
	}
}
