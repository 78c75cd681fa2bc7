package ddb

import (
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Expired reports whether an item has expired; DynamoDB may take days to delete such items. The attribute contains the end in seconds since 1970; an item without
// it never expires.
func Expired(item Item, attribute string, now time.Time) bool {
	n, ok := item[attribute].(*types.AttributeValueMemberN)
	if !ok {
		return false
	}
	end, err := strconv.ParseInt(n.Value, 10, 64)
	return err == nil && end <= now.Unix()
}
