package registry_test

import (
	"slices"
	"testing"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

// ruled is metadata with a rule that has a reviewer consulted.
func ruled() agentcard.Metadata {
	return agentcard.Metadata{ConsultationRequirements: []agentcard.ConsultationRequirement{{ID: "r", TargetAgent: "reviewer", Phase: "on-error"}}}
}

func TestUpdateMetadata(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	before := register(t, r, "a")
	both := ruled()
	both.InputSchemas = []agentcard.InputSchema{{Name: "n", SemanticType: "document"}}
	first, warnings, err := r.Once(registry.Retry{}).UpdateMetadata(t.Context(), tenant, "a", before.Etag, nil, both)
	if err != nil || first.Etag == before.Etag || first.Revision != 2 || len(warnings) != 1 {
		t.Fatalf("UpdateMetadata() = %+v, %v, %v, want a new etag, revision 2 and one warning", first, warnings, err)
	}
	_, _, err = r.Once(registry.Retry{}).UpdateMetadata(t.Context(), tenant, "a", before.Etag, nil, both)
	if fault.ReasonOf(err) != "ETAG_MISMATCH" || fault.KindOf(err) != fault.Conflict {
		t.Errorf("UpdateMetadata(stale etag) = %v, want ETAG_MISMATCH", err)
	}
	second, _, err := r.Once(registry.Retry{}).UpdateMetadata(t.Context(), tenant, "a", "*", []string{"input_schemas"}, agentcard.Metadata{})
	if err != nil || len(second.Metadata.InputSchemas) != 0 || len(second.Metadata.ConsultationRequirements) != 1 {
		t.Errorf("UpdateMetadata(mask) = %+v, %v, want only the inputs replaced", second.Metadata, err)
	}
	beat(t, r, registry.Beat{Agent: "a", Status: "available"})
	if got, err := r.Agent(t.Context(), tenant, "a"); err != nil || got.Etag != second.Etag {
		t.Errorf("Agent().Etag after a beat = %q, %v, want %q", got.Etag, err, second.Etag)
	}
	if _, _, err := r.Once(registry.Retry{}).UpdateMetadata(t.Context(), tenant, "a", "", []string{"name"}, both); fault.ReasonOf(err) != "MASK_INVALID" {
		t.Errorf("UpdateMetadata(mask name) = %v, want MASK_INVALID", err)
	}
	if _, _, err := r.Once(registry.Retry{}).UpdateMetadata(t.Context(), tenant, "b", "", nil, both); fault.ReasonOf(err) != "AGENT_NOT_FOUND" {
		t.Errorf("UpdateMetadata(b) = %v, want AGENT_NOT_FOUND", err)
	}
}

func TestADryRunOfMetadataWritesNothing(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	a := register(t, r, "a")
	w := r.Once(registry.Retry{Caller: "admin", RequestID: "1"})
	m := agentcard.Metadata{InputSchemas: []agentcard.InputSchema{{Name: "i", SemanticType: "document"}}}
	would, _, err := w.DryRun().UpdateMetadata(t.Context(), tenant, "a", a.Etag, nil, m)
	if err != nil || would.Etag == a.Etag || len(would.Metadata.InputSchemas) != 1 {
		t.Errorf("UpdateMetadata() = %+v, %v, want what would be written", would, err)
	}
	if _, _, err := w.DryRun().UpdateMetadata(t.Context(), tenant, "a", "other", nil, m); fault.ReasonOf(err) != "ETAG_MISMATCH" {
		t.Errorf("UpdateMetadata() with another etag = %v, want ETAG_MISMATCH", err)
	}
	if now, err := r.Agent(t.Context(), tenant, "a"); err != nil || now.Etag != a.Etag || len(now.Metadata.InputSchemas) != 0 {
		t.Errorf("Agent() = %+v, %v, want what there was before", now, err)
	}
	if now, _, err := w.UpdateMetadata(t.Context(), tenant, "a", a.Etag, nil, m); err != nil || now.Etag == a.Etag { // the request id is not used up
		t.Errorf("UpdateMetadata() = %+v, %v, want it written", now, err)
	}
}

func TestUpdateMetadataOfWhatMustNotBeDoneTwice(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	register(t, r, "a")
	rules := ruled()
	for _, step := range []struct {
		mask     []string
		metadata agentcard.Metadata
		skills   []string
		rules    int
	}{
		{nil, agentcard.Metadata{ConsultationRequirements: rules.ConsultationRequirements, AtMostOnceSkills: []string{"pay"}}, []string{"pay"}, 1},
		{[]string{"input_schemas"}, agentcard.Metadata{}, []string{"pay"}, 1},
		{[]string{"at_most_once_skills"}, agentcard.Metadata{AtMostOnceSkills: []string{"*"}}, []string{"*"}, 1},
		{[]string{"consultation_requirements"}, agentcard.Metadata{}, []string{"*"}, 0},
		{nil, agentcard.Metadata{}, nil, 0},
	} {
		a, _, err := r.Once(registry.Retry{}).UpdateMetadata(t.Context(), tenant, "a", "", step.mask, step.metadata)
		if err != nil || !slices.Equal(a.Metadata.AtMostOnceSkills, step.skills) || len(a.Metadata.ConsultationRequirements) != step.rules {
			t.Errorf("UpdateMetadata(%v) = %+v, %v, want at most once %v and %d rules", step.mask, a.Metadata, err, step.skills, step.rules)
		}
	}
}

// TestAnEtagIsOfWhatWasRead: after a backup is restored, an agent may come to the same revision once more, with other content.
func TestAnEtagIsOfWhatWasRead(t *testing.T) {
	t.Parallel()
	clock := newClock()
	seen := make(map[string]string)
	for name, in := range map[string]registry.Registration{
		"a card":       {RawCard: named("a", "x")},
		"another card": {RawCard: named("a", "y")},
		"metadata":     {RawCard: named("a", "x"), Metadata: &agentcard.Metadata{AtMostOnceSkills: []string{"*"}}},
	} {
		a, _, err := open(t, registry.Options{Now: clock.Now}).Register(t.Context(), tenant, in)
		if other, twice := seen[a.Etag]; err != nil || twice {
			t.Errorf("Register() with %s = etag %q, %v, want another than with %s", name, a.Etag, err, other)
		}
		seen[a.Etag] = name
	}
}

func TestAnEtagDoesNotFitASuccessor(t *testing.T) {
	t.Parallel()
	time0 := newClock()
	r := open(t, registry.Options{Now: time0.Now})
	before := register(t, r, "a")
	if err := r.Once(registry.Retry{}).Delete(t.Context(), tenant, "a", "stale"); fault.ReasonOf(err) != "ETAG_MISMATCH" {
		t.Errorf("Delete(stale etag) = %v, want ETAG_MISMATCH", err)
	}
	if err := r.Once(registry.Retry{}).Delete(t.Context(), tenant, "a", before.Etag); err != nil {
		t.Errorf("Delete() = %v, want no error", err)
	}
	if err := r.Once(registry.Retry{}).Delete(t.Context(), tenant, "a", ""); fault.ReasonOf(err) != "AGENT_NOT_FOUND" {
		t.Errorf("Delete() again = %v, want AGENT_NOT_FOUND", err)
	}
	time0.pass(1)
	if after := register(t, r, "a"); after.Etag == before.Etag {
		t.Errorf("Etag of the successor = %q, want another", after.Etag)
	}
}
