package registry_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
	"github.com/quorate/quorate/registry/registrytest"
)

const here = "https://one.example/card.json"

// confirming returns a registry in which changes wait, with the agent a, whose card w serves at here.
func confirming(t *testing.T) (*registry.Registry, *web) {
	t.Helper()
	w := newWeb()
	r := open(t, registry.Options{Client: w.client(), CardChanges: registry.CardChangesConfirm})
	w.serve(here, cardOf("one", "old"))
	if _, _, err := r.Register(t.Context(), tenant, registry.Registration{CardURI: here}); err != nil {
		t.Fatalf("Register() = %v, want no error", err)
	}
	return r, w
}

// cardOf returns a card of the agent a at a host with skills.
func cardOf(host string, skills ...string) string {
	return strings.Replace(string(named("a", skills...)), "a.example", host+".example", 1)
}

func byAgent(r *registry.Registry) registry.Writer { return r.Once(registry.Retry{}).ByAgent() }

// refreshed has the agent read its card again.
func refreshed(t *testing.T, r *registry.Registry, want ...string) registry.Agent {
	t.Helper()
	a, warnings, err := byAgent(r).Refresh(t.Context(), tenant, "a", "", "")
	wantCodes(t, "Refresh()", warnings, err, want...)
	return a
}

func wantCodes(t *testing.T, call string, warnings []agentcard.Warning, err error, want ...string) {
	t.Helper()
	var got []string
	for _, w := range warnings {
		got = append(got, w.Code)
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%s = warnings %v, %v, want %v", call, got, err, want)
	}
}

// wantInForce checks what goes by the agent: its first interface, its skills, and who is found.
func wantInForce(t *testing.T, r *registry.Registry, host string, skills ...string) registry.Agent {
	t.Helper()
	a, err := r.Agent(t.Context(), tenant, "a")
	if err != nil {
		t.Fatalf("Agent() = %v, want no error", err)
	}
	if got, want := string(a.RawCard), cardOf(host, skills...); got != want || a.Card.Interfaces[0].URL != "https://"+host+".example/rpc" {
		t.Errorf("Agent() = card %s, want %s", got, want)
	}
	for _, skill := range skills {
		if list, err := r.AgentsWith(t.Context(), tenant, skill, "", "", 9); err != nil || len(list) != 1 {
			t.Errorf("AgentsWith(%s) = %d agents, %v, want 1", skill, len(list), err)
		}
	}
	return a
}

// wantWaiting checks where what waits differs; nothing waits when there are no fields.
func wantWaiting(t *testing.T, a *registry.Agent, fields ...string) {
	t.Helper()
	var got []string
	for _, d := range a.Pending.Differences() {
		got = append(got, d.Field)
	}
	if !slices.Equal(got, fields) || (a.Pending == nil) != (len(fields) == 0) {
		t.Errorf("what waits differs in %v, want %v", got, fields)
	}
}

