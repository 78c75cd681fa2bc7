package router_test

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/router"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

const tenant = "default"

// fleet is a directory of given agents. Its edition is how many there are.
type fleet []registry.Agent

func (f fleet) Agent(_, name string) (registry.Agent, bool) {
	i := slices.IndexFunc(f, func(a registry.Agent) bool { return a.Name == name })
	if i < 0 {
		return registry.Agent{}, false
	}
	return f[i], true
}

func (f fleet) Peek(tenant, name string) (*registry.Agent, registry.Status, bool) {
	a, ok := f.Agent(tenant, name)
	status := a.Status
	a.Status = registry.Status{}
	return &a, status, ok
}

func (f fleet) PeekAll(tenant string, names iter.Seq[string], see func(*registry.Agent, registry.Status)) {
	for name := range names {
		if a, s, ok := f.Peek(tenant, name); ok {
			see(a, s)
		}
	}
}

func (f fleet) BySkill(tenant, skill string) []string {
	var list []string
	for _, a := range f.Listing(tenant).Agents {
		if slices.ContainsFunc(a.Card.Skills, func(s agentcard.Skill) bool { return s.ID == skill }) {
			list = append(list, a.Name)
		}
	}
	return list
}

func (f fleet) Listing(tenant string) registry.Listing {
	list := registry.Listing{Edition: f.Edition(tenant)}
	for i := range f {
		list.Agents = append(list.Agents, &f[i])
	}
	slices.SortFunc(list.Agents, func(a, b *registry.Agent) int { return strings.Compare(a.Name, b.Name) })
	return list
}

func (f fleet) Edition(string) uint64                              { return uint64(len(f)) + 1 }
func (f fleet) Revision(string) int64                              { return int64(len(f)) }
func (f fleet) Refresh(context.Context, string) error              { return nil }
func (f fleet) SyncStatuses(context.Context, string) (bool, error) { return false, nil }

// agent has the skill "work" and a status.
func agent(name, status string) registry.Agent {
	return registry.Agent{
		Tenant: tenant, Name: name, Etag: "e-" + name, Status: registry.Status{Status: status},
		Card: agentcard.Card{Name: name, Skills: []agentcard.Skill{{ID: "work"}}},
	}
}

func loaded(name string, inFlight, capacity int) registry.Agent {
	a := agent(name, registry.StatusAvailable)
	a.Status.InFlight, a.Status.Capacity = inFlight, capacity
	return a
}

// first makes the choice among near-equals certain: it compares the best with the next.
func first(int) int { return 0 }

func newRouter(agents ...registry.Agent) *router.Router {
	return router.New(router.Config{Directory: fleet(agents), Intn: first})
}

func names(list []orchestrator.Candidate) []string {
	var out []string
	for _, c := range list {
		out = append(out, c.Agent)
	}
	return out
}

func codes(list []orchestrator.Rejection) map[string]string {
	out := make(map[string]string)
	for _, x := range list {
		out[x.Agent] = x.Code
	}
	return out
}

func TestEveryAgentThatWasLookedAtIsExplained(t *testing.T) {
	t.Parallel()
	draining := agent("draining", registry.StatusUnavailable)
	draining.Status.Draining = true
	r := newRouter(agent("up", registry.StatusAvailable), agent("busy", registry.StatusBusy), agent("down", registry.StatusUnavailable),
		agent("broken", registry.StatusError), agent("never", registry.StatusUnknown), draining, loaded("full", 1, 1))
	got, err := r.Resolve(t.Context(), tenant, orchestrator.Route{Skill: "work"})
	if err != nil || got.Decision.Chosen != "up" || got.Agent.Name != "up" || got.Decision.Skill != "work" {
		t.Fatalf("Resolve(skill) = %q, %v, want up", got.Decision.Chosen, err)
	}
	if diff := cmp.Diff([]string{"up", "busy", "full"}, names(got.Decision.Candidates)); diff != "" {
		t.Errorf("Resolve(skill) candidates (-want +got):\n%s", diff)
	}
	want := map[string]string{
		"down": router.CodeUnavailable, "broken": router.CodeError, "never": router.CodeUnknown, "draining": router.CodeDraining,
	}
	if diff := cmp.Diff(want, codes(got.Decision.Rejected)); diff != "" {
		t.Errorf("Resolve(skill) rejected (-want +got):\n%s", diff)
	}
}

