package router

import (
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
)

// fanOut chooses the best candidates, as many as were asked for.
func (r *Router) fanOut(d orchestrator.Decision, fit []*candidate, f orchestrator.FanOut) (Result, error) {
	most := f.Agents
	if most == 0 {
		most = max(orchestrator.DefaultFanOut, f.K)
	}
	n := size(fit, min(len(fit), most), f.K)
	if f.Mode == orchestrator.PlanK && f.K > n {
		listCandidates(&d, fit)
		return refused(d, fault.New(fault.Unavailable, ReasonTooFew, "%d agents have to complete the task and %d can take it", f.K, n))
	}
	r.choose(fit, n)
	got := Result{}
	for _, c := range fit[:n] {
		c.isTaken("one of the %d best", n)
		d.FanOut = append(d.FanOut, c.agent.Name)
		got.Several = append(got.Several, Pick{Agent: c.agentWithStatus(), Skill: c.skill})
	}
	listCandidates(&d, fit)
	got.Decision = d
	return got, nil
}

// size returns how many of the sorted candidates are taken: at most so many, and none with a drawback that is not needed to have as many as must complete the
// task.
func size(fit []*candidate, most, needed int) int {
	least := fit[min(max(needed, 1), most)-1].drawback
	for fit[most-1].drawback > least {
		most--
	}
	return most
}

// checkFanOut refuses a fan-out that makes no sense.
func checkFanOut(r orchestrator.Route) error {
	f := r.FanOut
	switch {
	case f == nil:
		return nil
	case r.Agent != "":
		return fault.Invalid("route.fan_out", "FAN_OUT_NAMED", "a fan-out needs several agents: route by skill, contract or text instead of by agent")
	case f.Agents < 0 || f.Agents > orchestrator.MaxFanOut:
		return fault.Invalid("route.fan_out.agents", "FAN_OUT_SIZE", "%d agents are asked for; the limit is %d", f.Agents, orchestrator.MaxFanOut)
	case f.Mode == orchestrator.PlanK:
		return checkK(*f)
	case f.K != 0:
		return fault.Invalid("route.fan_out.k", "FAN_OUT_MODE", "k is allowed only with mode %s", orchestrator.PlanK)
	case f.Mode != orchestrator.PlanAll && f.Mode != orchestrator.PlanAny:
		return fault.Invalid("route.fan_out.mode", "FAN_OUT_MODE", "%q is not one of all, any, k_of_n", f.Mode)
	default:
		return nil
	}
}

func checkK(f orchestrator.FanOut) error {
	switch {
	case f.K < 1 || f.K > orchestrator.MaxFanOut:
		return fault.Invalid("route.fan_out.k", "FAN_OUT_SIZE", "mode %s needs k, from 1 to %d, and not %d", orchestrator.PlanK, orchestrator.MaxFanOut, f.K)
	case f.Agents > 0 && f.K > f.Agents:
		return fault.Invalid("route.fan_out.k", "FAN_OUT_SIZE", "%d of %d agents cannot complete a task", f.K, f.Agents)
	default:
		return nil
	}
}
