package dynamo

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/ddb"
)

// Events implements orchestrator.Store. It reads records forward, and finds those that count by going back from one that does: nothing refers to
// records of failed writers among them.
func (s *Store) Events(ctx context.Context, k orchestrator.Key, after uint64, limit int) ([]orchestrator.Event, error) {
	item, err := s.item(ctx, k)
	if err != nil {
		return nil, err
	}
	name := ddb.TextOf(item, attrLog)
	if name == "" {
		return nil, nil
	}
	last, err := lastOf(name)
	if err != nil {
		return nil, fmt.Errorf("reading the log of task %s: its last record is %q", k.ID, name)
	}
	if last <= after {
		return nil, nil
	}
	events, err := s.readLog(ctx, item, name, after, last, limit)
	if err != nil {
		return nil, fmt.Errorf("reading the log of task %s: %w", k.ID, err)
	}
	return events, nil
}

// spareRecords is how many more records than events are read at a time, because others may be among them: those of failed writers, and of an earlier
// task with the same id, whose records are removed weeks after its item.
const spareRecords = 20

// readLog returns up to limit events after after, from the log of a task whose last record is name, with event last. It stops reading when it has
// them, so that reading a long log page by page does not read it anew each time.
func (s *Store) readLog(ctx context.Context, task ddb.Item, name string, after, last uint64, limit int) ([]orchestrator.Event, error) {
	pages := dynamodb.NewQueryPaginator(s.db.API(), &dynamodb.QueryInput{
		TableName: s.db.Table(tableBlobs), ConsistentRead: aws.Bool(true), Limit: aws.Int32(int32(min(limit, maxPage) + spareRecords)), //nolint:gosec // small, by maxPage
		KeyConditionExpression: aws.String(attrTask + " = :task AND " + attrRecord + " BETWEEN :from AND :to"),
		ProjectionExpression:   aws.String(attrRecord + ", " + attrEvents + ", " + attrPrevious + ", " + attrCreated),
		ExpressionAttributeValues: ddb.Item{
			":task": task[attrTask], ":from": text(logName(after+1, "")), ":to": text(logName(last, "~")),
		},
	})
	records := make(map[string]ddb.Item)
	created, _, _ := strings.Cut(ddb.TextOf(task, attrPosition), "#")
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, ddb.Fault("reading a task's log", err)
		}
		latest := ""
		for _, item := range page.Items {
			if its := ddb.TextOf(item, attrCreated); its != "" && its != created {
				continue
			}
			latest = ddb.TextOf(item, attrRecord)
			records[latest] = item
		}
		if !pages.HasMorePages() {
			continue
		}
		before := precedes(records, latest)
		if events, err := chain(records, before, after); err != nil || len(events) >= limit {
			return events[:min(len(events), limit)], err
		}
	}
	events, err := chain(records, name, after)
	return events[:min(len(events), limit)], err
}

// precedes returns the record on which the write of a record was based, whether or not that write succeeded. A write with many events has several
// records.
func precedes(records map[string]ddb.Item, name string) string {
	of := nonceOf(name)
	for name != "" && nonceOf(name) == of {
		name = ddb.TextOf(records[name], attrPrevious)
	}
	return name
}

// chain returns the events after after, up to those in the log's record name.
func chain(records map[string]ddb.Item, name string, after uint64) ([]orchestrator.Event, error) {
	var batches [][]orchestrator.Event
	for name != "" {
		last, err := lastOf(name)
		if err != nil {
			return nil, fmt.Errorf("a record is %q", name)
		}
		if last <= after {
			break
		}
		record, ok := records[name]
		if !ok {
			return nil, fmt.Errorf("record %q is not there", name)
		}
		var events []orchestrator.Event
		if err := attributevalue.Unmarshal(record[attrEvents], &events); err != nil || len(events) == 0 {
			return nil, fmt.Errorf("decoding record %q: %d events, %w", name, len(events), err)
		}
		batches = append(batches, events)
		name = ddb.TextOf(record, attrPrevious)
	}
	slices.Reverse(batches)
	events := slices.Concat(batches...)
	first := slices.IndexFunc(events, func(e orchestrator.Event) bool { return e.Sequence > after })
	return events[max(first, 0):], nil
}