// TestADecisionListsWhomItChose has more agents that are alike than a decision has room for, and chance choose the last ones.
func TestADecisionListsWhomItChose(t *testing.T) {
	t.Parallel()
	var agents fleet
	for i := range 300 {
		agents = append(agents, loaded(fmt.Sprintf("copy-%03d", i), 0, 10))
	}
	r := router.New(router.Config{Directory: agents, Intn: func(n int) int { return n - 1 }})
	for name, test := range map[string]struct {
		route  orchestrator.Route
		chosen []string
	}{
		"one":     {orchestrator.Route{Skill: "work"}, []string{"copy-299"}},
		"several": {orchestrator.Route{Skill: "work", FanOut: &orchestrator.FanOut{Mode: orchestrator.PlanAll, Agents: 3}}, []string{"copy-299", "copy-298", "copy-297"}},
	} {
		got, err := r.Resolve(t.Context(), tenant, test.route)
		d := got.Decision
		if err != nil || len(d.Candidates) != 100 || d.Omitted != 200 || !slices.Equal(names(d.Candidates)[:len(test.chosen)], test.chosen) {
			t.Fatalf("%s: Resolve() = %+v, %v, want %v to be the first of 100 candidates", name, d, err, test.chosen)
		}
		for _, c := range d.Candidates[:len(test.chosen)] {
			if why := strings.Join(c.Reasons, "; "); !strings.Contains(why, "0 of 10 tasks under way; taken as the less loaded of itself and ") {
				t.Errorf("%s: the decision says %q of %s, want why it is taken", name, why, c.Agent)
			}
		}
	}
}

// TestWhoComesNextIsChosenToo has four agents that are alike, so that each of the others comes next after the first as often.
func TestWhoComesNextIsChosenToo(t *testing.T) {
	t.Parallel()
	r := router.New(router.Config{Directory: fleet{loaded("a", 0, 10), loaded("b", 0, 10), loaded("c", 0, 10), loaded("d", 0, 10)}, Intn: rand.New(rand.NewPCG(1, 2)).IntN})
	next := map[string]int{}
	for range 400 {
		got, err := r.Resolve(t.Context(), tenant, orchestrator.Route{Skill: "work"})
		if err != nil {
			t.Fatal(err)
		}
		if d := got.Decision; d.Chosen == "a" {
			next[d.Candidates[1].Agent]++
			if why := strings.Join(d.Candidates[1].Reasons, "; "); strings.Contains(why, "taken") {
				t.Errorf("Resolve() says %q of who was not taken", why)
			}
		}
	}
	for _, name := range []string{"b", "c", "d"} {
		if n := next[name]; n < 20 || n > 50 {
			t.Errorf("%s came next after a %d times, want about 33 times: %v", name, n, next)
		}
	}
}

func TestOfTwoNearEqualsTheLessLoadedIsTaken(t *testing.T) {
	t.Parallel()
	for name, intn := range map[string]func(int) int{"whichever is drawn first": first, "or last": func(n int) int { return n - 1 }} {
		r := router.New(router.Config{Directory: fleet{loaded("a", 1, 10), loaded("b", 0, 10)}, Intn: intn})
		if got, err := r.Resolve(t.Context(), tenant, orchestrator.Route{Skill: "work"}); err != nil || got.Decision.Chosen != "b" {
			t.Errorf("Resolve(skill) %s = %q, %v, want b, which is idle", name, got.Decision.Chosen, err)
		}
	}
}

// TestTheLessLoadedOfTwoNearEqualsMayBeTheOneThatFitsLess has the best agent be the one with more to do.
func TestTheLessLoadedOfTwoNearEqualsMayBeTheOneThatFitsLess(t *testing.T) {
	t.Parallel()
	fits, less := maker("fits", "", "sum:document"), maker("less", "", "sum:comment")
	less.Status.Capacity = 10
	fits.Status.InFlight, fits.Status.Capacity = 1, 100
	got, err := newRouter(fits, less).Resolve(t.Context(), tenant, contract("", ":document"))
	if err != nil || got.Decision.Candidates[1].Agent != "fits" || got.Decision.Candidates[1].Score <= got.Decision.Candidates[0].Score || got.Decision.Chosen != "less" {
		t.Errorf("Resolve() = %+v, %v, want less, which is idle, though fits is better", got.Decision, err)
	}
	if why := strings.Join(got.Decision.Candidates[0].Reasons, "; "); !strings.Contains(why, "taken as the less loaded of itself and fits, two of 2 near-equals") {
		t.Errorf("Resolve() says %q of less, want why it is taken", why)
	}
}

