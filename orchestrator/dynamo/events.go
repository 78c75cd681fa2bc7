package dynamo

import (
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/platform/fault"
)

// Events implements orchestrator.Store. It reads all records behind after and goes back from the task's last one: what a writer that
// failed left among them is named by none.
func (s *Store) Events(ctx context.Context, k orchestrator.Key, after uint64, limit int) ([]orchestrator.Event, error) {
	item, err := s.get(ctx, taskKey(k))
	if err != nil {
		return nil, err
	}
	if item == nil || s.over(item) {
		return nil, fault.New(fault.NotFound, "TASK_NOT_FOUND", "there is no task %q", k.ID).With("task", k.ID)
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
	records, err := s.records(ctx, taskKey(k), after, last)
	if err != nil {
		return nil, err
	}
	var batches [][]orchestrator.Event
	for last > after {
		record, ok := records[name]
		if !ok {
			return nil, fmt.Errorf("reading the log of task %s: record %q is not there", k.ID, name)
		}
		var events []orchestrator.Event
		if err := attributevalue.Unmarshal(record[attrEvents], &events); err != nil || len(events) == 0 {
			return nil, fmt.Errorf("decoding record %q of task %s: %d events, %w", name, k.ID, len(events), err)
		}
		batches = append(batches, events)
		name, last = ddb.TextOf(record, attrPrevious), events[0].Sequence-1
	}
	slices.Reverse(batches)
	events := slices.Concat(batches...)
	first := slices.IndexFunc(events, func(e orchestrator.Event) bool { return e.Sequence > after })
	events = events[first:]
	return events[:min(len(events), limit)], nil
}

// records returns the records whose last event is behind after and not behind last, by name.
func (s *Store) records(ctx context.Context, key string, after, last uint64) (map[string]ddb.Item, error) {
	pages := dynamodb.NewQueryPaginator(s.db.API(), &dynamodb.QueryInput{
		TableName: s.db.Table(tableBlobs), ConsistentRead: aws.Bool(true),
		KeyConditionExpression: aws.String(attrTask + " = :task AND " + attrRecord + " BETWEEN :from AND :to"),
		ProjectionExpression:   aws.String(attrRecord + ", " + attrEvents + ", " + attrPrevious),
		ExpressionAttributeValues: ddb.Item{
			":task": text(key), ":from": text(logName(after+1, "")), ":to": text(logName(last, "~")),
		},
	})
	records := make(map[string]ddb.Item)
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, ddb.Fault("reading a task's log", err)
		}
		for _, item := range page.Items {
			records[ddb.TextOf(item, attrRecord)] = item
		}
	}
	return records, nil
}
