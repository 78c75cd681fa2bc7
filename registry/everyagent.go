package registry

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/quorate/quorate/platform/fault"
)

const (
	// listLag is how long what is new may be missing from a store's lists.
	listLag = time.Minute
	// maxLate bounds how many entries of the log are looked through for what is new.
	maxLate = 10_000
)

// everyAgent calls use with all agents that the tenant had when it was called, up to chunk at a time: those of the store's list in order of name, and then those
// that the log tells of and the list does not show yet.
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
		if fault.KindOf(err) == fault.NotFound { // deleted again
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

// eachPage calls use with all agents of q's list, up to q.Limit at a time, and ends with the first error.
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

// createdLately returns the names of the agents that were created within listLag, as far as the log tells.
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