// TestOfTwoThatAreEquallyLoadedTheOneThatFitsBetterIsTaken draws the better one last.
func TestOfTwoThatAreEquallyLoadedTheOneThatFitsBetterIsTaken(t *testing.T) {
	t.Parallel()
	agents := fleet{maker("fits", "", "sum:document"), maker("less", "", "sum:comment")}
	r := router.New(router.Config{Directory: agents, Intn: func(n int) int { return n - 1 }})
	got, err := r.Resolve(t.Context(), tenant, contract("", ":document"))
	if err != nil || len(got.Decision.Candidates) != 2 || got.Decision.Chosen != "fits" {
		t.Errorf("Resolve() = %+v, %v, want fits", got.Decision, err)
	}
}

func TestANamedAgent(t *testing.T) {
	t.Parallel()
	draining := agent("draining", registry.StatusUnavailable)
	draining.Status.Draining = true
	r := newRouter(agent("never", registry.StatusUnknown), agent("down", registry.StatusUnavailable), loaded("full", 3, 3), draining)
	tests := map[string]struct{ agent, reason string }{
		"may be one that was never heard of": {"never", ""},
		"may be full":                        {"full", ""},
		"may not be unavailable":             {"down", router.ReasonNobody},
		"may not be draining":                {"draining", router.ReasonNobody},
		"has to exist":                       {"nobody", "AGENT_NOT_FOUND"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := r.Resolve(t.Context(), tenant, orchestrator.Route{Agent: test.agent})
			if test.reason == "" && (err != nil || got.Decision.Chosen != test.agent || got.Decision.Refused != "") {
				t.Errorf("Resolve(%s) = %+v, %v, want it chosen", test.agent, got.Decision, err)
			}
			if test.reason != "" && (fault.ReasonOf(err) != test.reason || got.Decision.Chosen != "" || got.Decision.Refused == "") {
				t.Errorf("Resolve(%s) = %+v, %v, want it refused with %s", test.agent, got.Decision, err, test.reason)
			}
		})
	}
}

func TestAnUnknownSkillIsRefused(t *testing.T) {
	t.Parallel()
	got, err := newRouter(agent("up", registry.StatusAvailable)).Resolve(t.Context(), tenant, orchestrator.Route{Skill: "juggle"})
	if fault.ReasonOf(err) != router.ReasonSkillNotFound || !strings.Contains(got.Decision.Refused, "juggle") {
		t.Errorf("Resolve(juggle) = %+v, %v, want %s", got.Decision, err, router.ReasonSkillNotFound)
	}
}

func TestLoadAgainstCapacityOrdersAgents(t *testing.T) {
	t.Parallel()
	r := newRouter(loaded("half", 5, 10), loaded("idle", 0, 2), loaded("tenth", 10, 100), loaded("silent", 3, 0))
	got, err := r.Resolve(t.Context(), tenant, orchestrator.Route{Skill: "work"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"idle", "tenth", "half", "silent"}, names(got.Decision.Candidates)); diff != "" {
		t.Errorf("Resolve() candidates (-want +got):\n%s", diff)
	}
}

func TestWhenAllAreFullTheLeastLoadedIsTaken(t *testing.T) {
	t.Parallel()
	got, err := newRouter(loaded("a", 4, 2), loaded("b", 2, 2)).Resolve(t.Context(), tenant, orchestrator.Route{Skill: "work"})
	if err != nil || got.Decision.Chosen != "b" {
		t.Errorf("Resolve() = %+v, %v, want b", got.Decision, err)
	}
}

// TestAnAgentThatGetsNoTasksIsNoAlternative has the agents with room be ones that may not have the task.
func TestAnAgentThatGetsNoTasksIsNoAlternative(t *testing.T) {
	t.Parallel()
	draining := agent("draining", registry.StatusAvailable)
	draining.Status.Draining = true
	got, err := newRouter(loaded("full", 2, 2), draining, agent("down", registry.StatusUnavailable)).Resolve(t.Context(), tenant, orchestrator.Route{Skill: "work"})
	if err != nil || got.Decision.Chosen != "full" {
		t.Errorf("Resolve() = %+v, %v, want full: no other can take the task", got.Decision, err)
	}
}

