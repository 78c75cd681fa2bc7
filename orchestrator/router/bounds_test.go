package router_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/router"
	"github.com/quorate/quorate/registry"
)

// TestOfTooManyAgentsTheIdleOnesAreForgotten has more agents observed than are tracked.
func TestOfTooManyAgentsTheIdleOnesAreForgotten(t *testing.T) {
	t.Parallel()
	r := newRouter(agent("failed", registry.StatusAvailable), agent("works", registry.StatusAvailable))
	r.Observe(tenant, "failed", time.Second, router.Failed)
	r.Begin(tenant, "works")
	for i := range 20_001 {
		r.Observe(tenant, strconv.Itoa(i), time.Second, router.Failed)
	}
	got, err := r.Resolve(t.Context(), tenant, orchestrator.Route{Skill: "work"})
	scores := make(map[string]float64)
	for _, c := range got.Decision.Candidates {
		scores[c.Agent] = c.Score
	}
	if diff := cmp.Diff(map[string]float64{"failed": 1, "works": 0.5}, scores); err != nil || diff != "" {
		t.Errorf("Resolve() = %v, scores (-want +got):\n%s", err, diff)
	}
}

// listings counts how often the agents of each tenant are listed, which is once for an index.
type listings struct {
	fleet
	n map[string]int
}

func (l *listings) Listing(tenant string) registry.Listing {
	l.n[tenant]++
	return l.fleet.Listing(tenant)
}

// TestOfTooManyTenantsSomeAreIndexedAnew has as many tenants as may be indexed at a time, and then more.
func TestOfTooManyTenantsSomeAreIndexedAnew(t *testing.T) {
	t.Parallel()
	const indexed, tooMany = 1000, 3000
	directory := &listings{fleet{maker("a", "", "out:text")}, make(map[string]int)}
	r := router.New(router.Config{Directory: directory, Intn: first})
	route := func(tenant string) {
		t.Helper()
		if _, err := r.Resolve(t.Context(), tenant, contract("", "out:text")); err != nil {
			t.Fatal(err)
		}
	}
	listed := func(tenants int) (n int) {
		t.Helper()
		clear(directory.n)
		for i := range tenants {
			route(strconv.Itoa(i))
		}
		for _, times := range directory.n {
			n += times
		}
		return n
	}
	if n, again := listed(indexed), listed(indexed); n != indexed || again != 0 {
		t.Errorf("the agents of %d tenants were listed %d times, and %d times after that, want once for each", indexed, n, again)
	}
	listed(tooMany)
	if n := listed(tooMany); n < tooMany-indexed {
		t.Errorf("the agents of %d tenants were listed %d times again, want at least %d: %d indexes are kept", tooMany, n, tooMany-indexed, indexed)
	}
	clear(directory.n)
	for i := range tooMany { // whoever asks between any two of the others keeps its index
		route("often")
		route(strconv.Itoa(i))
	}
	if n := directory.n["often"]; n != 1 {
		t.Errorf("the agents of a tenant that asks often were listed %d times, want once", n)
	}
}
