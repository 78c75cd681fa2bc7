package router_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/router"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

// workers are eight agents that can take a task, the less loaded first, and one that cannot.
func workers() []registry.Agent {
	list := []registry.Agent{agent("away", registry.StatusUnavailable)}
	for i, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		list = append(list, loaded(name, i, 10))
	}
	return list
}

func TestAFanOutGoesToTheBestAgents(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fanOut orchestrator.FanOut
		want   string
	}{
		"to as many as is usual":                 {orchestrator.FanOut{Mode: orchestrator.PlanAll}, "a b c d e"},
		"to as many as were asked for":           {orchestrator.FanOut{Mode: orchestrator.PlanAny, Agents: 2}, "a b"},
		"to all when more were asked for":        {orchestrator.FanOut{Mode: orchestrator.PlanAny, Agents: orchestrator.MaxFanOut}, "a b c d e f g h"},
		"to more than are needed":                {orchestrator.FanOut{Mode: orchestrator.PlanK, K: 2, Agents: 3}, "a b c"},
		"to as many as is usual, if few suffice": {orchestrator.FanOut{Mode: orchestrator.PlanK, K: 1}, "a b c d e"},
		"to as many as are needed":               {orchestrator.FanOut{Mode: orchestrator.PlanK, K: 7}, "a b c d e f g"},
		"to all, since all are needed":           {orchestrator.FanOut{Mode: orchestrator.PlanK, K: 8, Agents: 8}, "a b c d e f g h"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := newRouter(workers()...).Resolve(t.Context(), tenant, orchestrator.Route{Skill: "work", FanOut: &test.fanOut})
			if err != nil {
				t.Fatal(err)
			}
			d := got.Decision
			if strings.Join(d.FanOut, " ") != test.want || d.Chosen != "" || codes(d.Rejected)["away"] == "" {
				t.Errorf("Resolve() = %v, %q, %v, want %s together, and away left out", d.FanOut, d.Chosen, d.Rejected, test.want)
			}
			if best := fmt.Sprintf("one of the %d best", len(d.FanOut)); len(d.Candidates) != 8 || !slices.Contains(d.Candidates[0].Reasons, best) || slices.Contains(d.Candidates[7].Reasons, best) != (len(d.FanOut) == 8) {
				t.Errorf("the candidates are %v, want all eight, and to say who is %s", d.Candidates, best)
			}
			var several []string
			for _, p := range got.Several {
				if p.Skill != "work" || p.Agent.Status.Status != registry.StatusAvailable {
					t.Errorf("%s is asked for the skill %q in status %q", p.Agent.Name, p.Skill, p.Agent.Status.Status)
				}
				several = append(several, p.Agent.Name)
			}
			if !slices.Equal(several, d.FanOut) {
				t.Errorf("the agents are %v, want those of the decision, %v", several, d.FanOut)
			}
		})
	}
}

// TestFanOutsAreSpread has eight agents that are alike, and two that are far worse.
func TestFanOutsAreSpread(t *testing.T) {
	t.Parallel()
	agents := fleet{loaded("worse", 7, 10), loaded("worst", 8, 10)}
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		agents = append(agents, loaded(name, 0, 10))
	}
	r, taken := router.New(router.Config{Directory: agents, Intn: rand.New(rand.NewPCG(1, 2)).IntN}), map[string]int{}
	for range 200 {
		got, err := r.Resolve(t.Context(), tenant, orchestrator.Route{Skill: "work", FanOut: &orchestrator.FanOut{Mode: orchestrator.PlanAll, Agents: 2}})
		if err != nil || got.Decision.FanOut[0] == got.Decision.FanOut[1] {
			t.Fatalf("Resolve() = %v, %v, want two agents", got.Decision.FanOut, err)
		}
		for _, name := range got.Decision.FanOut {
			taken[name]++
		}
	}
	for name, n := range taken {
		if len(taken) != 8 || n < 30 || n > 70 {
			t.Errorf("%s was taken %d times, and %d agents were, want each of the eight about 50 times", name, n, len(taken))
		}
	}
}

func TestAFanOutWithTooFewAgentsIsRefused(t *testing.T) {
	t.Parallel()
	got, err := newRouter(workers()...).Resolve(t.Context(), tenant, orchestrator.Route{Skill: "work", FanOut: &orchestrator.FanOut{Mode: orchestrator.PlanK, K: 9}})
	if f := fault.From(err); f.Kind != fault.Unavailable || f.Reason != router.ReasonTooFew || !strings.Contains(f.Message, "9 agents have to complete the task and 8 can") {
		t.Errorf("Resolve() = %v, want %s, since it may work later", err, router.ReasonTooFew)
	}
	if d := got.Decision; len(d.Candidates) != 8 || len(d.FanOut) > 0 || d.Refused == "" {
		t.Errorf("Decision = %+v, want the eight candidates, and that it was refused", d)
	}
}

