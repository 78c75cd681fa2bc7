package registry_test

import (
	"crypto/sha256"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

func apply(t *testing.T, r *registry.Registry, in registry.Application) registry.Applied {
	t.Helper()
	got, err := r.Apply(t.Context(), tenant, in)
	if err != nil {
		t.Fatalf("Apply(%+v) = %v, want no error", in, err)
	}
	return got
}

func TestApplySaysWhatItHadToDo(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	in := registry.Application{Registration: registry.Registration{RawCard: named("a", "fetch", "ping")}}
	created := apply(t, r, in)
	if created.Outcome != registry.OutcomeCreated || created.Agent.Revision != 1 {
		t.Errorf("Apply() = %+v, want created", created)
	}
	if same := apply(t, r, in); same.Outcome != registry.OutcomeUnchanged || same.Agent.Etag != created.Agent.Etag {
		t.Errorf("Apply() again = %+v, want unchanged", same)
	}
	in.RawCard = named("a", "fetch")
	in.ValidateOnly = true
	dry := apply(t, r, in)
	if again := apply(t, r, in); dry.Outcome != registry.OutcomeReplaced || again.Outcome != registry.OutcomeReplaced || len(dry.Warnings) == 0 {
		t.Errorf("Apply() that only validates = %+v, then %+v, want replaced with a warning for the skill that goes, twice", dry, again)
	}
	in.ValidateOnly, in.Etag = false, created.Agent.Etag
	replaced := apply(t, r, in)
	if replaced.Outcome != registry.OutcomeReplaced || replaced.Agent.LiveVersion != 2 || len(replaced.Agent.Card.Skills) != 1 {
		t.Errorf("Apply() of another card = %+v, want replaced by version 2", replaced)
	}
	if _, err := r.Apply(t.Context(), tenant, in); fault.ReasonOf(err) != "ETAG_MISMATCH" {
		t.Errorf("Apply() with a stale etag = %v, want ETAG_MISMATCH", err)
	}
	in.RawCard = named("b")
	if _, err := r.Apply(t.Context(), tenant, in); fault.ReasonOf(err) != "AGENT_NOT_FOUND" {
		t.Errorf("Apply() with an etag of an agent that is not there = %v, want AGENT_NOT_FOUND", err)
	}
	for name, card := range map[string]registry.Registration{"no card": {}, "two cards": {RawCard: named("b"), CardURI: "https://b.example"}} {
		if _, err := r.Apply(t.Context(), tenant, registry.Application{Registration: card}); fault.ReasonOf(err) != "VALIDATION_FAILED" {
			t.Errorf("Apply() of %s = %v, want VALIDATION_FAILED", name, err)
		}
	}
}

func TestApplyWarnsOfASourceThatBringsItsCardBack(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	folder := registry.Found{RawCard: named("a", "fetch"), Source: registry.Source{Type: registry.SourceFolder, Location: "/cards"}}
	discover := func() registry.Agent {
		t.Helper()
		a, _, err := r.Discover(t.Context(), tenant, folder)
		if err != nil {
			t.Fatalf("Discover() = %v, want no error", err)
		}
		return a
	}
	warned := func(card []byte) bool {
		t.Helper()
		got := apply(t, r, registry.Application{Registration: registry.Registration{RawCard: card}})
		return slices.ContainsFunc(got.Warnings, func(w agentcard.Warning) bool {
			return w.Code == "CARD_FROM_SOURCE" && strings.Contains(w.Message, "/cards")
		})
	}
	discover()
	if warned(named("a", "fetch")) {
		t.Error("Apply() of the card that the source has warns of the source, want no word of it")
	}
	if !warned(named("a", "fetch", "ping")) {
		t.Error("Apply() of another card warns nothing of the source, want CARD_FROM_SOURCE")
	}
	if a := discover(); len(a.Card.Skills) != 1 {
		t.Errorf("Discover() = %+v, want the card of the source back", a.Card)
	}
	if _, err := r.MarkGone(t.Context(), func(*registry.Agent) bool { return true }); err != nil {
		t.Fatalf("MarkGone() = %v, want no error", err)
	}
	if warned(named("a", "fetch", "ping")) {
		t.Error("Apply() to an agent that is gone from its source warns of the source, want no word of it")
	}
}

// TestAnAdminTakesOverWhatIsGoneFromItsSource: nobody else would read its card again.
func TestAnAdminTakesOverWhatIsGoneFromItsSource(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	found := registry.Found{RawCard: named("a", "fetch"), Source: registry.Source{Type: registry.SourceFolder, Location: "/cards"}}
	if _, _, err := r.Discover(t.Context(), tenant, found); err != nil {
		t.Fatalf("Discover() = %v, want no error", err)
	}
	in := registry.Application{Registration: registry.Registration{RawCard: found.RawCard}}
	if got := apply(t, r, in); got.Outcome != registry.OutcomeUnchanged || got.Agent.Source.Type != registry.SourceFolder {
		t.Errorf("Apply() to an agent of a folder = %s, %+v, want it left there", got.Outcome, got.Agent.Source)
	}
	if _, err := r.MarkGone(t.Context(), func(*registry.Agent) bool { return true }); err != nil {
		t.Fatalf("MarkGone() = %v, want no error", err)
	}
	itself := in
	itself.OnlyName = "a"
	if got := apply(t, r, itself); got.Outcome != registry.OutcomeUnchanged || !got.Agent.Source.Gone {
		t.Errorf("Apply() by the agent = %s, %+v, want the mark to stay", got.Outcome, got.Agent.Source)
	}
	got := apply(t, r, in)
	if got.Outcome != registry.OutcomeReplaced || got.Agent.Source != (registry.Source{}) || got.Agent.LiveVersion != 1 {
		t.Errorf("Apply() by an admin = %s, %+v, version %d, want it to be the admin's, with the card it has", got.Outcome, got.Agent.Source, got.Agent.LiveVersion)
	}
	if got := apply(t, r, in); got.Outcome != registry.OutcomeUnchanged {
		t.Errorf("Apply() again = %s, want unchanged", got.Outcome)
	}
	if _, _, err := r.Discover(t.Context(), tenant, found); fault.ReasonOf(err) != "AGENT_FROM_ELSEWHERE" {
		t.Errorf("Discover() of it = %v, want AGENT_FROM_ELSEWHERE", err)
	}
}

func TestWhatAnAdminBringsWhileItsSourceIsReadIsNotGone(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	found := registry.Found{RawCard: named("a", "fetch"), Source: registry.Source{Type: registry.SourceFolder, Location: "/cards"}}
	if _, _, err := r.Discover(t.Context(), tenant, found); err != nil {
		t.Fatalf("Discover() = %v, want no error", err)
	}
	_, err := r.MarkGone(t.Context(), func(*registry.Agent) bool {
		if err := r.Once(registry.Retry{}).Delete(t.Context(), tenant, "a", ""); err != nil {
			t.Errorf("Delete() = %v, want no error", err)
		}
		apply(t, r, registry.Application{Registration: registry.Registration{RawCard: found.RawCard}})
		return true
	})
	if err != nil {
		t.Fatalf("MarkGone() = %v, want no error", err)
	}
	if a, err := r.Agent(t.Context(), tenant, "a"); err != nil || a.Source != (registry.Source{}) {
		t.Errorf("Agent() = %+v, %v, want the admin's, which is in no source to be gone from", a.Source, err)
	}
}

func TestApplyKeepsOrReplacesMetadata(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	rules := agentcard.Metadata{
		ConsultationRequirements: []agentcard.ConsultationRequirement{{ID: "r", TargetAgent: "b", Phase: "pre-completion"}}, AtMostOnceSkills: []string{"*"},
	}
	in := registry.Application{Registration: registry.Registration{RawCard: named("a"), Metadata: &rules}}
	if got := apply(t, r, in); !strings.Contains(got.Warnings[len(got.Warnings)-1].Code, "TARGET_AGENT_UNKNOWN") {
		t.Errorf("Apply() warns %v, want TARGET_AGENT_UNKNOWN", got.Warnings)
	}
	in.Metadata = nil
	if got := apply(t, r, in); got.Outcome != registry.OutcomeUnchanged || len(got.Agent.Metadata.ConsultationRequirements) != 1 {
		t.Errorf("Apply() without metadata = %+v, want what was there", got)
	}
	in.OnlyName = "a"
	for name, fewer := range map[string]agentcard.Metadata{
		"without its rules":                        {},
		"that nobody has to be consulted about":    {AtMostOnceSkills: rules.AtMostOnceSkills},
		"whose work may be done twice from now on": {ConsultationRequirements: rules.ConsultationRequirements},
	} {
		in.Metadata = &fewer
		if _, err := r.Apply(t.Context(), tenant, in); fault.ReasonOf(err) != "RULES_ARE_THE_ADMINS" || fault.KindOf(err) != fault.PermissionDenied {
			t.Errorf("Apply() by the agent %s = %v, want RULES_ARE_THE_ADMINS", name, err)
		}
	}
	in.Metadata = &agentcard.Metadata{ConsultationRequirements: rules.ConsultationRequirements}
	in.Metadata.AtMostOnceSkills, in.Metadata.OutputSchemas = rules.AtMostOnceSkills, []agentcard.OutputSchema{{Name: "o", SemanticType: "document"}}
	if got := apply(t, r, in); got.Outcome != registry.OutcomeReplaced || len(got.Agent.Metadata.OutputSchemas) != 1 {
		t.Errorf("Apply() by the agent with its rules = %+v, want its outputs", got)
	}
	if a, err := r.Agent(t.Context(), tenant, "a"); err != nil || len(a.Metadata.OutputSchemas) != 1 || len(a.Metadata.ConsultationRequirements) != 1 {
		t.Errorf("Agent() afterwards = %+v, %v, want its outputs and its rules", a.Metadata, err)
	}
	in.OnlyName, in.Metadata = "", &agentcard.Metadata{}
	if got := apply(t, r, in); got.Outcome != registry.OutcomeReplaced || len(got.Agent.Metadata.ConsultationRequirements) != 0 || got.Agent.LiveVersion != 1 {
		t.Errorf("Apply() by an admin = %+v, want no rules and the same card", got)
	}
}

func TestAWriteThatIsSentAgainIsDoneOnce(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	once := func(id string) registry.Writer { return r.Once(registry.Retry{Caller: "root", RequestID: id}) }
	in := registry.Application{Registration: registry.Registration{RawCard: named("a"), Caller: "root", RequestID: "apply"}}
	apply(t, r, in)
	if got := apply(t, r, in); got.Outcome != registry.OutcomeCreated || got.Agent.Name != "a" {
		t.Errorf("a retry of Apply() = %+v, want that it was created", got)
	}
	another, dry, other := in, in, in
	another.Caller, dry.ValidateOnly, other.Name = "another", true, "b"
	if got := apply(t, r, another); got.Outcome != registry.OutcomeUnchanged {
		t.Errorf("Apply() of another caller under the same id = %s, want unchanged", got.Outcome)
	}
	if got := apply(t, r, dry); got.Outcome != registry.OutcomeUnchanged {
		t.Errorf("Apply() that only validates under the same id = %s, want unchanged, which it is by now", got.Outcome)
	}
	if _, err := r.Apply(t.Context(), tenant, other); fault.ReasonOf(err) != "REQUEST_ID_REUSED" {
		t.Errorf("Apply() under another name with the same id = %v, want REQUEST_ID_REUSED", err)
	}
	rules := agentcard.Metadata{ConsultationRequirements: []agentcard.ConsultationRequirement{{ID: "r", TargetAgent: "b", Phase: "pre-completion"}}}
	for range 2 {
		agent, warnings, err := once("update").UpdateMetadata(t.Context(), tenant, "a", "", nil, rules)
		if err != nil || agent.Revision != 2 || len(warnings) != 1 {
			t.Errorf("UpdateMetadata() and its retry = revision %d, %v, %v, want 2 and a warning", agent.Revision, warnings, err)
		}
	}
	if _, _, err := once("update").UpdateMetadata(t.Context(), tenant, "a", "", nil, agentcard.Metadata{}); fault.ReasonOf(err) != "REQUEST_ID_REUSED" {
		t.Errorf("UpdateMetadata() of other content = %v, want REQUEST_ID_REUSED", err)
	}
	if err := once("update").Delete(t.Context(), tenant, "a", ""); fault.ReasonOf(err) != "REQUEST_ID_REUSED" {
		t.Errorf("Delete() with the id of another write = %v, want REQUEST_ID_REUSED", err)
	}
	for range 2 {
		if err := once("delete").Delete(t.Context(), tenant, "a", ""); err != nil {
			t.Errorf("Delete() and its retry = %v, want no error", err)
		}
	}
	if err := r.Once(registry.Retry{}).Delete(t.Context(), tenant, "a", ""); fault.ReasonOf(err) != "AGENT_NOT_FOUND" {
		t.Errorf("Delete() again = %v, want AGENT_NOT_FOUND", err)
	}
}

func TestAnEarlierVersionIsTakenOncePerRequest(t *testing.T) {
	t.Parallel()
	r, publish := published(t, string(named("a", "s")))
	for _, card := range []string{"t", "u"} {
		if _, _, err := publish(string(named("a", card))); err != nil {
			t.Fatalf("Refresh() = %v, want no error", err)
		}
	}
	once := r.Once(registry.Retry{Caller: "root", RequestID: "1"})
	first, _, err := once.SetLiveVersion(t.Context(), tenant, "a", "", 1)
	if err != nil || first.LiveVersion != 1 {
		t.Fatalf("SetLiveVersion(1) = version %d, %v, want 1", first.LiveVersion, err)
	}
	if _, _, err := r.Once(registry.Retry{}).SetLiveVersion(t.Context(), tenant, "a", "", 2); err != nil {
		t.Fatalf("SetLiveVersion(2) = %v, want no error", err)
	}
	if again, warnings, err := once.SetLiveVersion(t.Context(), tenant, "a", "", 1); err != nil || again.LiveVersion != 2 || len(warnings) != 1 {
		t.Errorf("a late retry of SetLiveVersion(1) = version %d, %v, %v, want the 2 that another admin chose, and the first answer's warning", again.LiveVersion, warnings, err)
	}
	if _, _, err := once.SetLiveVersion(t.Context(), tenant, "a", "", 3); fault.ReasonOf(err) != "REQUEST_ID_REUSED" {
		t.Errorf("SetLiveVersion(3) under the same request id = %v, want REQUEST_ID_REUSED", err)
	}
}

func TestALateCopyOfARequestForATokenEndsNoToken(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	register(t, r, "a")
	register(t, r, "b")
	first, second := sha256.Sum256([]byte("first")), sha256.Sum256([]byte("second"))
	once := func(id string) registry.Writer { return r.Once(registry.Retry{Caller: "root", RequestID: id}) }
	if err := once("1").SetTokenHash(t.Context(), tenant, "a", first); err != nil {
		t.Fatalf("SetTokenHash() = %v, want no error", err)
	}
	if err := once("1").SetTokenHash(t.Context(), tenant, "a", second); fault.ReasonOf(err) != "TOKEN_SHOWN_BEFORE" || fault.KindOf(err) != fault.FailedPrecondition {
		t.Errorf("SetTokenHash() again = %v, want TOKEN_SHOWN_BEFORE", err)
	}
	if _, name, err := r.AgentByTokenHash(t.Context(), first); err != nil || name != "a" {
		t.Errorf("AgentByTokenHash(first) = %q, %v, want that the token goes on", name, err)
	}
	if err := once("1").SetTokenHash(t.Context(), tenant, "b", second); fault.ReasonOf(err) != "REQUEST_ID_REUSED" {
		t.Errorf("SetTokenHash() of another agent under the same id = %v, want REQUEST_ID_REUSED", err)
	}
	if err := once("2").SetTokenHash(t.Context(), tenant, "a", second); err != nil {
		t.Errorf("SetTokenHash() with a new id = %v, want no error", err)
	}
	if _, _, err := r.AgentByTokenHash(t.Context(), first); fault.ReasonOf(err) != "TOKEN_INVALID" {
		t.Errorf("AgentByTokenHash(first) after a new token = %v, want TOKEN_INVALID", err)
	}
}

func TestAnApplicationToWhatIsThereDoesNotRegister(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	in := registry.Application{Registration: registry.Registration{RawCard: named("a"), Caller: "root", RequestID: "1"}, Etag: "*"}
	if _, err := r.Apply(t.Context(), tenant, in); fault.ReasonOf(err) != "AGENT_NOT_FOUND" {
		t.Errorf("Apply() to any state of an agent that is not there = %v, want AGENT_NOT_FOUND", err)
	}
	in.Etag = ""
	apply(t, r, in)
	in.Etag = "*"
	if _, err := r.Apply(t.Context(), tenant, in); fault.ReasonOf(err) != "REQUEST_ID_REUSED" {
		t.Errorf("Apply() with an etag and the same id = %v, want REQUEST_ID_REUSED", err)
	}
}

func TestOfConcurrentWritesUnderOneRequestIDOneIsDone(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	const writers = 16
	for i := range writers {
		register(t, r, "agent-"+strconv.Itoa(i))
	}
	var done atomic.Int64
	var group sync.WaitGroup
	for i := range writers {
		group.Go(func() {
			err := r.Once(registry.Retry{Caller: "root", RequestID: "1"}).Delete(t.Context(), tenant, "agent-"+strconv.Itoa(i), "")
			switch {
			case err == nil:
				done.Add(1)
			case fault.ReasonOf(err) != "REQUEST_ID_REUSED":
				t.Errorf("Delete(agent-%d) = %v, want no error or REQUEST_ID_REUSED", i, err)
			}
		})
	}
	group.Wait()
	if got := done.Load(); got != 1 {
		t.Errorf("%d of %d Delete() under one request id were done, want 1", got, writers)
	}
}

func TestARefreshThatIsSentAgainReadsNothing(t *testing.T) {
	t.Parallel()
	pages := newWeb()
	r := open(t, registry.Options{Client: pages.client()})
	pages.serve("https://a.example/card", string(named("a")))
	agent := apply(t, r, registry.Application{Registration: registry.Registration{CardURI: "https://a.example/card"}}).Agent
	pages.serve("https://a.example/card", string(named("a", "fetch")))
	once := r.Once(registry.Retry{Caller: "root", RequestID: "1"})
	if _, _, err := once.Refresh(t.Context(), tenant, "a", "", "stale"); fault.ReasonOf(err) != "ETAG_MISMATCH" {
		t.Errorf("Refresh() with a stale etag = %v, want ETAG_MISMATCH", err)
	}
	before := pages.count()
	for range 2 {
		if got, _, err := once.Refresh(t.Context(), tenant, "a", "", agent.Etag); err != nil || got.LiveVersion != 2 {
			t.Errorf("Refresh() and its retry = %+v, %v, want version 2", got, err)
		}
	}
	if got := pages.count() - before; got != 1 {
		t.Errorf("the card was read %d times, want once", got)
	}
}
