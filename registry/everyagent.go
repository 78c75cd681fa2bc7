package registry

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/quorate/quorate/platform/fault"
)

const (
	// listLag is how long a new agent may be missing from a store's lists.
	listLag = time.Minute
	// maxLate bounds how many log entries are searched for new agents.
	maxLate = 10_000
)

// everyAgent calls use with all agents that the tenant had at the time of the call, up to chunk at a time: first the agents of the store's list, in
// order of name, then those that are in the log and not yet in the list.
func (r *Registry) everyAgent(ctx context.Context, tenant string, chunk int, use func([]Record) error) error {
	late, err := r.createdLately(ctx, tenant)
	if err != nil {
		return err
	}
	err = r.eachPage(ctx, Query{Tenant: tenant, Limit: chunk}, func(records []Record) error {
		for i := range records {
			delete(late, records[i].Name)
		}
		return use(records)
	})
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(late)) {
		record, err := r.store.Agent(ctx, Key{tenant, name})
		if fault.KindOf(err) == fault.NotFound { // it was deleted again
			continue
		}
		if err != nil {
			return err
		}
		if err := use([]Record{record}); err != nil {
			return err
		}
	}
	return nil
}

// eachPage calls use with all agents that q selects, up to q.Limit at a time. It stops at the first error.
func (r *Registry) eachPage(ctx context.Context, q Query, use func([]Record) error) error {
	for {
		records, err := r.store.Agents(ctx, q)
		if err != nil {
			return err
		}
		if err := use(records); err != nil || len(records) < q.Limit {
			return err
		}
		q.After = records[len(records)-1].Key()
	}
}

// createdLately returns the names of the agents that were created within listLag, according to the log.
func (r *Registry) createdLately(ctx context.Context, tenant string) (map[string]bool, error) {
	if r.log == nil {
		return nil, nil
	}
	head, err := r.log.Head(ctx, tenant)
	if err != nil {
		return nil, err
	}
	names, since := make(map[string]bool), r.now().Add(-listLag)
	for end := head; end > max(0, head-maxLate); {
		begin := max(0, end-maxLimit)
		entries, err := r.log.Changes(ctx, tenant, begin, int(end-begin))
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if e.Type == ChangeCreated && e.Time.After(since) {
				names[e.Agent] = true
			}
		}
		if len(entries) > 0 && entries[0].Time.Before(since) {
			break
		}
		end = begin
	}
	return names, nil
}
