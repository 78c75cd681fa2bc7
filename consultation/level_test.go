package consultation_test

import (
	"strings"
	"testing"
	"time"

	"github.com/quorate/quorate/consultation"
)

func TestARequirementRaisesTheLowestLevelAndNeverLowersIt(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		policy, requirement string
		level               string // of the approval
		needed              string
		verdict             string
	}{
		"neither says anything":               {"", "", "C2", "C2", "approved"},
		"the requirement asks for more":       {"", "C3", "C2", "C3", "unauthenticated"},
		"the requirement gets more":           {"", "C3", "C3", "C3", "approved"},
		"the requirement asks for less":       {"C3", "C2", "C2", "C3", "unauthenticated"},
		"the requirement asks for the lowest": {"", "C1", "C1", "C2", "unauthenticated"},
		"both ask for the lowest":             {"C1", "C1", "C1", "C1", "approved"},
		"more than a policy that is low":      {"C1", "C2", "C1", "C2", "unauthenticated"},
		"a level that is none":                {"", "C9", "C3", "C9", "unauthenticated"},
		"what an agent only says":             {"C1", "C0", "C3", "C0", "unauthenticated"},
		"a policy that is none":               {"C9", "C1", "C3", "C9", "unauthenticated"},
	}
	proofs := map[string]string{
		"C1": ", in the trace of a consultation that Quorate carried",
		"C2": ", recorded by reviewer itself",
		"C3": ", signed by reviewer with a key that is pinned for it alone",
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, s := asked(1, current), subject()
			c.State, s.Requirements[0].MinLevel = consultation.StateAnswered, test.requirement
			approval := answer(c, "approved")
			approval.Level = test.level
			d := consultation.Decide(consultation.Input{Subject: s, Consultations: consultations{c}, Evidence: evidence{approval}, Now: noon, Lowest: test.policy})
			v := d.Requirements[0]
			if v.Verdict != test.verdict || v.Lowest != test.needed || d.Allowed != (test.verdict == "approved") {
				t.Errorf("Decide() = %s with level %s, allowed %v, want %s with level %s", v.Verdict, v.Lowest, d.Allowed, test.verdict, test.needed)
			}
			if proof := proofs[test.needed]; !strings.HasSuffix(v.LookedFor, proof) {
				t.Errorf("Decide() has looked for %q, want %q", v.LookedFor, proof)
			}
		})
	}
}

// TestWhatARequirementAsksForDecidesWhenItIsAnswered has the question stay open for the signature that the requirement wants.
func TestWhatARequirementAsksForDecidesWhenItIsAnswered(t *testing.T) {
	t.Parallel()
	f, _, k := newSigned(t, "")
	q, s := question(current), subject()
	q.Requirement.MinLevel, s.Requirements[0].MinLevel = consultation.LevelSigned, consultation.LevelSigned
	c, err := f.Issue(t.Context(), q)
	if err != nil || f.MinLevel(c) != consultation.LevelSigned {
		t.Fatalf("Issue() = %+v, %v, want one of level C3", c, err)
	}
	for _, step := range []struct {
		claim          consultation.Claim
		state, verdict string
	}{
		{claim(c, "approved", spanID), consultation.StateOpen, consultation.VerdictUnauthenticated},
		{k.sign(claim(c, "approved", "00000000000000a2")), consultation.StateAnswered, consultation.VerdictApproved},
	} {
		f.record(t, step.claim)
		list, err := f.Consultations(t.Context(), tenant, task, time.Time{})
		if err != nil || list[0].State != step.state {
			t.Errorf("Consultations() = %+v, %v, want it %s", list, err, step.state)
		}
		if d, err := f.Check(t.Context(), s); err != nil || d.Requirements[0].Verdict != step.verdict {
			t.Errorf("Check() = %+v, %v, want %s", d, err, step.verdict)
		}
	}
}

func TestAskingForAnotherLevelIsAskingAnew(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	first, q := f.issue(t, current), question(current)
	q.Requirement.MinLevel = consultation.LevelSigned
	if again, err := f.Issue(t.Context(), q); err != nil || again.ID == first.ID {
		t.Errorf("Issue() = %+v, %v, want another consultation than %s", again, err, first.ID)
	}
}