func TestACardThatMovesWaitsUntilAnAdminApprovesIt(t *testing.T) {
	t.Parallel()
	r, w := confirming(t)
	w.serve(here, cardOf("evil", "old", "new"))
	seen := refreshed(t, r, "CHANGE_WAITS")
	wantWaiting(t, &seen, "card.skills.new", "card.url")
	if d := seen.Pending.Differences()[1]; d.Old != `"https://one.example/rpc"` || d.New != `"https://evil.example/rpc"` {
		t.Errorf("the difference is %+v, want both URLs", d)
	}
	if seen.Pending.Author() != registry.AuthorAgent || seen.Pending.Time().IsZero() {
		t.Errorf("what waits is by %q at %v, want the agent, and when", seen.Pending.Author(), seen.Pending.Time())
	}
	wantInForce(t, r, "one", "old")
	if again := refreshed(t, r, "CHANGE_WAITS"); again.Etag != seen.Etag {
		t.Error("the same card has another etag, want that with which it was seen")
	}
	for etag, want := range map[string]string{"": "ETAG_MISSING", "*": "ETAG_MISSING", "x": "ETAG_MISMATCH"} {
		if _, _, err := r.Once(registry.Retry{}).Approve(t.Context(), tenant, "a", etag); fault.ReasonOf(err) != want {
			t.Errorf("Approve(%q) = %v, want %s", etag, err, want)
		}
	}
	w.serve(here, cardOf("worse", "old"))
	newer := refreshed(t, r, "CHANGE_WAITS")
	if _, _, err := r.Once(registry.Retry{}).Approve(t.Context(), tenant, "a", seen.Etag); fault.ReasonOf(err) != "ETAG_MISMATCH" {
		t.Errorf("Approve() of what was seen before = %v, want ETAG_MISMATCH", err)
	}
	if list, _, err := r.Versions(t.Context(), tenant, "a", 0, 9); err != nil || len(list) != 2 {
		t.Errorf("Versions() = %d, %v, want the live one, and one that waits", len(list), err)
	}
	once := r.Once(registry.Retry{Caller: "admin", RequestID: "1"})
	for range 2 { // the second is a retry
		_, warnings, err := once.Approve(t.Context(), tenant, "a", newer.Etag)
		wantCodes(t, "Approve()", warnings, err, agentcard.InterfaceRemoved)
	}
	after := wantInForce(t, r, "worse", "old")
	if wantWaiting(t, &after); after.LiveVersion != 2 || after.LatestVersion != 2 {
		t.Errorf("after approval version %d of %d is live, want 2 of 2", after.LiveVersion, after.LatestVersion)
	}
	if _, err := r.Once(registry.Retry{}).Reject(t.Context(), tenant, "a", ""); fault.ReasonOf(err) != "NO_CHANGE_WAITS" {
		t.Errorf("Reject() when nothing waits = %v, want NO_CHANGE_WAITS", err)
	}
}

func TestTextsOfACardNeedNoApproval(t *testing.T) {
	t.Parallel()
	r, w := confirming(t)
	texts := strings.NewReplacer(`"1.0.0"`, `"1.1.0","description":"better","iconUrl":"https://x.example/i.png"`, `{"id":"old"}`, `{"id":"old","name":"Old","examples":["do"]}`)
	w.serve(here, texts.Replace(cardOf("one", "old")))
	if a := refreshed(t, r); a.LiveVersion != 2 || a.Pending != nil || a.Card.Description != "better" {
		t.Errorf("Refresh() = version %d with %v waiting, want the texts in force", a.LiveVersion, a.Pending)
	}
}

func TestWhatMattersInACardWaits(t *testing.T) {
	t.Parallel()
	card := cardOf("one", "old")
	for name, test := range map[string]struct{ old, new, want string }{
		"a skill's tag":            {`{"id":"old"}`, `{"id":"old","tags":["pay"]}`, "card.skills.old.tags"},
		"a skill that is gone":     {`{"id":"old"}`, ``, "card.skills.old"},
		"the transport":            {`"skills"`, `"preferredTransport":"GRPC","skills"`, "card.preferredTransport"},
		"security":                 {`"skills"`, `"security":[{"k":[]}],"skills"`, "card.security"},
		"rules that it carries":    {`"skills"`, `"capabilities":{"extensions":[]},"skills"`, "card.capabilities"},
		"a field that nobody knew": {`"skills"`, `"x":{"y":1},"skills"`, "card.x"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, w := confirming(t)
			w.serve(here, strings.Replace(card, test.old, test.new, 1))
			a, _, err := byAgent(r).Refresh(t.Context(), tenant, "a", "", "")
			if err != nil {
				t.Fatalf("Refresh() = %v, want no error", err)
			}
			wantWaiting(t, &a, test.want)
			wantInForce(t, r, "one", "old")
		})
	}
}

