package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/router"
)

// plannerName is the caller of the tasks of a plan's steps. No principal can have that name: platform/auth reserves the prefix.
const plannerName = "quorate:plan"

// buildPlan turns a decision for several agents into steps. It checks the inputs of the steps that begin; those of the others do not exist yet.
func (e *Engine) buildPlan(ctx context.Context, s *Submission, to *router.Result) (*orchestrator.Plan, error) {
	p := &orchestrator.Plan{Mode: orchestrator.PlanChain}
	for _, in := range s.Inputs {
		p.Inputs = append(p.Inputs, orchestrator.Typed{Name: in.Name, SemanticType: in.SemanticType})
	}
	for _, l := range to.Decision.Chain {
		p.Steps = append(p.Steps, orchestrator.Step{Link: withTaskInputs(l, s.Inputs)})
	}
	p.Need = len(p.Steps)
	if f := s.Route.FanOut; f != nil {
		p.Mode = f.Mode
		e.fanOutToTakers(s, to)
		for _, x := range to.Several {
			p.Steps = append(p.Steps, orchestrator.Step{Link: orchestrator.Link{Agent: x.Agent.Name}, Skill: x.Skill})
		}
		p.Need = stepsNeeded(f, len(p.Steps))
	}
	return p, e.checkFirstSteps(ctx, s, to, p)
}

// withTaskInputs returns a link that says which of the task's inputs it takes: the one with the name that the contract has or, since a contract need not have
// one, that the agent has for it, or else the first of the type.
func withTaskInputs(l orchestrator.Link, inputs []orchestrator.Input) orchestrator.Link {
	l.Takes = slices.Clone(l.Takes)
	for _, meant := range []func(orchestrator.Input, orchestrator.Typed, string) bool{
		func(in orchestrator.Input, want orchestrator.Typed, _ string) bool { return in.Name == want.Name },
		func(in orchestrator.Input, _ orchestrator.Typed, as string) bool { return in.Name == as },
		func(in orchestrator.Input, want orchestrator.Typed, _ string) bool {
			return want.Name == "" && in.SemanticType == want.SemanticType
		},
	} {
		for i := range l.Takes {
			t := &l.Takes[i]
			if t.From > 0 || t.Item != "" {
				continue
			}
			found := func(in orchestrator.Input) bool { return !takes(l.Takes, in.Name) && meant(in, l.Inputs[i], t.As) }
			if at := slices.IndexFunc(inputs, found); at >= 0 {
				t.Item = inputs[at].Name
			}
		}
	}
	return l
}

// stepContent returns what the agent of a step gets that is due: the message of the plan's task, with those of its inputs and of the earlier steps'
// results that the step takes. A step that takes nothing in particular gets all inputs, and inputs that no step takes stay in the message for all. tasks are
// those of the earlier steps.
func stepContent(whole *a2apb.Message, plan *orchestrator.Plan, i int, tasks map[int]*orchestrator.Task) (*a2apb.Message, []orchestrator.Input) {
	parts := make(map[string][]*a2apb.Part)
	m := proto.CloneOf(whole)
	m.MessageId = "" // each task has its own
	if plan.Mode == orchestrator.PlanChain && i < len(plan.Steps)-1 {
		m = orchestrator.WithoutModes(m) // what it makes is for other agents
	}
	m.Parts = slices.DeleteFunc(m.GetParts(), func(p *a2apb.Part) bool {
		name := p.GetMetadata().GetFields()[router.InputKey].GetStringValue()
		if !isStepInput(plan, i, name) {
			return false
		}
		parts[name] = append(parts[name], p)
		return true
	})
	var inputs []orchestrator.Input
	if plan.Mode != orchestrator.PlanChain {
		for _, in := range plan.Inputs {
			inputs = append(inputs, orchestrator.Input{Name: in.Name, SemanticType: in.SemanticType, Parts: parts[in.Name]})
		}
		return m, inputs
	}
	for j, take := range plan.Steps[i].Takes {
		in := orchestrator.Input{Name: take.As, SemanticType: plan.Steps[i].Inputs[j].SemanticType, Parts: parts[take.Item]}
		if take.From > 0 {
			in.Parts = artifactParts(namedArtifacts(tasks[take.From-1].Artifacts, take.Item))
		}
		if len(in.Parts) > 0 {
			inputs = append(inputs, in)
		}
	}
	return m, inputs
}

// isStepInput reports whether an input of a plan's task, of this name, is not left in the message for step i: steps get it as their own input, or step i gets
// something else under that name.
func isStepInput(plan *orchestrator.Plan, i int, name string) bool {
	if !slices.ContainsFunc(plan.Inputs, func(in orchestrator.Typed) bool { return in.Name == name }) {
		return false
	}
	return plan.Mode != orchestrator.PlanChain ||
		slices.ContainsFunc(plan.Steps[i].Takes, func(t orchestrator.Take) bool { return t.As == name }) ||
		slices.ContainsFunc(plan.Steps, func(s orchestrator.Step) bool { return takes(s.Takes, name) })
}

// takes reports whether an input of the task is taken.
func takes(list []orchestrator.Take, name string) bool {
	return slices.ContainsFunc(list, func(t orchestrator.Take) bool { return t.From == 0 && t.Item == name })
}

// artifactParts returns the parts of artifacts as an input. Few agents expect one text as several parts.
func artifactParts(artifacts []*a2apb.Artifact) []*a2apb.Part {
	var parts []*a2apb.Part
	for _, a := range artifacts {
		parts = append(parts, orchestrator.JoinTexts(a.GetParts())...)
	}
	return parts
}

// namedArtifacts returns the artifacts with a name, or all when none has it: few agents name their artifacts as they declare their outputs.
func namedArtifacts(list []*a2apb.Artifact, name string) []*a2apb.Artifact {
	var out []*a2apb.Artifact
	for _, a := range list {
		if a.GetName() == name || a.GetArtifactId() == name {
			out = append(out, a)
		}
	}
	if len(out) == 0 {
		return list
	}
	return out
}

// agentNames describes in words which agents do a task.
func agentNames(t *orchestrator.Task) string {
	if t.Plan == nil {
		return "agent " + t.Agent
	}
	var names []string
	for i := range t.Plan.Steps {
		names = append(names, t.Plan.Steps[i].Agent)
	}
	return fmt.Sprintf("%d agents (%s): %s", len(names), cmp.Or(t.Plan.Mode, orchestrator.PlanChain), strings.Join(names, ", "))
}

// stepsNeeded returns how many of the steps of a fan-out have to be completed.
func stepsNeeded(f *orchestrator.FanOut, steps int) int {
	switch f.Mode {
	case orchestrator.PlanAny:
		return 1
	case orchestrator.PlanK:
		return f.K
	default:
		return steps
	}
}
