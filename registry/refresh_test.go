package registry_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

func TestRefreshTakesTheNewCardAndKeepsTheRules(t *testing.T) {
	w := newWeb()
	r := open(t, registry.Options{Client: w.client()})
	const here, there = "https://one.example/card.json", "https://two.example/card.json"
	w.serve(here, string(named("worker", "old")))
	w.serve(there, string(named("worker", "new")))
	rules := ruled()
	first, _, err := r.Register(t.Context(), "default", registry.Registration{CardURI: here, Metadata: &rules})
	if err != nil {
		t.Fatalf("Register() = %v", err)
	}
	same, _, err := r.Once(registry.Retry{}).Refresh(t.Context(), "default", "worker", "", "")
	if err != nil || same.Etag != first.Etag {
		t.Errorf("Refresh(same card) = etag %q, %v, want %q, nil", same.Etag, err, first.Etag)
	}
	got, _, err := r.Once(registry.Retry{}).Refresh(t.Context(), "default", "worker", there, "")
	if err != nil {
		t.Fatalf("Refresh(new address) = %v", err)
	}
	if got.Etag == first.Etag || got.CardURI != there || got.Card.Skills[0].ID != "new" || len(got.Metadata.ConsultationRequirements) != 1 {
		t.Errorf("Refresh(new address) = etag %q, card at %s with skill %s and %d rules, want a new etag, %s, new and the rule kept",
			got.Etag, got.CardURI, got.Card.Skills[0].ID, len(got.Metadata.ConsultationRequirements), there)
	}
	for skill, want := range map[string]int{"old": 0, "new": 1} {
		if list, err := r.AgentsWith(t.Context(), "default", skill, "", "", 10); err != nil || len(list) != want {
			t.Errorf("AgentsWith(%s) = %d agents, %v, want %d", skill, len(list), err, want)
		}
	}
}

// meanwhile has something happen while a card is read.
type meanwhile struct {
	next http.RoundTripper
	do   func()
}

func (m *meanwhile) RoundTrip(r *http.Request) (*http.Response, error) {
	if m.do != nil {
		m.do()
	}
	return m.next.RoundTrip(r)
}

func TestALateAnswerShortensNoLease(t *testing.T) {
	t.Parallel()
	time0, w := newClock(), newWeb()
	pages := &meanwhile{next: w}
	r := open(t, registry.Options{Client: &http.Client{Transport: pages}, Now: time0.Now})
	w.serve("https://a.example/card", string(named("a")))
	if _, _, err := r.Register(t.Context(), tenant, registry.Registration{CardURI: "https://a.example/card"}); err != nil {
		t.Fatalf("Register() = %v, want no error", err)
	}
	pages.do = func() {
		time0.pass(4 * time.Second)
		if err := r.Seen(t.Context(), registry.Key{Tenant: tenant, Name: "a"}, true); err != nil {
			t.Errorf("Seen() = %v, want no error", err)
		}
	}
	if _, _, err := r.Once(registry.Retry{}).Refresh(t.Context(), tenant, "a", "", ""); err != nil {
		t.Fatalf("Refresh() = %v, want no error", err)
	}
	if got, want := statusOf(t, r, "a").LeaseExpireTime, time0.Now().Add(30*time.Second); !got.Equal(want) {
		t.Errorf("the lease ends at %s, want %s, as the later answer says", got, want)
	}
}

func TestRefreshRefuses(t *testing.T) {
	w := newWeb()
	r := open(t, registry.Options{Client: w.client()})
	w.serve("https://other.example/card.json", string(named("other", "s")))
	if _, _, err := r.Register(t.Context(), "default", registry.Registration{RawCard: named("inline", "s")}); err != nil {
		t.Fatalf("Register() = %v", err)
	}
	tests := map[string]struct{ name, uri, want string }{
		"an agent that is not there":        {"nobody", "", "AGENT_NOT_FOUND"},
		"an inline card without an address": {"inline", "", "CARD_URI_MISSING"},
		"the card of another agent":         {"inline", "https://other.example/card.json", "CARD_NAME_CHANGED"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if _, _, err := r.Once(registry.Retry{}).Refresh(t.Context(), "default", tt.name, tt.uri, ""); fault.ReasonOf(err) != tt.want {
				t.Errorf("Refresh(%s, %s) = %v, want %s", tt.name, tt.uri, err, tt.want)
			}
		})
	}
	if a, err := r.Agent(t.Context(), "default", "inline"); err != nil || !strings.Contains(string(a.RawCard), "inline") {
		t.Errorf("Agent() after refusals = %s, %v, want the card as it was", a.RawCard, err)
	}
}

func TestMetadataOfACardThatIsReadAgainIsAWarning(t *testing.T) {
	t.Parallel()
	const uri = "https://one.example/card.json"
	w := newWeb()
	r := open(t, registry.Options{Client: w.client()})
	w.serve(uri, contracted)
	register(t, r, "reviewer") // whom the rule of the card names
	if _, _, err := r.Register(t.Context(), tenant, registry.Registration{CardURI: uri}); err != nil {
		t.Fatalf("Register() = %v", err)
	}
	apply := func(m *agentcard.Metadata) (registry.Agent, []agentcard.Warning, error) {
		done, err := r.Apply(t.Context(), tenant, registry.Application{Registration: registry.Registration{CardURI: uri, Metadata: m}})
		return done.Agent, done.Warnings, err
	}
	refresh := func() (registry.Agent, []agentcard.Warning, error) {
		return r.Once(registry.Retry{}).Refresh(t.Context(), tenant, "web-fetch", "", "")
	}
	if _, warnings, err := refresh(); err != nil || len(warnings) != 0 {
		t.Errorf("Refresh(same metadata) = %v, %v, want no warning", warnings, err)
	}
	for range 2 {
		if _, warnings, err := apply(&agentcard.Metadata{}); err != nil || len(warnings) != 1 || warnings[0].Code != "CARD_METADATA_IGNORED" {
			t.Errorf("Apply(no metadata) = %v, %v, want CARD_METADATA_IGNORED once", warnings, err)
		}
	}
	for name, readAgain := range map[string]func() (registry.Agent, []agentcard.Warning, error){
		"Refresh": refresh,
		"Apply":   func() (registry.Agent, []agentcard.Warning, error) { return apply(nil) },
	} {
		agent, warnings, err := readAgain()
		if err != nil || len(warnings) != 1 || warnings[0].Code != "CARD_METADATA_IGNORED" || len(agent.Metadata.ConsultationRequirements) != 0 {
			t.Errorf("%s() = %v with %d rules, %v, want CARD_METADATA_IGNORED once and no rule", name, warnings, len(agent.Metadata.ConsultationRequirements), err)
		}
	}
}