func TestWhatAgentsDidIsLearnedAndForgiven(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	r := router.New(router.Config{
		Directory: fleet{agent("fails", registry.StatusAvailable), agent("fast", registry.StatusAvailable), agent("slow", registry.StatusAvailable)},
		Intn:      first, Now: func() time.Time { return now },
	})
	order := func() []string {
		t.Helper()
		got, err := r.Resolve(t.Context(), tenant, orchestrator.Route{Skill: "work"})
		if err != nil {
			t.Fatal(err)
		}
		return names(got.Decision.Candidates)
	}
	for range 20 {
		r.Observe(tenant, "fast", 100*time.Millisecond, router.Succeeded)
		r.Observe(tenant, "slow", 300*time.Millisecond, router.Succeeded)
		r.Observe(tenant, "fails", time.Millisecond, router.Failed)
	}
	if diff := cmp.Diff([]string{"fast", "slow", "fails"}, order()); diff != "" {
		t.Errorf("candidates after outcomes (-want +got):\n%s", diff)
	}
	now = now.Add(10 * time.Minute)
	if got := order(); got[0] == "slow" || got[2] != "slow" {
		t.Errorf("candidates ten minutes later = %q, want the failures forgotten", got)
	}
}

// TestAFasterAgentIsBetter has one agent take four times as long as another, and a third of which nothing is known.
func TestAFasterAgentIsBetter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	r := router.New(router.Config{
		Directory: fleet{agent("fast", registry.StatusAvailable), agent("new", registry.StatusAvailable), agent("slow", registry.StatusAvailable)},
		Intn:      first, Now: func() time.Time { return now },
	})
	r.Observe(tenant, "fast", time.Second, router.Succeeded)
	r.Observe(tenant, "slow", 4*time.Second, router.Succeeded)
	got, err := r.Resolve(t.Context(), tenant, orchestrator.Route{Skill: "work"})
	scores := make(map[string]float64)
	for _, c := range got.Decision.Candidates {
		scores[c.Agent] = c.Score
	}
	if diff := cmp.Diff(map[string]float64{"fast": 1, "new": 1, "slow": 0.5}, scores); err != nil || diff != "" {
		t.Errorf("Resolve() = %v, scores (-want +got):\n%s", err, diff)
	}
}

// TestAVeryFastAgentHidesNoDifference has two agents of which one takes a hundred times as long, and a third that is faster than both by far and full of tasks.
func TestAVeryFastAgentHidesNoDifference(t *testing.T) {
	t.Parallel()
	r := router.New(router.Config{Directory: fleet{agent("fast", registry.StatusAvailable), agent("a-slow", registry.StatusAvailable), agent("usual", registry.StatusAvailable)}})
	r.Observe(tenant, "fast", time.Millisecond, router.Succeeded)
	r.Observe(tenant, "usual", 20*time.Millisecond, router.Succeeded)
	r.Observe(tenant, "a-slow", 2*time.Second, router.Succeeded)
	for range 100 {
		r.Begin(tenant, "fast")
	}
	for range 20 {
		if got, err := r.Resolve(t.Context(), tenant, orchestrator.Route{Skill: "work"}); err != nil || got.Decision.Chosen != "usual" {
			t.Fatalf("Resolve() = %+v, %v, want usual", got.Decision, err)
		}
	}
}

// TestAnAgentThatFailsGetsNoTasksWhileOthersHaveMany has two agents with many tasks, and a third that fails all and is idle for that.
func TestAnAgentThatFailsGetsNoTasksWhileOthersHaveMany(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	r := router.New(router.Config{
		Directory: fleet{agent("a", registry.StatusAvailable), loaded("b", 50, 50), agent("fails", registry.StatusAvailable)}, Now: func() time.Time { return now },
	})
	for range 40 {
		r.Begin(tenant, "a")
		r.Observe(tenant, "fails", time.Millisecond, router.Failed)
	}
	for range 20 {
		got, err := r.Resolve(t.Context(), tenant, orchestrator.Route{Skill: "work"})
		if err != nil || got.Decision.Chosen != "a" {
			t.Fatalf("Resolve() = %+v, %v, want a", got.Decision, err)
		}
		last := got.Decision.Candidates[2]
		if why := strings.Join(last.Reasons, "; "); last.Agent != "fails" || !strings.Contains(why, "most of its tasks failed lately: comes after all that do better") {
			t.Fatalf("the last candidate is %+v, want the one that fails, after the one that is full, and why", last)
		}
	}
	now = now.Add(time.Minute)
	if got, err := r.Resolve(t.Context(), tenant, orchestrator.Route{Skill: "work"}); err != nil || got.Decision.Chosen != "fails" {
		t.Errorf("Resolve() a minute later = %+v, %v, want another chance for the one that failed", got.Decision, err)
	}
}

