package registry_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

const cardURI = "https://a.example/card.json"

// published registers an agent a whose card is at cardURI and returns a function that publishes another card and reads it.
func published(t *testing.T, card string) (r *registry.Registry, publish func(card string) (registry.Agent, []agentcard.Warning, error)) {
	t.Helper()
	w := newWeb()
	r = open(t, registry.Options{Client: w.client()})
	w.serve(cardURI, card)
	if _, _, err := r.Register(t.Context(), tenant, registry.Registration{CardURI: cardURI}); err != nil {
		t.Fatalf("Register() = %v, want no error", err)
	}
	return r, func(card string) (registry.Agent, []agentcard.Warning, error) {
		w.serve(cardURI, card)
		return r.Once(registry.Retry{}).Refresh(t.Context(), tenant, "a", "", "")
	}
}

func versionsOf(t *testing.T, r *registry.Registry) (numbers []int64, live int64) {
	t.Helper()
	list, live, err := r.Versions(t.Context(), tenant, "a", 0, 100)
	if err != nil {
		t.Fatalf("Versions() = %v, want no error", err)
	}
	for i := range list {
		numbers = append(numbers, list[i].Number)
	}
	return numbers, live
}

func TestEachNewContentIsAVersion(t *testing.T) {
	t.Parallel()
	r, publish := published(t, string(named("a", "s")))
	for name, test := range map[string]struct {
		card string
		want int64
	}{
		"the same bytes":                {string(named("a", "s")), 1},
		"the same content, other bytes": {` { "skills" : [{"id":"\u0073"}],` + strings.TrimPrefix(strings.Replace(string(named("a", "s")), `,"skills":[{"id":"s"}]`, "", 1), "{"), 1},
	} {
		if got, _, err := publish(test.card); err != nil || got.LiveVersion != test.want {
			t.Errorf("Refresh() of %s = version %d, %v, want %d", name, got.LiveVersion, err, test.want)
		}
	}
	got, warnings, err := publish(string(named("a", "t")))
	if err != nil || got.LiveVersion != 2 || got.LatestVersion != 2 || len(warnings) != 1 || warnings[0].Code != agentcard.SkillRemoved {
		t.Fatalf("Refresh(other skill) = version %d, %v, %v, want 2 and SKILL_REMOVED", got.LiveVersion, warnings, err)
	}
	first := wantVersion(t, r, false, registry.Version{Agent: "a", Number: 1, RawCard: named("a", "s")})
	second := wantVersion(t, r, true, registry.Version{
		Agent: "a", Number: 2, RawCard: named("a", "t"),
		Breaking: []agentcard.BreakingChange{{Code: agentcard.SkillRemoved, Field: "card.skills", Message: `the skill "s" is gone`}},
	})
	if len(first) != 64 || first == second {
		t.Errorf("hashes are %s and %s, want two of 64 digits", first, second)
	}
}

// wantVersion compares a version with want, which leaves out what is always the same, and returns its hash.
func wantVersion(t *testing.T, r *registry.Registry, wantLive bool, want registry.Version) string {
	t.Helper()
	got, live, err := r.Version(t.Context(), tenant, "a", want.Number)
	want.CardURI, want.CardVersion, want.Hash, want.CreateTime = cardURI, "1.0.0", got.Hash, got.CreateTime
	if err != nil || live != wantLive || got.CreateTime.IsZero() || cmp.Diff(want, got) != "" {
		t.Errorf("Version(%d) = live %v, %v, want %v, difference (-want +got):\n%s", want.Number, live, err, wantLive, cmp.Diff(want, got))
	}
	return got.Hash
}

func TestTheLivePointerMovesBackAndStays(t *testing.T) {
	t.Parallel()
	good, bad := string(named("a", "s")), string(named("a", "t"))
	r, publish := published(t, good)
	if _, _, err := publish(bad); err != nil {
		t.Fatalf("Refresh() = %v, want no error", err)
	}
	got, warnings, err := r.Once(registry.Retry{}).SetLiveVersion(t.Context(), tenant, "a", "", 1)
	if err != nil || got.LiveVersion != 1 || string(got.RawCard) != good || len(warnings) != 1 {
		t.Fatalf("SetLiveVersion(1) = %+v, %v, %v, want the first card and a warning of the skill that is gone", got, warnings, err)
	}
	if found, err := r.AgentsWith(t.Context(), tenant, "s", "", "", 9); err != nil || len(found) != 1 {
		t.Errorf("AgentsWith(s) = %v, %v, want a", found, err)
	}
	for name, card := range map[string]string{"the bad one again": bad, "the good one": good} {
		if got, _, err := publish(card); err != nil || got.LiveVersion != 1 {
			t.Errorf("Refresh() of %s = version %d, %v, want 1", name, got.LiveVersion, err)
		}
	}
	if got, _, err := publish(string(named("a", "u"))); err != nil || got.LiveVersion != 3 {
		t.Errorf("Refresh() of another one = version %d, %v, want 3", got.LiveVersion, err)
	}
	if numbers, live := versionsOf(t, r); cmp.Diff([]int64{3, 2, 1}, numbers) != "" || live != 3 {
		t.Errorf("Versions() = %v, live %d, want 3, 2, 1 and 3", numbers, live)
	}
}

