package dynamo

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/ddb"
)

// A task's item refers to a content by the name of the record that has it. Content that is too large for one item is divided among several records, and
// the reference then gives their number: record*3 refers to the records record*00, record*01 and record*02.
const (
	dividedInto = "*"
	maxParts    = 100 // far more than the largest content has
)

// large is content in records of its own.
type large struct {
	encoded   []byte
	reference string
	records   []ddb.Item
}

// divide puts a content into records of its own.
func divide(key, record, name string, encoded []byte) large {
	parts := slices.Collect(slices.Chunk(encoded, boltdb.MaxItemBytes))
	l := large{encoded: encoded, reference: record}
	if len(parts) > 1 {
		l.reference += dividedInto + strconv.Itoa(len(parts))
	}
	names := recordsOf(l.reference)
	for i, part := range parts {
		item := recordItem(key, names[i])
		item[attrContent] = &types.AttributeValueMemberM{Value: ddb.Item{name: &types.AttributeValueMemberB{Value: part}}}
		l.records = append(l.records, item)
	}
	return l
}

// recordsOf returns the names of the records to which a reference refers, in order; none if it is malformed.
func recordsOf(reference string) []string {
	record, number, several := strings.Cut(reference, dividedInto)
	if !several {
		return []string{reference}
	}
	n, err := strconv.Atoi(number)
	if err != nil || n > maxParts {
		return nil
	}
	var records []string
	for i := range n {
		records = append(records, fmt.Sprintf("%s%s%02d", record, dividedInto, i))
	}
	return records
}

// join returns the content to which a reference refers, by name, from the records that were read; nothing if one of them is not there.
func join(records map[string]map[string][]byte, key ddb.Item) map[string][]byte {
	names := recordsOf(ddb.TextOf(key, attrRecord))
	if len(names) == 1 {
		return records[recordID(key, names[0])]
	}
	joined := make(map[string][]byte)
	for _, record := range names {
		part, ok := records[recordID(key, record)]
		if !ok {
			return nil
		}
		for name, encoded := range part {
			joined[name] = append(joined[name], encoded...)
		}
	}
	return joined
}