func TestTheOriginOfTheCardWaits(t *testing.T) {
	t.Parallel()
	r, w := confirming(t)
	const aside = "https://one.example/other.json"
	w.serve(there, cardOf("one", "old"))
	w.serve(aside, cardOf("one", "old"))
	a, warnings, err := byAgent(r).Refresh(t.Context(), tenant, "a", there, "")
	wantCodes(t, "Refresh(another origin)", warnings, err, "CHANGE_WAITS")
	wantWaiting(t, &a, "cardUri")
	if a.CardURI != here {
		t.Errorf("the card is read at %s, want %s", a.CardURI, here)
	}
	if a, _, err = r.Once(registry.Retry{}).Approve(t.Context(), tenant, "a", a.Etag); err != nil || a.CardURI != there || a.LiveVersion != 1 {
		t.Errorf("Approve() = version %d at %s, %v, want 1 at %s", a.LiveVersion, a.CardURI, err, there)
	}
	if _, err = r.Apply(t.Context(), tenant, registry.Application{Registration: registry.Registration{CardURI: here}}); err != nil {
		t.Fatalf("Apply() by an admin = %v, want no error", err)
	}
	if a, warnings, err = byAgent(r).Refresh(t.Context(), tenant, "a", aside, ""); a.CardURI != aside {
		t.Errorf("the card is read at %s, want %s, of the same origin", a.CardURI, aside)
	}
	wantCodes(t, "Refresh(the same origin)", warnings, err)
}

func TestARefusedChangeDoesNotWaitAgain(t *testing.T) {
	t.Parallel()
	r, w := confirming(t)
	evil := cardOf("evil", "old")
	w.serve(here, evil)
	refreshed(t, r, "CHANGE_WAITS")
	a, err := r.Once(registry.Retry{}).Reject(t.Context(), tenant, "a", "")
	if err != nil {
		t.Fatalf("Reject() = %v, want no error", err)
	}
	wantWaiting(t, &a)
	for _, card := range []string{evil, strings.Replace(evil, "1.0.0", "1.0.1", 1), cardOf("one", "old"), evil} {
		w.serve(here, card)
		if again, _, err := byAgent(r).Refresh(t.Context(), tenant, "a", "", ""); err != nil || again.Pending != nil {
			t.Errorf("Refresh() = %v waiting, %v, want nothing", again.Pending, err)
		}
	}
	refreshed(t, r, "CHANGE_REFUSED")
	wantInForce(t, r, "one", "old")
	w.serve(here, cardOf("other", "old"))
	refreshed(t, r, "CHANGE_WAITS")
	if _, err := r.Once(registry.Retry{}).Reject(t.Context(), tenant, "a", ""); err != nil {
		t.Fatalf("Reject() of another change = %v, want no error", err)
	}
	w.serve(here, evil)
	refreshed(t, r, "CHANGE_REFUSED")
}

func TestAChangeThatIsTakenBackWaitsAgainWhenItComesAgain(t *testing.T) {
	t.Parallel()
	r, w := confirming(t)
	for range 3 {
		w.serve(here, cardOf("evil", "old"))
		a := refreshed(t, r, "CHANGE_WAITS")
		wantWaiting(t, &a, "card.url")
		w.serve(here, cardOf("one", "old"))
		a = refreshed(t, r)
		wantWaiting(t, &a)
	}
	wantInForce(t, r, "one", "old")
}

// TestACardThatComesAndGoesTakesOneVersion has the card answered by two servers in turn, one of which has another card, as during a long roll-out.
func TestACardThatComesAndGoesTakesOneVersion(t *testing.T) {
	t.Parallel()
	r, w := confirming(t)
	for range registry.MaxVersions {
		w.serve(here, cardOf("evil", "old"))
		refreshed(t, r, "CHANGE_WAITS")
		w.serve(here, cardOf("one", "old"))
		refreshed(t, r)
	}
	a := wantInForce(t, r, "one", "old")
	list, live, err := r.Versions(t.Context(), tenant, "a", 0, 9)
	if err != nil || len(list) != 2 || live != 1 || list[1].Number != 1 || a.LatestVersion != 2 {
		t.Errorf("Versions() = %d up to %d, %d live, %v, want the live one, and one that waited", len(list), a.LatestVersion, live, err)
	}
	w.serve(here, cardOf("evil", "old"))
	a = refreshed(t, r, "CHANGE_WAITS")
	if _, _, err := r.Once(registry.Retry{}).Approve(t.Context(), tenant, "a", a.Etag); err != nil {
		t.Errorf("Approve() = %v, want no error", err)
	}
	if a = wantInForce(t, r, "evil", "old"); a.LiveVersion != 2 || a.LatestVersion != 2 {
		t.Errorf("after approval version %d of %d is live, want 2 of 2", a.LiveVersion, a.LatestVersion)
	}
}

