package registry_test

import (
	"strings"
	"testing"
	"time"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

func TestAnOrderFollowsWhatChanges(t *testing.T) {
	t.Parallel()
	time0 := newClock()
	r := open(t, registry.Options{Now: time0.Now})
	put := func(name, version string) {
		t.Helper()
		time0.pass(time.Second)
		apply(t, r, registry.Application{Registration: registry.Registration{
			RawCard: []byte(strings.Replace(string(named(name)), "1.0.0", version, 1)),
		}})
	}
	want := func(by, filter, want string) {
		t.Helper()
		order, err := registry.ParseOrder(by)
		if err != nil {
			t.Fatalf("ParseOrder(%s) = %v, want no error", by, err)
		}
		f, err := registry.ParseFilter(filter)
		if err != nil {
			t.Fatalf("ParseFilter(%s) = %v, want no error", filter, err)
		}
		got, after := "", ""
		for { // page by page
			page, places, err := r.AgentsInOrder(t.Context(), tenant, order, f, after, 2)
			if err != nil {
				t.Fatalf("AgentsInOrder(%s, %s) = %v, want no error", by, filter, err)
			}
			for i := range page {
				got, after = got+page[i].Name, places[i]
			}
			if len(page) < 2 {
				break
			}
		}
		if got != want {
			t.Errorf("AgentsInOrder(%s, %s) = %s, want %s", by, filter, got, want)
		}
	}
	put("a", "1.10.0")
	put("b", "1.9.0")
	put("c", "1.10.0-rc.1")
	want("version", "", "bca")
	want("version desc", "", "acb")
	want("update_time", "", "abc")
	want("name desc", "", "cba")
	put("a", "0.1.0")
	put("d", "1.9.0")
	want("version", "", "abdc")
	want("version desc", "", "cdba")
	want("update_time desc", "", "dacb")
	want("updateTime desc", "", "dacb")
	want("create_time", "", "abcd")
	want("create_time", "version>=1.10.0-rc.1", "c")
	beat(t, r, registry.Beat{Agent: "d", Status: registry.StatusAvailable})
	want("name desc", "status=available", "d")
	if err := r.Once(registry.Retry{}).Delete(t.Context(), tenant, "b", ""); err != nil {
		t.Fatalf("Delete(b) = %v, want no error", err)
	}
	want("version", "", "adc")
	want("name desc", "", "dca")
}

func TestAnOrderThatIsNoneIsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"colour", "name down", "name desc desc", "desc"} {
		if _, err := registry.ParseOrder(text); fault.ReasonOf(err) != "ORDER_INVALID" {
			t.Errorf("ParseOrder(%s) = %v, want ORDER_INVALID", text, err)
		}
	}
}

// TestAPageInOrderEndsWhereItWasFound has the last agent of a page move to the end of the order while the page is read.
func TestAPageInOrderEndsWhereItWasFound(t *testing.T) {
	t.Parallel()
	r, s := openPulseStore(t)
	for _, name := range []string{"a", "b", "c", "d"} {
		register(t, r, name)
	}
	order, err := registry.ParseOrder("update_time")
	if err != nil {
		t.Fatal(err)
	}
	move := func() error {
		_, err := r.Apply(t.Context(), tenant, registry.Application{Registration: registry.Registration{RawCard: named("b", "more")}})
		return err
	}
	synced(t, r.Directory())
	s.read.Store(&move) // once a is read
	first, places, err := r.AgentsInOrder(t.Context(), tenant, order, registry.Filter{}, "", 2)
	if err != nil || len(first) != 2 {
		t.Fatalf("AgentsInOrder() = %d agents, %v, want 2", len(first), err)
	}
	second, _, err := r.AgentsInOrder(t.Context(), tenant, order, registry.Filter{}, places[1], 2)
	if err != nil || len(second) != 2 || second[0].Name != "c" || second[1].Name != "d" {
		t.Errorf("AgentsInOrder() behind b = %d agents, %v, want c and d", len(second), err)
	}
}