// TestAFanOutTakesThoseThatAreFullWhereTheyAreNeeded has two agents with room, two that are full, and one that could not be reached lately.
func TestAFanOutTakesThoseThatAreFullWhereTheyAreNeeded(t *testing.T) {
	t.Parallel()
	agents := fleet{loaded("a", 0, 10), loaded("b", 9, 10), loaded("full", 10, 10), loaded("fuller", 11, 10), loaded("lost", 0, 10)}
	r := router.New(router.Config{Directory: agents, Intn: first, Cut: func(_, agent string, _ time.Time) bool { return agent == "lost" }})
	for name, test := range map[string]struct {
		fanOut orchestrator.FanOut
		want   string
	}{
		"all":          {orchestrator.FanOut{Mode: orchestrator.PlanAll}, "a b"},
		"any":          {orchestrator.FanOut{Mode: orchestrator.PlanAny, Agents: 4}, "a b"},
		"two":          {orchestrator.FanOut{Mode: orchestrator.PlanK, K: 2}, "a b"},
		"three":        {orchestrator.FanOut{Mode: orchestrator.PlanK, K: 3, Agents: 3}, "a b full"},
		"five of five": {orchestrator.FanOut{Mode: orchestrator.PlanK, K: 5}, "a b full fuller lost"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := r.Resolve(t.Context(), tenant, orchestrator.Route{Skill: "work", FanOut: &test.fanOut})
			if err != nil || strings.Join(got.Decision.FanOut, " ") != test.want {
				t.Errorf("Resolve() = %v, %v, want %s", got.Decision.FanOut, err, test.want)
			}
			if all := names(got.Decision.Candidates); !slices.Equal(all, []string{"a", "b", "full", "fuller", "lost"}) {
				t.Errorf("the candidates are %v, want all, the best first", all)
			}
		})
	}
}

func TestAFanOutThatMakesNoSenseIsRefused(t *testing.T) {
	t.Parallel()
	const most = orchestrator.MaxFanOut
	for name, test := range map[string]struct {
		agent  string
		fanOut orchestrator.FanOut
		reason string
		field  string
	}{
		"to a named agent":       {"a", orchestrator.FanOut{Mode: orchestrator.PlanAll}, "FAN_OUT_NAMED", "route.fan_out"},
		"fewer than none":        {"", orchestrator.FanOut{Mode: orchestrator.PlanAll, Agents: -1}, "FAN_OUT_SIZE", "route.fan_out.agents"},
		"too many":               {"", orchestrator.FanOut{Mode: orchestrator.PlanAll, Agents: most + 1}, "FAN_OUT_SIZE", "route.fan_out.agents"},
		"no mode":                {"", orchestrator.FanOut{}, "FAN_OUT_MODE", "route.fan_out.mode"},
		"a mode of chains":       {"", orchestrator.FanOut{Mode: orchestrator.PlanChain}, "FAN_OUT_MODE", "route.fan_out.mode"},
		"k of all":               {"", orchestrator.FanOut{Mode: orchestrator.PlanAll, K: 1}, "FAN_OUT_MODE", "route.fan_out.k"},
		"k without a number":     {"", orchestrator.FanOut{Mode: orchestrator.PlanK}, "FAN_OUT_SIZE", "route.fan_out.k"},
		"a negative k":           {"", orchestrator.FanOut{Mode: orchestrator.PlanK, K: -1}, "FAN_OUT_SIZE", "route.fan_out.k"},
		"too large a k":          {"", orchestrator.FanOut{Mode: orchestrator.PlanK, K: most + 1}, "FAN_OUT_SIZE", "route.fan_out.k"},
		"k of fewer":             {"", orchestrator.FanOut{Mode: orchestrator.PlanK, K: 3, Agents: 2}, "FAN_OUT_SIZE", "route.fan_out.k"},
		"as large a k as may be": {"", orchestrator.FanOut{Mode: orchestrator.PlanK, K: most, Agents: most}, router.ReasonTooFew, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			route := orchestrator.Route{Agent: test.agent, FanOut: &test.fanOut}
			if test.agent == "" {
				route.Skill = "work"
			}
			_, err := newRouter(workers()...).Resolve(t.Context(), tenant, route)
			field := ""
			if f, ok := errors.AsType[*fault.Error](err); ok && len(f.Violations) > 0 {
				field = f.Violations[0].Field
			}
			if fault.ReasonOf(err) != test.reason || field != test.field {
				t.Errorf("Resolve() = %v, about %q, want %s about %q", err, field, test.reason, test.field)
			}
		})
	}
}
