package registry_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

// TestADryRunOfACardWritesNothing asks of each write that changes which card is in force what it would do.
func TestADryRunOfACardWritesNothing(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 16, 12, 0, 0, 0, time.UTC)
	w := newWeb()
	r := open(t, registry.Options{Client: w.client(), CardChanges: registry.CardChangesConfirm, Now: func() time.Time { return now }})
	w.serve(here, cardOf("one", "old"))
	if _, _, err := r.Register(t.Context(), tenant, registry.Registration{CardURI: here}); err != nil {
		t.Fatalf("Register() = %v, want no error", err)
	}
	dry := func(what string, write func(w registry.Writer) (registry.Agent, []agentcard.Warning, error), want ...string) {
		t.Helper()
		now = now.Add(time.Second) // or a lease that is renewed would not show
		before, err := r.Agent(t.Context(), tenant, "a")
		if err != nil {
			t.Fatalf("Agent() = %v, want no error", err)
		}
		would, warnings, err := write(r.Once(registry.Retry{Caller: "c", RequestID: what}).DryRun())
		wantCodes(t, what, warnings, err, want...)
		if would.Etag == before.Etag {
			t.Errorf("%s = the etag %s, want that of what would be written", what, would.Etag)
		}
		after, err := r.Agent(t.Context(), tenant, "a")
		if diff := cmp.Diff(before, after); diff != "" || err != nil {
			t.Errorf("Agent() after a dry run of %s = %v, difference (-before +after):\n%s", what, err, diff)
		}
		written, _, err := write(r.Once(registry.Retry{Caller: "c", RequestID: what})) // whose id the dry run has not used up
		if err != nil || written.Etag == before.Etag {
			t.Errorf("%s afterwards = the etag %s, %v, want it written", what, written.Etag, err)
		}
	}
	w.serve(here, cardOf("two", "new"))
	dry("Refresh()", func(w registry.Writer) (registry.Agent, []agentcard.Warning, error) {
		return w.Refresh(t.Context(), tenant, "a", "", "")
	}, "CHANGE_WAITS")
	wantInForce(t, r, "one", "old")
	seen, err := r.Agent(t.Context(), tenant, "a")
	if err != nil {
		t.Fatalf("Agent() = %v, want no error", err)
	}
	dry("Approve()", func(w registry.Writer) (registry.Agent, []agentcard.Warning, error) {
		return w.Approve(t.Context(), tenant, "a", seen.Etag)
	}, agentcard.InterfaceRemoved, agentcard.SkillRemoved)
	wantInForce(t, r, "two", "new")
	dry("SetLiveVersion()", func(w registry.Writer) (registry.Agent, []agentcard.Warning, error) {
		return w.SetLiveVersion(t.Context(), tenant, "a", "", 1)
	}, agentcard.InterfaceRemoved, agentcard.SkillRemoved)
	wantInForce(t, r, "one", "old")
	now = now.Add(time.Second)
	before := statusOf(t, r, "a")
	if _, err := r.Apply(t.Context(), tenant, registry.Application{Registration: registry.Registration{CardURI: here, ValidateOnly: true}}); err != nil {
		t.Errorf("Apply() that only validates = %v, want no error", err)
	}
	if after := statusOf(t, r, "a"); after != before {
		t.Errorf("the status after a dry run of Apply() = %+v, want %+v still", after, before)
	}
	if _, _, err := r.Once(registry.Retry{}).DryRun().SetLiveVersion(t.Context(), tenant, "a", "", 9); fault.ReasonOf(err) != "VERSION_NOT_FOUND" {
		t.Errorf("SetLiveVersion(9) = %v, want VERSION_NOT_FOUND of a dry run too", err)
	}
}