func TestTheLiveVersionIsMadeLiveWithoutAChange(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	made := register(t, r, "a")
	if got, _, err := r.Once(registry.Retry{}).SetLiveVersion(t.Context(), tenant, "a", "", 1); err != nil || got.Etag != made.Etag {
		t.Errorf("SetLiveVersion(1) = etag %s, %v, want %s still", got.Etag, err, made.Etag)
	}
}

func TestTheLivePointerDoesNotMoveTo(t *testing.T) {
	t.Parallel()
	r, publish := published(t, string(named("a", "s")))
	before, _, err := publish(string(named("a", "t")))
	if err != nil {
		t.Fatalf("Refresh() = %v, want no error", err)
	}
	if _, _, err := publish(string(named("a", "u"))); err != nil {
		t.Fatalf("Refresh() = %v, want no error", err)
	}
	for name, test := range map[string]struct {
		agent, etag string
		number      int64
		want        string
	}{
		"an agent that is not there":  {"b", "", 1, "AGENT_NOT_FOUND"},
		"a version that is not there": {"a", "", 9, "VERSION_NOT_FOUND"},
		"a stale etag":                {"a", before.Etag, 1, "ETAG_MISMATCH"},
	} {
		if _, _, err := r.Once(registry.Retry{}).SetLiveVersion(t.Context(), tenant, test.agent, test.etag, test.number); fault.ReasonOf(err) != test.want {
			t.Errorf("SetLiveVersion() with %s = %v, want %s", name, err, test.want)
		}
	}
}

func TestBreakingChanges(t *testing.T) {
	t.Parallel()
	const before = `{"name":"a","version":"1.0.0","supportedInterfaces":[{"url":"https://a.example/v1","protocolBinding":"JSONRPC"},{"url":"a.example:443","protocolBinding":"GRPC"}],` +
		`"defaultInputModes":["text/plain","image/png"],"defaultOutputModes":["x/z"],"securitySchemes":{"key":{},"oauth":{}},"skills":[{"id":"s","outputModes":["x/y"]},{"id":"t"}]}`
	tests := map[string]struct {
		old, next string
		want      []string
	}{
		"nothing is gone when more is there": {`"skills":[`, `"skills":[{"id":"u"},`, nil},
		"a skill":                            {`,{"id":"t"}`, ``, []string{"SKILL_REMOVED card.skills"}},
		"an interface":                       {`,{"url":"a.example:443","protocolBinding":"GRPC"}`, ``, []string{"INTERFACE_REMOVED card.supportedInterfaces"}},
		"an interface at another origin":     {`https://a.example/v1`, `https://b.example/v1`, []string{"INTERFACE_REMOVED card.supportedInterfaces"}},
		"an input mode, for all that has no own": {`,"image/png"`, ``, []string{
			"MODE_REMOVED card.defaultInputModes", "MODE_REMOVED card.skills[0].inputModes", "MODE_REMOVED card.skills[1].inputModes",
		}},
		"an output mode, for all that has no own": {`["x/z"]`, `["text/plain"]`, []string{"MODE_REMOVED card.defaultOutputModes", "MODE_REMOVED card.skills[1].outputModes"}},
		"a skill's output mode":                   {`x/y`, `x/z`, []string{"MODE_REMOVED card.skills[0].outputModes"}},
		"an interface of another tenant":          {`{"url":"https://a.example/v1",`, `{"url":"https://a.example/v1","tenant":"t",`, []string{"INTERFACE_REMOVED card.supportedInterfaces"}},
		"a security scheme":                       {`"key":{},`, ``, []string{"SECURITY_SCHEME_REMOVED card.securitySchemes"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, publish := published(t, before)
			if _, _, err := publish(strings.Replace(before, test.old, test.next, 1)); err != nil {
				t.Fatalf("Refresh() = %v, want no error", err)
			}
			v, _, err := r.Version(t.Context(), tenant, "a", 2)
			var got []string
			for _, c := range v.Breaking {
				got = append(got, c.Code+" "+c.Field)
			}
			if err != nil || cmp.Diff(test.want, got) != "" {
				t.Errorf("Version(2).Breaking = %v, %v, want %v", got, err, test.want)
			}
		})
	}
}

