// Package allowlisttest is the suite that every allowlist.Store passes.
package allowlisttest

import (
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/agents/webfetch/allowlist"
)

// Run runs the suite; each test gets an empty store from open.
func Run(t *testing.T, open func(t *testing.T) allowlist.Store) {
	for name, test := range map[string]func(t *testing.T, s allowlist.Store){
		"an entry is there after it was added":  adding,
		"an entry is gone after it was removed": removing,
		"entries are listed in pages, in order": listing,
		"the first match is found":              finding,
		"tenants do not see each other":         tenants,
		"of many who add one entry, one did":    racing,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

func entry(domain allowlist.Domain) allowlist.Entry {
	return allowlist.Entry{Domain: domain, CreateTime: time.Date(2026, 2, 18, 12, 0, 0, 5e6, time.UTC), Creator: "admin"}
}

func add(t *testing.T, s allowlist.Store, tenant string, domains ...allowlist.Domain) {
	t.Helper()
	for _, d := range domains {
		if added, err := s.Add(t.Context(), tenant, entry(d)); !added || err != nil {
			t.Fatalf("Add(%s) = %t, %v, want true", d, added, err)
		}
	}
}

func adding(t *testing.T, s allowlist.Store) {
	add(t, s, "t", "example.com")
	again := entry("example.com")
	again.Creator = "somebody else"
	if added, err := s.Add(t.Context(), "t", again); added || err != nil {
		t.Errorf("Add(example.com) again = %t, %v, want false", added, err)
	}
	got, found, err := s.Find(t.Context(), "t", []allowlist.Domain{"example.com"})
	if diff := cmp.Diff(entry("example.com"), got); !found || err != nil || diff != "" {
		t.Errorf("Find(example.com) = %t, %v, want the first entry (-want +got):\n%s", found, err, diff)
	}
}

func removing(t *testing.T, s allowlist.Store) {
	add(t, s, "t", "example.com", "*.example.com")
	for i, want := range []bool{true, false} {
		if removed, err := s.Remove(t.Context(), "t", "example.com"); removed != want || err != nil {
			t.Errorf("Remove(example.com), time %d = %t, %v, want %t", i+1, removed, err, want)
		}
	}
	if _, found, err := s.Find(t.Context(), "t", []allowlist.Domain{"example.com"}); found || err != nil {
		t.Errorf("Find(example.com) = %t, %v, want false", found, err)
	}
	if _, found, err := s.Find(t.Context(), "t", []allowlist.Domain{"*.example.com"}); !found || err != nil {
		t.Errorf("Find(*.example.com) = %t, %v, want it to stay", found, err)
	}
}

func listing(t *testing.T, s allowlist.Store) {
	want := []allowlist.Domain{"*.b.example", "a.example", "a.example:8443", "b.example", "c.example"}
	for _, i := range []int{3, 0, 4, 2, 1} {
		add(t, s, "t", want[i])
	}
	var got []allowlist.Domain
	for after := allowlist.Domain(""); ; {
		page, err := s.List(t.Context(), "t", after, 2)
		if err != nil || len(page) > 2 {
			t.Fatalf("List(after %q, 2) = %d entries, %v, want at most 2", after, len(page), err)
		}
		for _, e := range page {
			got = append(got, e.Domain)
			after = e.Domain
		}
		if len(page) < 2 {
			break
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("List() in pages of 2 differs (-want +got):\n%s", diff)
	}
	if page, err := s.List(t.Context(), "t", "a.example.0", 1); err != nil || len(page) != 1 || page[0].Domain != "a.example:8443" {
		t.Errorf("List(after what is not listed) = %v, %v, want the one behind it", page, err)
	}
}

func finding(t *testing.T, s allowlist.Store) {
	add(t, s, "t", "example.com", "*.example.com")
	for name, test := range map[string]struct {
		look []allowlist.Domain
		want allowlist.Domain
	}{
		"the order of the question decides": {[]allowlist.Domain{"x", "*.example.com", "example.com"}, "*.example.com"},
		"nothing matches":                   {[]allowlist.Domain{"x", "y"}, ""},
		"nothing is asked":                  {nil, ""},
	} {
		got, found, err := s.Find(t.Context(), "t", test.look)
		if err != nil || found != (test.want != "") || got.Domain != test.want {
			t.Errorf("%s: Find(%v) = %q, %t, %v, want %q", name, test.look, got.Domain, found, err, test.want)
		}
	}
}

func tenants(t *testing.T, s allowlist.Store) {
	add(t, s, "one", "example.com")
	if _, found, err := s.Find(t.Context(), "two", []allowlist.Domain{"example.com"}); found || err != nil {
		t.Errorf("Find(example.com) by another tenant = %t, %v, want false", found, err)
	}
	if list, err := s.List(t.Context(), "two", "", 10); len(list) != 0 || err != nil {
		t.Errorf("List() by another tenant = %v, %v, want nothing", list, err)
	}
	if removed, err := s.Remove(t.Context(), "two", "example.com"); removed || err != nil {
		t.Errorf("Remove(example.com) by another tenant = %t, %v, want false", removed, err)
	}
	add(t, s, "two", "example.com")
}

func racing(t *testing.T, s allowlist.Store) {
	var group sync.WaitGroup
	var added atomic.Int64
	for i := range 16 {
		group.Go(func() {
			e := entry("example.com")
			e.Creator = strconv.Itoa(i)
			ok, err := s.Add(t.Context(), "t", e)
			if err != nil {
				t.Errorf("Add(example.com) = %v, want nil", err)
			}
			if ok {
				added.Add(1)
			}
		})
	}
	group.Wait()
	if n := added.Load(); n != 1 {
		t.Errorf("%d of 16 callers added the entry, want 1", n)
	}
}
