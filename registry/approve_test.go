package registry_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

const there = "https://two.example/card.json"

// TestNothingElseIsApprovedThanWasSeen has an agent change what waits between the look at it and its approval.
func TestNothingElseIsApprovedThanWasSeen(t *testing.T) {
	t.Parallel()
	_, b := newBetween(t, newSigner(t, "mine"))
	r := registry.New(b, registry.Options{CardChanges: registry.CardChangesConfirm})
	change := func(name string) registry.Agent {
		m := agentcard.Metadata{OutputSchemas: []agentcard.OutputSchema{{Name: name, SemanticType: "document"}}}
		a, _, err := byAgent(r).UpdateMetadata(t.Context(), tenant, "a", "", []string{"output_schemas"}, m)
		if err != nil {
			t.Fatalf("UpdateMetadata() = %v, want no error", err)
		}
		return a
	}
	seen := change("harmless")
	b.written = func() { change("evil") }
	if _, _, err := r.Once(registry.Retry{}).Approve(t.Context(), tenant, "a", seen.Etag); fault.ReasonOf(err) != "ETAG_MISMATCH" {
		t.Errorf("Approve() = %v, want ETAG_MISMATCH", err)
	}
	if a, err := r.Agent(t.Context(), tenant, "a"); err != nil || a.Metadata.OutputSchemas != nil {
		t.Errorf("the schemas in force are %v, %v, want none", a.Metadata.OutputSchemas, err)
	}
}

// TestACardIsApprovedByTheRulesForSignaturesOfNow has the key go that has signed a card which waits.
func TestACardIsApprovedByTheRulesForSignaturesOfNow(t *testing.T) {
	t.Parallel()
	w, key := newWeb(), newSigner(t, "k")
	r := open(t, registry.Options{Client: w.client(), CardChanges: registry.CardChangesConfirm})
	pin(t, r, key)
	w.serve(here, key.sign(t, []byte(cardOf("one", "old"))))
	if _, _, err := r.Register(t.Context(), tenant, registry.Registration{CardURI: here}); err != nil {
		t.Fatalf("Register() = %v, want no error", err)
	}
	w.serve(here, key.sign(t, []byte(cardOf("two", "old"))))
	refreshed(t, r, "CHANGE_WAITS")
	if err := r.Once(registry.Retry{}).DeleteSigningKey(t.Context(), tenant, "k"); err != nil {
		t.Fatalf("DeleteSigningKey() = %v, want no error", err)
	}
	a, err := r.Agent(t.Context(), tenant, "a")
	if err != nil {
		t.Fatalf("Agent() = %v, want no error", err)
	}
	if _, _, err := r.Once(registry.Retry{}).Approve(t.Context(), tenant, "a", a.Etag); fault.ReasonOf(err) != "CARD_SIGNATURE_LOST" {
		t.Errorf("Approve() = %v, want CARD_SIGNATURE_LOST", err)
	}
}

// refreshedAt has the agent read a card elsewhere.
func refreshedAt(t *testing.T, r *registry.Registry, w *web, uri, card string, want ...string) registry.Agent {
	t.Helper()
	w.serve(uri, card)
	a, warnings, err := byAgent(r).Refresh(t.Context(), tenant, "a", uri, "")
	wantCodes(t, "Refresh("+uri+")", warnings, err, want...)
	return a
}

func TestACardThatWaitsGoesOnWaitingWhileAnotherPlaceChangesTexts(t *testing.T) {
	t.Parallel()
	r, w := confirming(t)
	refreshedAt(t, r, w, there, cardOf("evil", "old"), "CHANGE_WAITS")
	a := refreshedAt(t, r, w, here, strings.Replace(cardOf("one", "old"), "1.0.0", "1.0.1", 1))
	if wantWaiting(t, &a, "cardUri", "card.url"); a.Card.Version != "1.0.1" {
		t.Errorf("version %s is in force, want the new text", a.Card.Version)
	}
}

func TestWhatWaitsIsWhereItWasReadLast(t *testing.T) {
	t.Parallel()
	r, w := confirming(t)
	refreshedAt(t, r, w, here, cardOf("evil", "old"), "CHANGE_WAITS")
	if a := refreshedAt(t, r, w, there, cardOf("evil", "old"), "CHANGE_WAITS"); a.Pending.Card.CardURI != there {
		t.Errorf("what waits was read at %s, want %s", a.Pending.Card.CardURI, there)
	}
}

func TestARefusedPlaceIsNeitherTheCardBeforeItNorAnotherPlace(t *testing.T) {
	t.Parallel()
	r, w := confirming(t)
	refreshedAt(t, r, w, here, cardOf("evil", "old"), "CHANGE_WAITS")
	refreshedAt(t, r, w, there, cardOf("one", "old"), "CHANGE_WAITS")
	if _, err := r.Once(registry.Retry{}).Reject(t.Context(), tenant, "a", ""); err != nil {
		t.Fatalf("Reject() of the place = %v, want no error", err)
	}
	refreshedAt(t, r, w, here, cardOf("evil", "old"), "CHANGE_WAITS")
	refreshedAt(t, r, w, there, cardOf("one", "old"), "CHANGE_REFUSED")
	refreshedAt(t, r, w, "https://three.example/card.json", cardOf("one", "old"), "CHANGE_WAITS")
}

func TestACardThatTakesThePlaceOfAPlaceIsAVersionOfItsOwn(t *testing.T) {
	t.Parallel()
	r, w := confirming(t)
	refreshedAt(t, r, w, there, cardOf("one", "old"), "CHANGE_WAITS")
	if a := refreshedAt(t, r, w, here, cardOf("evil", "old"), "CHANGE_WAITS"); a.Pending.Card.Version != 2 {
		t.Errorf("version %d waits, want 2", a.Pending.Card.Version)
	}
	if v, live, err := r.Version(t.Context(), tenant, "a", 1); err != nil || !live || string(v.RawCard) != cardOf("one", "old") {
		t.Errorf("Version(1) = %s, live: %t, %v, want the card in force", v.RawCard, live, err)
	}
}

func TestSchemasThatAreTakenBackWaitNoMore(t *testing.T) {
	t.Parallel()
	r, _ := confirming(t)
	for _, outputs := range [][]agentcard.OutputSchema{{{Name: "code", SemanticType: "artifact"}}, nil} {
		a, _, err := byAgent(r).UpdateMetadata(t.Context(), tenant, "a", "", []string{"output_schemas"}, agentcard.Metadata{OutputSchemas: outputs})
		if err != nil || (a.Pending == nil) != (outputs == nil) {
			t.Errorf("UpdateMetadata(%v) = %+v waiting, %v, want what differs to wait", outputs, a.Pending, err)
		}
	}
}

func TestTheLastEightRefusedChangesAreRemembered(t *testing.T) {
	t.Parallel()
	r, w := confirming(t)
	card := func(n int) string { return cardOf(fmt.Sprintf("evil-%d", n), "old") }
	for n := range 9 {
		refreshedAt(t, r, w, here, card(n), "CHANGE_WAITS")
		if _, err := r.Once(registry.Retry{}).Reject(t.Context(), tenant, "a", ""); err != nil {
			t.Fatalf("Reject() = %v, want no error", err)
		}
	}
	refreshedAt(t, r, w, here, card(1), "CHANGE_REFUSED")
	refreshedAt(t, r, w, here, card(0), "CHANGE_WAITS")
}
