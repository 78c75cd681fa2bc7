package engine_test

import (
	"strings"
	"testing"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/agentcard"
)

func TestAnAgentDoesNotReviewItselfUnderAnotherName(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		at, room string // the reviewer's address
		want     string
	}{
		"at its own address":           {"https://web.example/a2a", "", "SELF_REVIEW"},
		"at its address, spelt anew":   {"https://WEB.example/a2a/", "", "SELF_REVIEW"},
		"at an address of its own":     {"https://web.example/review", "", ""},
		"at its port":                  {"https://web.example:443/a2a", "", "SELF_REVIEW"},
		"without TLS":                  {"http://web.example/a2a", "", "SELF_REVIEW"},
		"at the root of its name":      {"https://web.example./a2a", "", "SELF_REVIEW"},
		"at a detour":                  {"https://web.example/x/..//%61%32a?", "", "SELF_REVIEW"},
		"as another tenant there":      {"https://web.example/a2a", "reviewer", ""},
		"at another port":              {"https://web.example:8443/a2a", "", ""},
		"behind a query":               {"https://web.example/a2a?agent=reviewer", "", ""},
		"at an address nobody can see": {"", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var w *world
			reviewer := reviews(&w, "approved", "fine", true)
			reviewer.at, reviewer.room = test.at, test.room
			w = newWorld(t, &actor{name: "web", at: "https://web.example/a2a", play: delivers("the page"), requirements: requirement("pre-completion")}, reviewer)
			task, _ := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: sensitive}).ID)
			if _, err := w.engine.Consult(t.Context(), tenant, task.ID, "r", nil, consultation.Request{}); fault.ReasonOf(err) != test.want || err != nil && !strings.Contains(err.Error(), "name another target in the metadata of web, then cancel") {
				t.Errorf("Consult() = %v, want %q and what to do", err, test.want)
			}
			if _, _, err := w.engine.ConsultDirectly(t.Context(), tenant, task.ID, "r", nil, consultation.Request{}); test.want != "" && fault.ReasonOf(err) != test.want {
				t.Errorf("ConsultDirectly() = %v, want %s", err, test.want)
			}
		})
	}
}

func TestAnAgentDoesNotReviewWhatItMadeInAStepBefore(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ reviewer, phase, want string }{
		"what the next agent begins with": {"analyst", "pre-execution", "SELF_REVIEW"},
		"the same under another name":     {"analyst-too", "pre-execution", "SELF_REVIEW"},
		"what the next agent made of it":  {"analyst", "pre-completion", ""},
		"who comes after it":              {"builder", "pre-execution", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			agents := threeInAChain()
			agents[1].requirements = []agentcard.ConsultationRequirement{{ID: "r", TargetAgent: test.reviewer, Phase: test.phase, Mandatory: true}}
			agents[0].at = "https://analyst.example"
			w := newWorld(t, append(agents, &actor{name: "analyst-too", at: "https://analyst.example:443/", play: delivers("fine")})...)
			task, _ := w.await(w.submit(chained()).ID)
			_, err := w.engine.Consult(t.Context(), tenant, task.Plan.Steps[1].TaskID, "r", nil, consultation.Request{})
			if fault.ReasonOf(err) != test.want || err != nil && !strings.Contains(err.Error(), "step before") {
				t.Errorf("Consult() = %v, want %q", err, test.want)
			}
		})
	}
}

func TestNobodyAsksAnAgentItselfThatIsNotRegistered(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &actor{name: "web", play: delivers("the page"), requirements: requirement("pre-completion")})
	task, _ := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: sensitive}).ID)
	if _, _, err := w.engine.ConsultDirectly(t.Context(), tenant, task.ID, "r", nil, consultation.Request{}); fault.ReasonOf(err) != "AGENT_NOT_FOUND" {
		t.Errorf("ConsultDirectly() = %v, want AGENT_NOT_FOUND", err)
	}
}

func TestAnAgentReviewsWhatAnotherIsGivenAtTheSameTime(t *testing.T) {
	t.Parallel()
	first, second := &actor{name: "a", skill: "work", play: delivers("a")}, &actor{name: "b", skill: "work", play: delivers("b")}
	first.requirements = []agentcard.ConsultationRequirement{{ID: "r", TargetAgent: "b", Phase: "pre-execution", Mandatory: true}}
	second.requirements = []agentcard.ConsultationRequirement{{ID: "r", TargetAgent: "a", Phase: "pre-execution", Mandatory: true}}
	w := newWorld(t, first, second)
	task, _ := w.await(w.submit(engine.Submission{Route: toAll}).ID)
	for _, s := range task.Plan.Steps {
		if _, err := w.engine.Consult(t.Context(), tenant, s.TaskID, "r", nil, consultation.Request{}); err != nil {
			t.Errorf("Consult() about the task of %s = %v, want no error", s.Agent, err)
		}
	}
}
