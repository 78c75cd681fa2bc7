package rpc

import (
	"context"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
	orchestratorv1 "github.com/quorate/quorate/proto/gen/quorate/orchestrator/v1"
)

// Routes implements orchestratorv1.RouteServiceServer.
type Routes struct {
	orchestratorv1.UnimplementedRouteServiceServer

	engine *engine.Engine
}

var _ orchestratorv1.RouteServiceServer = (*Routes)(nil)

// NewRoutes returns the route service over an engine.
func NewRoutes(e *engine.Engine) *Routes { return &Routes{engine: e} }

// ResolveRoute implements the RPC.
func (s *Routes) ResolveRoute(ctx context.Context, req *orchestratorv1.ResolveRouteRequest) (*orchestratorv1.RouteDecision, error) {
	p, err := Caller(ctx)
	if err != nil {
		return nil, err
	}
	if err := checkMetadata(req.GetMessage()); err != nil {
		return nil, err
	}
	d, err := s.engine.Resolve(ctx, engine.Submission{
		Tenant: p.Tenant, Caller: p.Name, Route: route(req.GetRoute()), Inputs: inputs(req.GetInputs()), Message: req.GetMessage(),
	})
	if err != nil {
		return nil, err
	}
	return decisionToProto(d), nil
}

func route(r *orchestratorv1.Route) orchestrator.Route {
	out := orchestrator.Route{Agent: r.GetAgent(), Skill: r.GetSkill(), Text: r.GetText(), Version: r.GetVersion()}
	if c := r.GetContract(); c != nil {
		out.Contract = &orchestrator.Contract{Output: typed(c.GetOutput())}
		for _, in := range c.GetInputs() {
			out.Contract.Inputs = append(out.Contract.Inputs, typed(in))
		}
	}
	if f := r.GetFanOut(); f != nil {
		out.FanOut = &orchestrator.FanOut{Mode: f.GetMode(), K: int(f.GetK()), Agents: int(f.GetAgents())}
	}
	return out
}

func typed(t *orchestratorv1.Typed) orchestrator.Typed {
	return orchestrator.Typed{Name: t.GetName(), SemanticType: t.GetSemanticType()}
}

// inputs converts inputs; a value becomes a part: a string a text part, anything else a data part.
func inputs(list []*orchestratorv1.TaskInput) []orchestrator.Input {
	var out []orchestrator.Input
	for _, in := range list {
		x := orchestrator.Input{Name: in.GetName(), SemanticType: in.GetSemanticType(), Parts: in.GetParts()}
		if v := in.GetValue(); v != nil {
			part := &a2apb.Part{Content: &a2apb.Part_Data{Data: v}}
			if text, ok := v.AsInterface().(string); ok {
				part.Content = &a2apb.Part_Text{Text: text}
			}
			x.Parts = append(x.Parts, part)
		}
		out = append(out, x)
	}
	return out
}

func decisionToProto(d orchestrator.Decision) *orchestratorv1.RouteDecision {
	p := &orchestratorv1.RouteDecision{Chosen: d.Chosen, Skill: d.Skill, Refused: d.Refused, FanOut: d.FanOut, Omitted: int32(min(d.Omitted, 1<<30))} //nolint:gosec // bounded
	for _, c := range d.Candidates {
		p.Candidates = append(p.Candidates, &orchestratorv1.Candidate{Agent: c.Agent, Skill: c.Skill, Score: c.Score, Reasons: c.Reasons})
	}
	for _, r := range d.Rejected {
		p.Rejected = append(p.Rejected, &orchestratorv1.Rejection{Agent: r.Agent, Code: r.Code, Reason: r.Reason})
	}
	for _, l := range d.Chain {
		p.Chain = append(p.Chain, &orchestratorv1.ChainLink{Agent: l.Agent, Inputs: allToProto(l.Inputs), Output: typedToProto(l.Output)})
	}
	return p
}

func allToProto(list []orchestrator.Typed) []*orchestratorv1.Typed {
	var out []*orchestratorv1.Typed
	for _, t := range list {
		out = append(out, typedToProto(t))
	}
	return out
}

func typedToProto(t orchestrator.Typed) *orchestratorv1.Typed {
	return &orchestratorv1.Typed{Name: t.Name, SemanticType: t.SemanticType}
}
