package dynamo

import (
	"context"
	"errors"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/ddb"
)

// maxDays is how many days one process remembers to have entered.
const maxDays = 100_000

// days are the tenants' days that this process has entered. The zero value is empty.
type days struct {
	mu    sync.Mutex
	known map[string]bool // guarded by mu
}

func (d *days) has(day string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.known[day]
}

func (d *days) add(day string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.known == nil || len(d.known) >= maxDays {
		d.known = make(map[string]bool)
	}
	d.known[day] = true
}

// daysKey returns the key in TaskBlobs under which a tenant's days are.
func daysKey(tenant string) string { return escape.Replace(tenant) + "#%days" }

// enterDay records that the tenant has tasks of this day, before it has any, so that lists need not look at days without tasks.
func (s *Store) enterDay(ctx context.Context, t *orchestrator.Task) error {
	day := dayOf(t)
	note := recordItem(daysKey(t.Tenant), day)
	known := ddb.TextOf(note, attrTask) + day
	if s.days.has(known) {
		return nil
	}
	put := types.Put{TableName: s.db.Table(tableBlobs), Item: note}
	if s.Keep > 0 {
		note[attrTTL] = seconds(t.CreateTime.Add(orchestrator.MaxDeadline + s.Keep + recordLife).Unix())
		put.ConditionExpression = aws.String("attribute_not_exists(" + attrTask + ") OR #ttl < :ttl") // others may keep tasks for longer
		put.ExpressionAttributeNames, put.ExpressionAttributeValues = map[string]string{"#ttl": attrTTL}, ddb.Item{":ttl": note[attrTTL]}
	}
	err := s.put(ctx, put)
	if _, longer := errors.AsType[*ddb.RefusedError](err); err != nil && !longer {
		return err
	}
	s.days.add(known)
	return nil
}

// tenantDays returns the days with tasks of a tenant, the latest first, beginning with from unless that is empty.
func (s *Store) tenantDays(ctx context.Context, tenant, from string) (list []string, err error) {
	if from == "" {
		from = "~"
	}
	pages := dynamodb.NewQueryPaginator(s.db.API(), &dynamodb.QueryInput{
		TableName: s.db.Table(tableBlobs), ConsistentRead: aws.Bool(true), ScanIndexForward: aws.Bool(false),
		KeyConditionExpression:    aws.String(attrTask + " = :days AND " + attrRecord + " <= :from"),
		ExpressionAttributeValues: ddb.Item{":days": text(daysKey(tenant)), ":from": text(from)},
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, ddb.Fault("listing the days of tasks", err)
		}
		for _, item := range page.Items {
			list = append(list, ddb.TextOf(item, attrRecord))
		}
	}
	return list, nil
}