// TestAnAgentThatWasRestartedIsNotOneThatFails has an agent out of reach for many tasks at once, none of which is lost, while another has a few.
func TestAnAgentThatWasRestartedIsNotOneThatFails(t *testing.T) {
	t.Parallel()
	r := newRouter(agent("other", registry.StatusAvailable), agent("restarted", registry.StatusAvailable))
	for range 500 {
		r.Observe(tenant, "restarted", time.Millisecond, router.Unreached)
	}
	if got, err := r.Resolve(t.Context(), tenant, orchestrator.Route{Skill: "work"}); err != nil || got.Decision.Chosen != "other" {
		t.Errorf("Resolve() = %+v, %v, want the other, which was in reach", got.Decision, err)
	}
	for range 3 {
		r.Begin(tenant, "other")
	}
	if got, err := r.Resolve(t.Context(), tenant, orchestrator.Route{Skill: "work"}); err != nil || got.Decision.Chosen != "restarted" {
		t.Errorf("Resolve() when the other has three tasks = %+v, %v, want the one that was restarted", got.Decision, err)
	}
}

// TestASlowAgentGetsAnotherChance has an agent that was slow once, as many are at the beginning, and gets no tasks for that.
func TestASlowAgentGetsAnotherChance(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	r := router.New(router.Config{
		Directory: fleet{agent("fast", registry.StatusAvailable), agent("slow", registry.StatusAvailable)}, Intn: first, Now: func() time.Time { return now },
	})
	r.Observe(tenant, "slow", time.Minute, router.Succeeded)
	score := func() float64 {
		t.Helper()
		r.Observe(tenant, "fast", 100*time.Millisecond, router.Succeeded)
		got, err := r.Resolve(t.Context(), tenant, orchestrator.Route{Skill: "work"})
		if err != nil || len(got.Decision.Candidates) != 2 || got.Decision.Candidates[1].Agent != "slow" {
			t.Fatalf("Resolve() = %+v, %v, want fast and slow", got.Decision, err)
		}
		return got.Decision.Candidates[1].Score
	}
	if got := score(); got > 0.1 {
		t.Errorf("its score is %v of 1, want next to nothing", got)
	}
	now = now.Add(20 * time.Minute)
	if got := score(); got < 0.8 {
		t.Errorf("its score 20 minutes later is %v of 1, want it to be nearly equal", got)
	}
}

// TestTasksThatAnAgentReportsAreNotCountedTwice has an agent report tasks that are from here in part, and some end long before it reports again.
func TestTasksThatAnAgentReportsAreNotCountedTwice(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	agents := fleet{loaded("a", 0, 4)}
	r := newRouter(agents...)
	says := func(want string) {
		t.Helper()
		got, err := r.Resolve(t.Context(), tenant, orchestrator.Route{Skill: "work"})
		if err != nil || !strings.Contains(strings.Join(got.Decision.Candidates[0].Reasons, "; "), want) {
			t.Errorf("Resolve() = %+v, %v, want %q", got.Decision.Candidates, err, want)
		}
	}
	ends := []func(router.Outcome){r.Begin(tenant, "a"), r.Begin(tenant, "a"), r.Begin(tenant, "a")}
	says("3 of 4 tasks under way")
	agents[0].Status.InFlight, agents[0].Status.LastHeartbeat = 4, noon
	says("4 of 4 tasks under way; full")
	for _, end := range ends {
		end(router.Inconclusive)
	}
	says("1 of 4 tasks under way")
	agents[0].Status.InFlight, agents[0].Status.LastHeartbeat = 2, noon.Add(time.Second)
	says("2 of 4 tasks under way")
	r.Begin(tenant, "a")
	r.Begin(tenant, "a")
	says("4 of 4 tasks under way; full")
}