// TestAnotherCardDoesNotTakeThePlaceOfOneThatWasTakenBack: an admin may have seen that one under its number.
func TestAnotherCardDoesNotTakeThePlaceOfOneThatWasTakenBack(t *testing.T) {
	t.Parallel()
	r, w := confirming(t)
	for _, host := range []string{"good", "one", "evil", "one"} {
		w.serve(here, cardOf(host, "old"))
		if _, _, err := byAgent(r).Refresh(t.Context(), tenant, "a", "", ""); err != nil {
			t.Fatalf("Refresh() = %v, want no error", err)
		}
	}
	if _, _, err := r.Once(registry.Retry{}).SetLiveVersion(t.Context(), tenant, "a", "", 2); err != nil {
		t.Fatalf("SetLiveVersion(2) = %v, want no error", err)
	}
	wantInForce(t, r, "good", "old")
}

// TestATakenBackVersionThatAnAdminWentBackFromDoesNotWaitAgain is TestAVersionThatAnAdminWentBackFromDoesNotWaitAgain for one that had been taken back.
func TestATakenBackVersionThatAnAdminWentBackFromDoesNotWaitAgain(t *testing.T) {
	t.Parallel()
	r, w := confirming(t)
	w.serve(here, cardOf("evil", "old"))
	refreshed(t, r, "CHANGE_WAITS")
	w.serve(here, cardOf("one", "old"))
	a := refreshed(t, r)
	for _, number := range []int64{2, 1} {
		if _, _, err := r.Once(registry.Retry{}).SetLiveVersion(t.Context(), tenant, "a", a.Etag, number); err != nil {
			t.Fatalf("SetLiveVersion(%d) = %v, want no error", number, err)
		}
		a = wantInForce(t, r, map[int64]string{1: "one", 2: "evil"}[number], "old")
	}
	w.serve(here, cardOf("evil", "old"))
	a = refreshed(t, r, "CHANGE_REFUSED")
	wantWaiting(t, &a)
	w.serve(here, cardOf("other", "old"))
	refreshed(t, r, "CHANGE_WAITS")
	if v, _, err := r.Version(t.Context(), tenant, "a", 2); err != nil || string(v.RawCard) != cardOf("evil", "old") {
		t.Errorf("Version(2) = %s, %v, want the card that was live once", v.RawCard, err)
	}
}

func TestToReadACardAgainIsNoApproval(t *testing.T) {
	t.Parallel()
	r, w := confirming(t)
	w.serve(here, cardOf("evil", "old"))
	for range 2 {
		a, warnings, err := r.Once(registry.Retry{}).Refresh(t.Context(), tenant, "a", "", "")
		wantCodes(t, "Refresh() by an admin", warnings, err, "CHANGE_WAITS")
		wantWaiting(t, &a, "card.url")
	}
	wantInForce(t, r, "one", "old")
}

func TestWhatAnAdminWritesTakesEffectAndEndsTheWait(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]func(context.Context, *registry.Registry) error{
		"apply": func(ctx context.Context, r *registry.Registry) error {
			_, err := r.Apply(ctx, tenant, registry.Application{Registration: registry.Registration{RawCard: []byte(cardOf("evil", "old"))}})
			return err
		},
		"set the live version": func(ctx context.Context, r *registry.Registry) error {
			a, err := r.Agent(ctx, tenant, "a")
			if err == nil {
				_, _, err = r.Once(registry.Retry{}).SetLiveVersion(ctx, tenant, "a", a.Etag, 2)
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, w := confirming(t)
			w.serve(here, cardOf("evil", "old"))
			refreshed(t, r, "CHANGE_WAITS")
			if err := write(t.Context(), r); err != nil {
				t.Fatalf("the admin's write = %v, want no error", err)
			}
			a := wantInForce(t, r, "evil", "old")
			wantWaiting(t, &a)
		})
	}
}

