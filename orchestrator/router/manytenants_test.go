package router_test

import (
	"fmt"
	"testing"

	"github.com/quorate/quorate/orchestrator/router"
	"github.com/quorate/quorate/registry"
)

// counting counts how often the agents of each tenant are listed, which is when an index of them is made.
type counting struct {
	fleet
	listings map[string]int
}

func (d counting) Listing(tenant string) registry.Listing {
	d.listings[tenant]++
	return d.fleet.Listing(tenant)
}

// TestTheTenantThatAsksMostKeepsItsIndex has it ask between any two of 5,000 others.
func TestTheTenantThatAsksMostKeepsItsIndex(t *testing.T) {
	t.Parallel()
	d := counting{fleet{translator("a")}, make(map[string]int)}
	r := router.New(router.Config{Directory: d, Intn: first})
	for i := range 5000 {
		for _, name := range []string{"often", fmt.Sprint(i)} {
			if got, err := r.Resolve(t.Context(), name, toTranslator["by contract"]); err != nil || got.Decision.Chosen != "a" {
				t.Fatalf("Resolve() = %+v, %v, want a", got.Decision, err)
			}
		}
	}
	if n := d.listings["often"]; n != 1 {
		t.Errorf("its agents were indexed %d times, want once", n)
	}
}