func TestAReportOfManyChangesIsBounded(t *testing.T) {
	t.Parallel()
	var skills []string
	for i := range 400 {
		skills = append(skills, "s"+strings.Repeat("x", i%200)+string(rune('a'+i/200)))
	}
	r, publish := published(t, string(named("a", skills...)))
	if _, _, err := publish(string(named("a"))); err != nil {
		t.Fatalf("Refresh() = %v, want no error", err)
	}
	v, _, err := r.Version(t.Context(), tenant, "a", 2)
	if err != nil || len(v.Breaking) != 100 || v.Breaking[99].Message != "and 301 more" {
		t.Errorf("Version(2) has %d changes, the last %+v, %v, want 100 and 301 more", len(v.Breaking), v.Breaking[len(v.Breaking)-1], err)
	}
}

func TestAStrictServerTakesNoRuleThatCannotBeMet(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{Strict: true})
	rules := ruled()
	if _, _, err := r.Register(t.Context(), tenant, registry.Registration{RawCard: named("a", "s"), Metadata: &rules}); fault.ReasonOf(err) != "TARGET_AGENT_UNKNOWN" {
		t.Errorf("Register() = %v, want TARGET_AGENT_UNKNOWN", err)
	}
	register(t, r, "a")
	if _, _, err := r.Once(registry.Retry{}).UpdateMetadata(t.Context(), tenant, "a", "", nil, rules); fault.ReasonOf(err) != "TARGET_AGENT_UNKNOWN" {
		t.Errorf("UpdateMetadata() = %v, want TARGET_AGENT_UNKNOWN", err)
	}
	register(t, r, rules.ConsultationRequirements[0].TargetAgent)
	if _, _, err := r.Once(registry.Retry{}).UpdateMetadata(t.Context(), tenant, "a", "", nil, rules); err != nil {
		t.Errorf("UpdateMetadata() with the target there = %v, want no error", err)
	}
}

func TestAnotherVersionThanTheCardsIsAWarning(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	for version, want := range map[string]int{"": 0, "1.0.0": 0, "1.0.1": 1} {
		for where, in := range map[string]registry.Registration{"request": {Version: version}, "metadata": {Metadata: &agentcard.Metadata{Version: version}}} {
			in.RawCard, in.ValidateOnly = named("a", "s"), true
			_, warnings, err := r.Register(t.Context(), tenant, in)
			if err != nil || len(warnings) != want || (want == 1 && warnings[0].Code != "VERSION_MISMATCH") {
				t.Errorf("Register(version %q in the %s) = %v, %v, want %d VERSION_MISMATCH", version, where, warnings, err, want)
			}
		}
	}
}

func TestAnExportThatIsImportedChangesNothing(t *testing.T) {
	t.Parallel()
	r, _ := published(t, string(named("a", "s")))
	before, err := r.Agent(t.Context(), tenant, "a")
	if err != nil {
		t.Fatalf("Agent() = %v, want no error", err)
	}
	for name, in := range map[string]registry.Registration{"by card": {RawCard: named("a", "s")}, "by URL": {CardURI: cardURI}} {
		got, err := r.Apply(t.Context(), tenant, registry.Application{Registration: in})
		if err != nil || got.Outcome != registry.OutcomeUnchanged || got.Agent.Etag != before.Etag || got.Agent.CardURI != cardURI {
			t.Errorf("Apply() %s = %s at %s, %v, want it unchanged at %s", name, got.Outcome, got.Agent.CardURI, err, cardURI)
		}
	}
}

func TestAnAdminCanApplyWhatAnAdminWentBackFrom(t *testing.T) {
	t.Parallel()
	r, publish := published(t, string(named("a", "s")))
	if _, _, err := publish(string(named("a", "t"))); err != nil {
		t.Fatalf("Refresh() = %v, want no error", err)
	}
	if _, _, err := r.Once(registry.Retry{}).SetLiveVersion(t.Context(), tenant, "a", "", 1); err != nil {
		t.Fatalf("SetLiveVersion(1) = %v, want no error", err)
	}
	for _, test := range []struct {
		who, onlyName, outcome string
		live                   int64
	}{{"the agent", "a", registry.OutcomeUnchanged, 1}, {"an admin", "", registry.OutcomeReplaced, 3}} {
		got, err := r.Apply(t.Context(), tenant, registry.Application{Registration: registry.Registration{CardURI: cardURI, OnlyName: test.onlyName}})
		if err != nil || got.Outcome != test.outcome || got.Agent.LiveVersion != test.live {
			t.Errorf("Apply() by %s = %s, version %d, %v, want %s, %d", test.who, got.Outcome, got.Agent.LiveVersion, err, test.outcome, test.live)
		}
	}
}