// TestOutcomesCountAlike has agents whose outcomes come to the same in different ways.
func TestOutcomesCountAlike(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var agents fleet
	for _, name := range []string{"began", "canceled", "mixed", "observed", "recovered", "steady"} {
		agents = append(agents, agent(name, registry.StatusAvailable))
	}
	r := router.New(router.Config{Directory: agents, Intn: first, Now: func() time.Time { return now }})
	r.Begin(tenant, "began")(router.Failed)
	r.Observe(tenant, "observed", time.Hour, router.Failed)
	r.Observe(tenant, "canceled", time.Second, router.Failed)
	for range 10 {
		r.Observe(tenant, "canceled", time.Second, router.Inconclusive)
	}
	r.Observe(tenant, "mixed", time.Second, router.Succeeded)
	r.Observe(tenant, "mixed", 9*time.Second, router.Succeeded) // a fifth of the difference
	r.Observe(tenant, "steady", 2600*time.Millisecond, router.Succeeded)
	r.Observe(tenant, "recovered", time.Second, router.Failed)
	r.Observe(tenant, "recovered", 2600*time.Millisecond, router.Succeeded) // its first time
	got, err := r.Resolve(t.Context(), tenant, orchestrator.Route{Skill: "work"})
	scores := make(map[string]float64)
	for _, c := range got.Decision.Candidates {
		scores[c.Agent] = c.Score
	}
	want := map[string]float64{"began": 0.8, "canceled": 0.8, "mixed": 1, "observed": 0.8, "recovered": 0.84, "steady": 1}
	if diff := cmp.Diff(want, scores); err != nil || diff != "" {
		t.Errorf("Resolve() = %v, scores (-want +got):\n%s", err, diff)
	}
}

func TestTasksUnderWayCount(t *testing.T) {
	t.Parallel()
	r := newRouter(agent("a", registry.StatusAvailable), agent("b", registry.StatusAvailable))
	chosen := func() string {
		t.Helper()
		got, err := r.Resolve(t.Context(), tenant, orchestrator.Route{Skill: "work"})
		if err != nil {
			t.Fatal(err)
		}
		return got.Decision.Chosen
	}
	end := r.Begin(tenant, "a")
	if got := chosen(); got != "b" {
		t.Errorf("with a task under way with a, Resolve() chose %s, want b", got)
	}
	end(router.Inconclusive)
	if got := chosen(); got != "a" {
		t.Errorf("when the task has ended, Resolve() chose %s, want a", got)
	}
}

func TestNearEqualsShareTheWork(t *testing.T) {
	t.Parallel()
	r := router.New(router.Config{Directory: fleet{
		agent("a", registry.StatusAvailable), agent("b", registry.StatusAvailable), agent("c", registry.StatusAvailable), agent("busy", registry.StatusBusy),
	}})
	taken := make(map[string]int)
	for range 300 {
		got, err := r.Resolve(t.Context(), tenant, orchestrator.Route{Skill: "work"})
		if err != nil {
			t.Fatal(err)
		}
		taken[got.Decision.Chosen]++
	}
	if taken["busy"] > 0 || taken["a"] < 50 || taken["b"] < 50 || taken["c"] < 50 {
		t.Errorf("300 decisions chose %v, want a, b and c about equally and never busy", taken)
	}
}

func TestADecisionIsBounded(t *testing.T) {
	t.Parallel()
	var agents []registry.Agent
	for i := range 150 {
		agents = append(agents, agent("up"+string(rune('A'+i%26))+strings.Repeat("x", i/26), registry.StatusAvailable))
		agents = append(agents, agent("down"+string(rune('A'+i%26))+strings.Repeat("x", i/26), registry.StatusUnavailable))
	}
	got, err := newRouter(agents...).Resolve(t.Context(), tenant, orchestrator.Route{Skill: "work"})
	if d := got.Decision; err != nil || len(d.Candidates) != 100 || len(d.Rejected) != 100 || d.Omitted != 100 {
		t.Errorf("Resolve() lists %d candidates, %d rejected, omits %d, %v, want 100 each", len(d.Candidates), len(d.Rejected), d.Omitted, err)
	}
}

