package registry_test

import (
	"strings"
	"testing"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

// foreign returns a card with a name that no agent can have here, as most cards of others have.
func foreign(name string) []byte {
	return []byte(strings.Replace(string(named("route-planner", "plan")), `"name":"route-planner"`, `"name":"`+name+`"`, 1))
}

func TestAnAgentIsRegisteredUnderANameThatItsCardDoesNotHave(t *testing.T) {
	t.Parallel()
	const uri = "https://route-planner.example/.well-known/agent-card.json"
	w := newWeb()
	w.serve(uri, string(foreign("GeoSpatial Route Planner")))
	r := open(t, registry.Options{Client: w.client()})
	in := registry.Registration{CardURI: uri, RequestID: "1", Caller: "ops"}
	if _, _, err := r.Register(t.Context(), tenant, in); fault.ReasonOf(err) != "CARD_INVALID" || !strings.Contains(err.Error(), "under another name") {
		t.Fatalf("Register() = %v, want CARD_INVALID, and that there may be another name", err)
	}
	in.Name = "route-planner"
	for range 2 { // the second is a retry
		agent, _, err := r.Register(t.Context(), tenant, in)
		if err != nil || agent.Name != in.Name || agent.Card.Name != "GeoSpatial Route Planner" {
			t.Fatalf("Register(%+v) = %q with the card of %q, %v, want both names", in, agent.Name, agent.Card.Name, err)
		}
	}
	in.Name = "other"
	if _, _, err := r.Register(t.Context(), tenant, in); fault.ReasonOf(err) != "REQUEST_ID_REUSED" {
		t.Errorf("Register() with the id of another name = %v, want REQUEST_ID_REUSED", err)
	}

	w.serve(uri, strings.Replace(string(foreign("GeoSpatial Route Planner")), `"1.0.0"`, `"1.1.0"`, 1))
	agent, _, err := r.Once(registry.Retry{}).Refresh(t.Context(), tenant, "route-planner", "", "")
	if err != nil || agent.Card.Version != "1.1.0" || agent.Name != "route-planner" {
		t.Errorf("Refresh() = %q, %s, %v, want route-planner in its new version", agent.Name, agent.Card.Version, err)
	}
	if agent, _, err = r.Once(registry.Retry{}).SetLiveVersion(t.Context(), tenant, "route-planner", "", 1); err != nil || agent.Card.Version != "1.0.0" {
		t.Errorf("SetLiveVersion(1) = %s, %v, want the first card", agent.Card.Version, err)
	}
	w.serve(uri, string(foreign("Another Planner")))
	if _, _, err = r.Once(registry.Retry{}).Refresh(t.Context(), tenant, "route-planner", "", ""); fault.ReasonOf(err) != "CARD_NAME_CHANGED" {
		t.Errorf("Refresh() with the card of another = %v, want CARD_NAME_CHANGED", err)
	}
}

func TestAKeyIsForAnAgentByTheNameThatItHasHere(t *testing.T) {
	t.Parallel()
	r, key := open(t, registry.Options{Signatures: registry.SignaturesRequired}), newSigner(t, "k")
	pin(t, r, key, "route-planner")
	card := []byte(key.sign(t, named("planner")))
	if _, _, err := r.Register(t.Context(), tenant, registry.Registration{RawCard: card}); fault.ReasonOf(err) != "CARD_SIGNATURE_REQUIRED" {
		t.Errorf("Register() of planner = %v, want CARD_SIGNATURE_REQUIRED: the key is for another agent", err)
	}
	if _, _, err := r.Register(t.Context(), tenant, registry.Registration{RawCard: card, Name: "route-planner"}); err != nil {
		t.Errorf("Register() as route-planner = %v, want no error", err)
	}
}

func TestANameThatIsGivenIsAName(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	tests := map[string]struct {
		in            registry.Registration
		reason, field string
	}{
		"with a space":           {registry.Registration{RawCard: foreign("A"), Name: "route planner"}, "NAME_INVALID", "name"},
		"for a card without one": {registry.Registration{RawCard: foreign(""), Name: "a"}, "CARD_INVALID", "card.name"},
		"for a card with one too long": {
			registry.Registration{RawCard: foreign(strings.Repeat("é", 257)), Name: "a"}, "CARD_INVALID", "card.name",
		},
		"of another agent than who asks": {registry.Registration{RawCard: named("me"), Name: "other", OnlyName: "me"}, "NOT_YOUR_AGENT", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := r.Register(t.Context(), tenant, test.in)
			f := fault.From(err)
			if err == nil || f.Reason != test.reason || (test.field != "" && (len(f.Violations) != 1 || f.Violations[0].Field != test.field)) {
				t.Errorf("Register() = %v, want %s about %q", err, test.reason, test.field)
			}
		})
	}
}

func TestAnAgentOfAnotherNameIsApplied(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	in := registry.Application{Registration: registry.Registration{RawCard: foreign("Route Planner"), Name: "route-planner"}}
	for _, want := range []string{registry.OutcomeCreated, registry.OutcomeUnchanged} {
		done, err := r.Apply(t.Context(), tenant, in)
		if err != nil || done.Outcome != want || done.Agent.Name != "route-planner" {
			t.Fatalf("Apply() = %s %q, %v, want %s route-planner", done.Outcome, done.Agent.Name, err, want)
		}
	}
}

func TestAnAgentOfAnotherNameAnswersProbes(t *testing.T) {
	t.Parallel()
	running(t, (*web).client, func(t *testing.T, w *web, r *registry.Registry) {
		t.Helper()
		w.serve("https://route-planner.example/.well-known/agent-card.json", string(foreign("Route Planner")))
		if _, _, err := r.Register(t.Context(), tenant, registry.Registration{RawCard: foreign("Route Planner"), Name: "planner"}); err != nil {
			t.Fatalf("Register() = %v", err)
		}
		settle(1)
		if got := statusOf(t, r, "planner"); got.Status != registry.StatusAvailable {
			t.Errorf("Status = %+v, want available", got)
		}
	})
}
