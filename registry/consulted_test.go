package registry_test

import (
	"slices"
	"testing"

	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

// TestTheDirectoryKnowsWhoIsConsulted has two agents change their rules, and deletes one.
func TestTheDirectoryKnowsWhoIsConsulted(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	d := r.Directory()
	want := func(when string, consulted ...string) {
		t.Helper()
		if err := d.Sync(t.Context(), tenant); err != nil {
			t.Fatalf("Sync() = %v, want no error", err)
		}
		for _, name := range []string{"first", "second"} {
			if got, want := d.Consulted(tenant, name), slices.Contains(consulted, name); got != want {
				t.Errorf("Consulted(%s) %s = %t, want %t", name, when, got, want)
			}
		}
	}
	rules := func(agent string, targets ...string) {
		t.Helper()
		var m agentcard.Metadata
		for _, target := range targets {
			m.ConsultationRequirements = append(m.ConsultationRequirements, agentcard.ConsultationRequirement{
				ID: "r" + target, TargetAgent: target, Phase: "pre-completion",
			})
		}
		if _, _, err := r.Once(registry.Retry{}).UpdateMetadata(t.Context(), tenant, agent, "", nil, m); err != nil {
			t.Fatalf("UpdateMetadata(%s) = %v, want no error", agent, err)
		}
	}
	searchable(t, r, "a", "", "fetch|d|t")
	searchable(t, r, "b", "", "fetch|d|t")
	want("without rules")
	rules("a", "first", "second")
	rules("b", "second")
	want("with the rules of two agents", "first", "second")
	rules("a")
	want("without the rules of one", "second")
	if err := r.Once(registry.Retry{}).Delete(t.Context(), tenant, "b", ""); err != nil {
		t.Fatalf("Delete(b) = %v, want no error", err)
	}
	want("without the other agent")
}