func TestAnAgentOutOfReachIsLeftAloneWhileThereIsAnother(t *testing.T) {
	t.Parallel()
	cut := map[string]bool{"down": true}
	r := router.New(router.Config{
		Directory: fleet{agent("down", registry.StatusAvailable), loaded("full", 2, 2)}, Intn: first,
		Cut: func(_, agent string, _ time.Time) bool { return cut[agent] },
	})
	got, err := r.Resolve(t.Context(), tenant, orchestrator.Route{Skill: "work"})
	if err != nil || got.Decision.Chosen != "full" || !slices.Equal(names(got.Decision.Candidates), []string{"full", "down"}) {
		t.Errorf("Resolve(skill) = %+v, %v, want full, and down after it", got.Decision, err)
	}
	if got, err := r.Resolve(t.Context(), tenant, orchestrator.Route{Agent: "down"}); err != nil || got.Decision.Chosen != "down" {
		t.Errorf("Resolve(down) = %+v, %v, want what was named", got.Decision, err)
	}
	cut["full"] = true
	if got, err := r.Resolve(t.Context(), tenant, orchestrator.Route{Skill: "work"}); err != nil || len(got.Decision.Candidates) != 2 {
		t.Errorf("Resolve(skill) with all out of reach = %+v, %v, want both as candidates", got.Decision, err)
	}
}

// late is a directory that hears of the agents of another process only when it is asked to.
type late struct {
	fleet
	told    fleet
	renewed bool // leases only: there is nothing new in the log
	asks    int
}

func (d *late) SyncStatuses(context.Context, string) (bool, error) {
	d.asks++
	d.fleet = d.told
	return d.renewed, nil
}

func TestTheDirectoryIsAskedToHearOfOthersBeforeARefusalOnly(t *testing.T) {
	t.Parallel()
	d := &late{fleet: fleet{agent("a", registry.StatusAvailable)}, told: fleet{agent("a", registry.StatusAvailable), agent("b", registry.StatusAvailable)}}
	d.told[1].Card.Skills[0].ID = "new"
	r := router.New(router.Config{Directory: d, Intn: first})
	if got, err := r.Resolve(t.Context(), tenant, orchestrator.Route{Skill: "work"}); err != nil || got.Decision.Chosen != "a" || d.asks != 0 {
		t.Errorf("Resolve(work) = %+v, %v, after %d questions, want a without any", got.Decision, err, d.asks)
	}
	if got, err := r.Resolve(t.Context(), tenant, orchestrator.Route{Skill: "new"}); err != nil || got.Decision.Chosen != "b" || d.asks != 1 {
		t.Errorf("Resolve(new) = %+v, %v, after %d questions, want b after one", got.Decision, err, d.asks)
	}
}

// TestALeaseThatWasRenewedElsewhereIsReadBeforeARefusal has this process read leases too late: many tenants may have many agents.
func TestALeaseThatWasRenewedElsewhereIsReadBeforeARefusal(t *testing.T) {
	t.Parallel()
	d := &late{fleet: fleet{agent("a", registry.StatusUnavailable)}, told: fleet{agent("a", registry.StatusAvailable)}, renewed: true}
	r := router.New(router.Config{Directory: d, Intn: first})
	if got, err := r.Resolve(t.Context(), tenant, orchestrator.Route{Skill: "work"}); err != nil || got.Decision.Chosen != "a" {
		t.Errorf("Resolve(work) = %+v, %v, want a", got.Decision, err)
	}
}

func TestAConversationStaysWithAnAgentThatKnowsIt(t *testing.T) {
	t.Parallel()
	down := agent("down", registry.StatusUnavailable)
	for want, familiar := range map[string][]string{
		"idle":   {"gone", "down", "failing", "elsewhere"}, // none of them can go on with it
		"full":   {"full", "busy"},
		"busy":   {"down", "busy", "full"},
		"newest": {"newest", "full"},
	} {
		elsewhere := agent("elsewhere", registry.StatusAvailable)
		elsewhere.Card.Skills = nil
		r := newRouter(agent("idle", registry.StatusAvailable), loaded("newest", 1, 2), agent("busy", registry.StatusBusy), loaded("full", 1, 1),
			agent("failing", registry.StatusAvailable), down, elsewhere)
		for range 10 {
			r.Observe(tenant, "failing", time.Millisecond, router.Failed)
		}
		got, err := r.Resolve(t.Context(), tenant, orchestrator.Route{Skill: "work"}, familiar...)
		if err != nil || got.Decision.Chosen != want {
			t.Errorf("Resolve() with %v familiar chose %q, %v, want %s", familiar, got.Decision.Chosen, err, want)
		}
	}
}
