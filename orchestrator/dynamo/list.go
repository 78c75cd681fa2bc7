package dynamo

import (
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"golang.org/x/sync/errgroup"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/ddb"
)

const (
	// buckets is the number of keys in the listing for a tenant's day, so that no key gets more writes than a partition takes. It is fixed for the
	// lifetime of a table.
	buckets  = 16
	dayForm  = "2006-01-02"
	maxPage  = 1000
	cursorAt = "/" // between the day and the position in a cursor
)

// listed returns the attributes that put a task into the listing: its key depends on the day, and its position sorts by time.
func listed(t *orchestrator.Task) ddb.Item {
	return ddb.Item{attrListing: text(listingKey(t.Tenant, dayOf(t), bucketOf(t.ID))), attrPosition: text(position(t))}
}

func listingKey(tenant, day string, bucket int) string {
	return fmt.Sprintf("%s#%s#%02d", escape.Replace(tenant), day, bucket)
}

func dayOf(t *orchestrator.Task) string { return t.CreateTime.UTC().Format(dayForm) }

func bucketOf(id string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id)) // never fails
	return int(h.Sum32() % buckets)
}

func position(t *orchestrator.Task) string { return createdOf(t) + "#" + t.ID }

// createdOf returns when a task was created, in microseconds since 1970, as a text that sorts.
func createdOf(t *orchestrator.Task) string {
	return fmt.Sprintf("%016x", max(t.CreateTime.UnixMicro(), 0))
}

// createdAt returns the time at the beginning of an item's position, or the zero time when it has none and is in no list.
func createdAt(item ddb.Item) time.Time {
	at, _, _ := strings.Cut(ddb.TextOf(item, attrPosition), "#")
	micro, err := strconv.ParseInt(at, 16, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMicro(micro).UTC()
}

// Tasks implements orchestrator.Store.
func (s *Store) Tasks(ctx context.Context, tenant, after string, limit int) (page []orchestrator.Task, next string, err error) {
	from, behind, _ := strings.Cut(after, cursorAt)
	list, err := s.tenantDays(ctx, tenant, from)
	if err != nil {
		return nil, "", err
	}
	for _, day := range list {
		for ask := limit - len(page) + 1; ; ask = min(2*ask, maxPage) { // again only if some are over, and then there may be thousands
			keys, cursor, err := s.dayPage(ctx, tenant, day, behind, ask)
			if err != nil {
				return nil, "", err
			}
			tasks, err := s.listTasks(ctx, keys)
			if err != nil {
				return nil, "", err
			}
			page = append(page, tasks...)
			if len(page) > limit {
				page = page[:limit]
				return page, dayOf(&page[limit-1]) + cursorAt + position(&page[limit-1]), nil
			}
			if behind = cursor; behind == "" {
				break
			}
		}
	}
	return page, "", nil
}

// dayPage returns the keys of a day's newest tasks behind a position, at most limit, and the position from which to continue, or "" at the end.
func (s *Store) dayPage(ctx context.Context, tenant, day, behind string, limit int) (keys []string, next string, err error) {
	if behind == "" {
		behind = "~"
	}
	limit = min(limit, maxPage)
	var found [buckets][]ddb.Item
	calls, ctx := errgroup.WithContext(ctx)
	for bucket := range buckets {
		calls.Go(func() error {
			answer, err := s.db.API().Query(ctx, &dynamodb.QueryInput{
				TableName: s.db.Table(tableTasks), IndexName: aws.String(indexListing), ScanIndexForward: aws.Bool(false), Limit: aws.Int32(int32(limit)), //nolint:gosec // at most maxPage
				KeyConditionExpression:    aws.String(attrListing + " = :day AND " + attrPosition + " < :behind"),
				ExpressionAttributeValues: ddb.Item{":day": text(listingKey(tenant, day, bucket)), ":behind": text(behind)},
			})
			if err != nil {
				return ddb.Fault("listing tasks", err)
			}
			found[bucket] = answer.Items // these are keys only, so a page of DynamoDB has many more than are asked for
			return nil
		})
	}
	if err := calls.Wait(); err != nil {
		return nil, "", err
	}
	all := slices.Concat(found[:]...)
	slices.SortFunc(all, func(a, b ddb.Item) int {
		return strings.Compare(ddb.TextOf(b, attrPosition), ddb.TextOf(a, attrPosition))
	})
	if len(all) > limit {
		all = all[:limit]
	}
	for _, item := range all {
		keys = append(keys, ddb.TextOf(item, attrTask))
	}
	if len(all) == limit {
		next = ddb.TextOf(all[limit-1], attrPosition)
	}
	return keys, next, nil
}

// listTasks returns those of the tasks that still exist, in the order of keys, without messages and artifacts.
func (s *Store) listTasks(ctx context.Context, keys []string) ([]orchestrator.Task, error) {
	wanted := make([]ddb.Item, len(keys))
	for i, key := range keys {
		wanted[i] = taskItem(key)
	}
	items, err := s.db.BatchGet(ctx, tableTasks, wanted)
	if err != nil {
		return nil, err
	}
	found := make(map[string]*state, len(items))
	for _, item := range items {
		if s.over(item) {
			continue
		}
		st, err := decode(item)
		if err != nil {
			st = &state{item: item, broken: err}
		}
		found[ddb.TextOf(item, attrTask)] = st
	}
	if err := s.load(ctx, slices.Collect(maps.Values(found)), isListed); err != nil {
		return nil, err
	}
	tasks := make([]orchestrator.Task, 0, len(found))
	for _, key := range keys {
		switch st := found[key]; {
		case st == nil: // it does not exist any more
		case st.broken != nil:
			tasks = append(tasks, orchestrator.Unreadable(keyOf(key), createdAt(st.item)))
		default:
			tasks = append(tasks, st.task)
		}
	}
	return tasks, nil
}

// Unfinished implements orchestrator.Store.
func (s *Store) Unfinished(ctx context.Context, shard int, after orchestrator.Key, limit int) (keys []orchestrator.Key, err error) {
	condition, values := attrOpen+" = :shard", ddb.Item{":shard": text(openShard(shard))}
	if after != (orchestrator.Key{}) {
		condition, values[":after"] = condition+" AND "+attrTask+" > :after", text(taskKey(after))
	}
	input := &dynamodb.QueryInput{
		TableName: s.db.Table(tableTasks), IndexName: aws.String(indexOpen), KeyConditionExpression: aws.String(condition), ExpressionAttributeValues: values,
	}
	for len(keys) < limit {
		input.Limit = aws.Int32(int32(min(limit-len(keys), maxPage))) //nolint:gosec // small, by maxPage
		page, err := s.db.API().Query(ctx, input)
		if err != nil {
			return nil, ddb.Fault("looking for tasks that are not settled", err)
		}
		for _, item := range page.Items {
			keys = append(keys, keyOf(ddb.TextOf(item, attrTask)))
		}
		if len(page.LastEvaluatedKey) == 0 {
			break
		}
		input.ExclusiveStartKey = page.LastEvaluatedKey
	}
	return keys, nil
}