func TestSchemasWaitUntilAnAdminWritesOthers(t *testing.T) {
	t.Parallel()
	r, _ := confirming(t)
	output := func(name string) agentcard.Metadata {
		return agentcard.Metadata{OutputSchemas: []agentcard.OutputSchema{{Name: name, SemanticType: "document"}}}
	}
	if _, _, err := byAgent(r).UpdateMetadata(t.Context(), tenant, "a", "", []string{"output_schemas"}, output("agents")); err != nil {
		t.Fatalf("UpdateMetadata() by the agent = %v, want no error", err)
	}
	once := agentcard.Metadata{AtMostOnceSkills: []string{"*"}}
	if a, _, err := r.Once(registry.Retry{}).UpdateMetadata(t.Context(), tenant, "a", "", []string{"at_most_once_skills"}, once); err != nil || a.Pending == nil {
		t.Errorf("UpdateMetadata() of rules by an admin = %+v waiting, %v, want that the schemas go on waiting", a.Pending, err)
	}
	a, _, err := r.Once(registry.Retry{}).UpdateMetadata(t.Context(), tenant, "a", "", []string{"output_schemas"}, output("admins"))
	if err != nil || a.Pending != nil || len(a.Metadata.OutputSchemas) != 1 || a.Metadata.OutputSchemas[0].Name != "admins" {
		t.Errorf("UpdateMetadata() of schemas by an admin = %+v, %+v waiting, %v, want the admin's, which nobody can approve away", a.Metadata, a.Pending, err)
	}
}

func TestAVersionThatAnAdminWentBackFromDoesNotWaitAgain(t *testing.T) {
	t.Parallel()
	r, w := confirming(t)
	w.serve(here, cardOf("evil", "old"))
	a := refreshed(t, r, "CHANGE_WAITS")
	if _, _, err := r.Once(registry.Retry{}).Approve(t.Context(), tenant, "a", a.Etag); err != nil {
		t.Fatalf("Approve() = %v, want no error", err)
	}
	if _, _, err := r.Once(registry.Retry{}).SetLiveVersion(t.Context(), tenant, "a", "", 1); err != nil {
		t.Fatalf("SetLiveVersion(1) = %v, want no error", err)
	}
	a = refreshed(t, r, "CHANGE_REFUSED")
	wantWaiting(t, &a)
	wantInForce(t, r, "one", "old")
}

// TestAVersionThatWaitsIsMadeLiveOnlyAsItWasSeen has another card take the place of the one that an admin has seen, under the same number.
func TestAVersionThatWaitsIsMadeLiveOnlyAsItWasSeen(t *testing.T) {
	t.Parallel()
	r, w := confirming(t)
	w.serve(here, cardOf("good", "old"))
	seen := refreshed(t, r, "CHANGE_WAITS")
	w.serve(here, cardOf("evil", "old"))
	refreshed(t, r, "CHANGE_WAITS")
	for etag, want := range map[string]string{"": "ETAG_MISSING", "*": "ETAG_MISSING", seen.Etag: "ETAG_MISMATCH"} {
		if _, _, err := r.Once(registry.Retry{}).SetLiveVersion(t.Context(), tenant, "a", etag, 2); fault.ReasonOf(err) != want {
			t.Errorf("SetLiveVersion(2) with the etag %q = %v, want %s", etag, err, want)
		}
	}
	wantInForce(t, r, "one", "old")
	if _, _, err := r.Once(registry.Retry{}).SetLiveVersion(t.Context(), tenant, "a", "", 1); err != nil {
		t.Errorf("SetLiveVersion(1), which does not wait, = %v, want no error", err)
	}
}

func TestSchemasThatAnAgentChangesWait(t *testing.T) {
	t.Parallel()
	r, _ := confirming(t)
	input := func(kind, description string) agentcard.Metadata {
		return agentcard.Metadata{InputSchemas: []agentcard.InputSchema{{Name: "spec", SemanticType: kind, Description: description}}}
	}
	output := agentcard.Metadata{OutputSchemas: []agentcard.OutputSchema{{Name: "code", SemanticType: "artifact"}}}
	inputs, outputs := []string{"input_schemas"}, []string{"output_schemas"}
	if _, _, err := r.Once(registry.Retry{}).UpdateMetadata(t.Context(), tenant, "a", "", nil, input("document", "old")); err != nil {
		t.Fatalf("UpdateMetadata() by an admin = %v, want no error", err)
	}
	a, warnings, err := byAgent(r).UpdateMetadata(t.Context(), tenant, "a", "", inputs, input("document", "new"))
	wantCodes(t, "UpdateMetadata(a text)", warnings, err)
	if wantWaiting(t, &a); a.Metadata.InputSchemas[0].Description != "new" {
		t.Errorf("the input is %v, want the new text in force", a.Metadata.InputSchemas[0])
	}
	etags := make(map[string]bool)
	for range 2 {
		a, warnings, err = byAgent(r).UpdateMetadata(t.Context(), tenant, "a", "", inputs, input("comment", "new"))
		wantCodes(t, "UpdateMetadata(a type)", warnings, err, "CHANGE_WAITS")
		etags[a.Etag] = true
	}
	if len(etags) != 1 {
		t.Errorf("UpdateMetadata() with what waits already has changed the etag, which an admin needs to approve it")
	}
	wantWaiting(t, &a, "metadata.input_schemas.spec.semantic_type")
	a, warnings, err = byAgent(r).UpdateMetadata(t.Context(), tenant, "a", "", outputs, output)
	wantCodes(t, "UpdateMetadata(an output)", warnings, err, "CHANGE_WAITS")
	wantWaiting(t, &a, "metadata.input_schemas.spec.semantic_type", "metadata.output_schemas")
	if a.Metadata.InputSchemas[0].SemanticType != "document" || a.Metadata.OutputSchemas != nil {
		t.Errorf("the metadata is %v, want the old in force", a.Metadata)
	}
	if a, _, err = r.Once(registry.Retry{}).Approve(t.Context(), tenant, "a", a.Etag); err != nil || a.Metadata.InputSchemas[0].SemanticType != "comment" || len(a.Metadata.OutputSchemas) != 1 {
		t.Errorf("Approve() = %v, %v, want both in force", a.Metadata, err)
	}
	_, _, err = byAgent(r).UpdateMetadata(t.Context(), tenant, "a", "", inputs, input("reference", "new"))
	if err != nil {
		t.Fatalf("UpdateMetadata() = %v, want no error", err)
	}
	if _, err = r.Once(registry.Retry{}).Reject(t.Context(), tenant, "a", ""); err != nil {
		t.Fatalf("Reject() = %v, want no error", err)
	}
	a, warnings, err = byAgent(r).UpdateMetadata(t.Context(), tenant, "a", "", inputs, input("reference", "newer"))
	wantCodes(t, "UpdateMetadata(what was refused)", warnings, err, "CHANGE_REFUSED")
	wantWaiting(t, &a)
}

func TestAnAgentThatAppliesItselfWaits(t *testing.T) {
	t.Parallel()
	r, _ := confirming(t)
	in := registry.Application{Registration: registry.Registration{
		OnlyName: "a", RawCard: []byte(cardOf("evil", "old")),
		Metadata: &agentcard.Metadata{OutputSchemas: []agentcard.OutputSchema{{Name: "code", SemanticType: "artifact"}}},
	}}
	done, err := r.Apply(t.Context(), tenant, in)
	wantCodes(t, "Apply()", done.Warnings, err, "CHANGE_WAITS", "CHANGE_WAITS")
	if done.Outcome != registry.OutcomeUnchanged {
		t.Errorf("Apply() = %s, want unchanged", done.Outcome)
	}
	a := wantInForce(t, r, "one", "old")
	wantWaiting(t, &a, "card.url", "metadata.output_schemas")
	if a, _, err = r.Once(registry.Retry{}).Approve(t.Context(), tenant, "a", a.Etag); err != nil || len(a.Metadata.OutputSchemas) != 1 {
		t.Errorf("Approve() = %v, %v, want the schemas in force", a.Metadata, err)
	}
	wantInForce(t, r, "evil", "old")
	if done, err = r.Apply(t.Context(), tenant, in); err != nil || done.Outcome != registry.OutcomeUnchanged || done.Agent.Etag != a.Etag {
		t.Errorf("Apply() of what is in force = %s, %v, want unchanged", done.Outcome, err)
	}
}

func TestAnAgentThatAppliesWhatWaitsWritesNothing(t *testing.T) {
	t.Parallel()
	for name, outputs := range map[string][]agentcard.OutputSchema{"a card": nil, "a card and schemas": {{Name: "code", SemanticType: "artifact"}}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, _ := confirming(t)
			in := registry.Application{Registration: registry.Registration{
				OnlyName: "a", RawCard: []byte(cardOf("evil", "old")), Metadata: &agentcard.Metadata{OutputSchemas: outputs},
			}}
			first, err := r.Apply(t.Context(), tenant, in)
			if err != nil || first.Agent.Pending == nil {
				t.Fatalf("Apply() = %v waiting, %v, want some of it", first.Agent.Pending, err)
			}
			if again, err := r.Apply(t.Context(), tenant, in); err != nil || again.Agent.Etag != first.Agent.Etag {
				t.Errorf("Apply() again = etag %s, %v, want %s still", again.Agent.Etag, err, first.Agent.Etag)
			}
		})
	}
}

func TestSourcesWaitExceptTheOperatorsOwnFiles(t *testing.T) {
	t.Parallel()
	for kind, waits := range map[string]bool{registry.SourceURLs: true, registry.SourceAICatalog: true, registry.SourceFolder: false} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			r := open(t, registry.Options{CardChanges: registry.CardChangesConfirm})
			var a registry.Agent
			for _, host := range []string{"one", "evil"} {
				var err error
				a, _, err = r.Discover(t.Context(), tenant, registry.Found{RawCard: []byte(cardOf(host, "old")), Source: registry.Source{Type: kind, Location: "x"}})
				if err != nil {
					t.Fatalf("Discover(%s) = %v, want no error", host, err)
				}
			}
			if (a.Pending != nil) != waits || strings.Contains(string(a.RawCard), "evil") == waits {
				t.Errorf("Discover() = %s with %v waiting, want that it waits: %v", a.RawCard, a.Pending, waits)
			}
		})
	}
}

func TestTheRefresherBringsNothingIntoForceThatMatters(t *testing.T) {
	t.Parallel()
	o := &origin{card: string(named("a", "old")), etag: `"1"`}
	refreshingWith(t, o, registry.Options{CardChanges: registry.CardChangesConfirm}, func(t *testing.T, r *registry.Registry) {
		t.Helper()
		o.set(string(named("a", "new")), `"2"`)
		settle(30 * time.Minute)
		a, err := r.Agent(t.Context(), tenant, "a")
		if err != nil || a.LiveVersion != 1 || a.Card.Skills[0].ID != "old" || a.Pending.Author() != registry.AuthorRefresher {
			t.Fatalf("Agent() = version %d, brought by %q, %v, want 1, and what waits by the refresher", a.LiveVersion, a.Pending.Author(), err)
		}
		if a, err = r.Once(registry.Retry{}).Reject(t.Context(), tenant, "a", a.Etag); err != nil {
			t.Fatalf("Reject() = %v, want no error", err)
		}
		for i := range 3 {
			o.set(strings.Replace(string(named("a", "new")), "1.0.0", fmt.Sprintf("1.0.%d", i), 1), `"3"`)
			settle(30 * time.Minute)
		}
		if again, err := r.Agent(t.Context(), tenant, "a"); err != nil || again.Etag != a.Etag {
			t.Errorf("Agent() after the refusal = %v waiting, %v, want it unchanged", again.Pending, err)
		}
	})
}

func TestACardThatWouldBeRefusedTodayIsCompared(t *testing.T) {
	t.Parallel()
	const twice = `{"name":"a","name":"a","version":"1.0.0"}` // as other rules took it
	ctx, store := t.Context(), registrytest.Store(t)
	err := store.Update(ctx, registry.Key{Tenant: tenant, Name: "a"}, func(*registry.Record) (registry.Change, error) {
		a := registry.Agent{Tenant: tenant, Name: "a", Card: agentcard.Card{Name: "a", Version: "1.0.0"}, RawCard: []byte(twice), CardURI: here, LiveVersion: 1, LatestVersion: 1}
		return registry.Change{Record: &registry.Record{Agent: a}}, nil
	})
	if err != nil {
		t.Fatalf("Update() = %v, want no error", err)
	}
	w := newWeb()
	w.serve(here, cardOf("one", "old"))
	r := registry.New(store, registry.Options{Client: w.client(), CardChanges: registry.CardChangesConfirm})
	a := refreshed(t, r, "CHANGE_WAITS")
	if a.Pending == nil || string(a.RawCard) != twice {
		t.Errorf("Refresh() = card %s with %+v waiting, want the card of before, and that the new one waits", a.RawCard, a.Pending)
	}
}

func TestWithoutConfirmationAllTakesEffectAtOnce(t *testing.T) {
	t.Parallel()
	w := newWeb()
	r := open(t, registry.Options{Client: &http.Client{Transport: w}})
	w.serve(here, cardOf("one", "old"))
	if _, _, err := r.Register(t.Context(), tenant, registry.Registration{CardURI: here}); err != nil {
		t.Fatalf("Register() = %v, want no error", err)
	}
	w.serve(here, cardOf("two", "old"))
	refreshed(t, r, agentcard.InterfaceRemoved)
	a := wantInForce(t, r, "two", "old")
	wantWaiting(t, &a)
}

func TestOneMoreInterfaceWaits(t *testing.T) {
	t.Parallel()
	w := newWeb()
	r := open(t, registry.Options{Client: w.client(), CardChanges: registry.CardChangesConfirm})
	at := func(urls ...string) string {
		var list []string
		for _, url := range urls {
			list = append(list, `{"url":"`+url+`","protocolBinding":"JSONRPC"}`)
		}
		return `{"name":"a","version":"1.0.0","supportedInterfaces":[` + strings.Join(list, ",") + `],"skills":[{"id":"s"}]}`
	}
	const one, evil = "https://one.example/rpc", "https://evil.example/rpc"
	w.serve(here, at(one))
	if _, _, err := r.Register(t.Context(), tenant, registry.Registration{CardURI: here}); err != nil {
		t.Fatalf("Register() = %v, want no error", err)
	}
	w.serve(here, at(one, evil))
	a := refreshed(t, r, "CHANGE_WAITS")
	wantWaiting(t, &a, "card.supportedInterfaces[1]")
	if d := a.Pending.Differences(); len(d) != 1 || d[0].Old != "" || !strings.Contains(d[0].New, evil) || len(a.Card.Interfaces) != 1 {
		t.Errorf("what waits is %+v, and the agent is at %v, want the new interface in the one and not in the other", d, a.Card.Interfaces)
	}
	w.serve(here, at(evil, one))
	a = refreshed(t, r, "CHANGE_WAITS")
	wantWaiting(t, &a, "card.supportedInterfaces[0].url", "card.supportedInterfaces[1]")
}

func TestDifferencesAreBoundedAndShowWhatDiffers(t *testing.T) {
	t.Parallel()
	r, w := confirming(t)
	var skills []string
	for i := range 70 {
		skills = append(skills, fmt.Sprintf("s%02d", i))
	}
	w.serve(here, strings.Replace(cardOf("one", skills...), `/rpc"`, `/rpc?`+strings.Repeat("x", 400)+`y"`, 1))
	a := refreshed(t, r, "CHANGE_WAITS")
	all := a.Pending.Differences()
	if n := len(all); n != 51 || all[50].Field != "and 22 more" { // 70 are new, one is gone, and the URL
		t.Errorf("%d differences, the last of which is %q, want 51 and 22 more", n, all[n-1].Field)
	}
	if _, _, err := r.Once(registry.Retry{}).Approve(t.Context(), tenant, "a", a.Etag); err != nil {
		t.Fatalf("Approve() = %v, want no error", err)
	}
	w.serve(here, strings.Replace(cardOf("one", skills...), `/rpc"`, `/rpc?`+strings.Repeat("x", 400)+`z"`, 1))
	a = refreshed(t, r, "CHANGE_WAITS")
	d := a.Pending.Differences()[0]
	if d.Field != "card.url" || !strings.HasSuffix(d.Old, `xy"`) || !strings.HasSuffix(d.New, `xz"`) || len(d.New) > 130 {
		t.Errorf("the difference is %+v, want its end", d)
	}
}
