package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/spf13/cobra"

	consultationv1 "github.com/quorate/quorate/proto/gen/quorate/consultation/v1"
	orchestratorv1 "github.com/quorate/quorate/proto/gen/quorate/orchestrator/v1"
)

func (a *app) tasksExplain() *cobra.Command {
	return &cobra.Command{
		Use:     "explain TASK",
		Short:   "Tell why a task went where it went, and what its gates looked for and found",
		Example: "  quorate tasks explain 01jb9x",
		Args:    arguments("TASK"),
		RunE: a.calls(func(ctx context.Context, s *session, args []string) error {
			task, err := s.task(ctx, args[0])
			if err != nil {
				return err
			}
			check, err := s.check(ctx, args[0], "")
			if err != nil {
				return err
			}
			if a.json {
				return a.explanation(task, check)
			}
			vain, err := s.vain(ctx, task)
			if err != nil {
				return err
			}
			a.taskDetails(task)
			a.out.line("")
			a.route(task.GetExplanation())
			a.chain(task.GetExplanation().GetChain())
			a.plan(task.GetPlan())
			a.attempts(task.GetAttempts())
			a.vain(vain)
			a.gates(task.GetGates(), check)
			a.out.line("")
			a.out.line("Next: %s", nextStep(task, check, vain))
			return nil
		}),
	}
}

// explanation prints what the server says of a task and its gates as one JSON document.
func (a *app) explanation(task *orchestratorv1.Task, check *consultationv1.CheckConsultationsResponse) error {
	about, err := answerJSON(task)
	if err != nil {
		return err
	}
	found, err := answerJSON(check)
	if err != nil {
		return err
	}
	return a.document(fmt.Appendf(nil, `{"task":%s,"check":%s}`, about, found))
}

func (a *app) route(decision *orchestratorv1.RouteDecision) {
	a.out.line("Route: %s", chosen(decision))
	var rows [][]string
	for _, c := range decision.GetCandidates() {
		rows = append(rows, []string{
			"candidate", c.GetAgent(), strconv.FormatFloat(c.GetScore(), 'f', 2, 64), strings.Join(c.GetReasons(), "; "),
		})
	}
	for _, r := range decision.GetRejected() {
		rows = append(rows, []string{"rejected", r.GetAgent(), r.GetCode(), r.GetReason()})
	}
	a.out.table("  ", rows)
}

func chosen(decision *orchestratorv1.RouteDecision) string {
	switch {
	case decision.GetRefused() != "":
		return "refused: " + decision.GetRefused()
	case len(decision.GetFanOut()) > 0:
		return "chose " + strings.Join(decision.GetFanOut(), ", ") + " at the same time"
	case len(decision.GetChain()) > 0 && decision.GetChosen() == "":
		return "no agent alone; several one after the other"
	default:
		return "chose " + decision.GetChosen()
	}
}

// plan prints the steps of a task that several agents do.
func (a *app) plan(p *orchestratorv1.Plan) {
	var rows [][]string
	for i, s := range p.GetSteps() {
		how := "not started"
		if s.GetTaskId() != "" || s.GetError() != nil {
			how = stateName(s.GetState())
		}
		if s.GetError() != nil {
			how += ", " + taskError(s.GetError())
		}
		rows = append(rows, []string{strconv.Itoa(i + 1), s.GetAgent(), s.GetTaskId(), how})
	}
	a.section(fmt.Sprintf("Steps (%s, %d needed)", p.GetMode(), p.GetNeeded()), rows)
}

func (a *app) attempts(attempts []*orchestratorv1.Attempt) {
	var rows [][]string
	for _, attempt := range attempts {
		how := "runs"
		if attempt.GetEndTime() != nil {
			how = "ended " + a.when(attempt.GetEndTime())
		}
		if attempt.GetError() != nil {
			how += ", " + taskError(attempt.GetError())
		}
		sent := "sent " + a.when(attempt.GetStartTime())
		if id := attempt.GetRemoteTaskId(); id != "" {
			sent += " as " + id // what the agent's own log calls it
		}
		rows = append(rows, []string{strconv.Itoa(int(attempt.GetNumber())), attempt.GetAgent(), attempt.GetBinding(), sent, how})
	}
	a.section("Attempts", rows)
}

// vain returns the consultations without a verdict of a task that did not complete. No gate may tell of them: an agent that consults by itself ends without
// delivering when that fails, and its words are held back.
func (s *session) vain(ctx context.Context, task *orchestratorv1.Task) ([]*consultationv1.Consultation, error) {
	if !ended(task) || task.GetState() == a2apb.TaskState_TASK_STATE_COMPLETED {
		return nil, nil
	}
	all, err := s.consultations(ctx, task.GetId())
	return slices.DeleteFunc(all.GetConsultations(), func(c *consultationv1.Consultation) bool {
		return c.GetState() != "failed" && c.GetState() != "expired"
	}), err
}

func (a *app) vain(consultations []*consultationv1.Consultation) {
	var rows [][]string
	for _, c := range consultations {
		rows = append(rows, []string{c.GetRequirementId(), c.GetTargetAgent(), fmt.Sprintf("attempt %d", c.GetAttempt()), c.GetState(), c.GetFeedback()})
	}
	a.section("Consultations without a verdict", rows)
}

// gates prints the gates as the task met them. A phase without a gate so far, and evidence that has changed since its gate, follow.
func (a *app) gates(gates []*orchestratorv1.Gate, check *consultationv1.CheckConsultationsResponse) {
	seen := make(map[string]string) // verdict by phase and requirement
	key := func(r *consultationv1.RequirementVerdict) string { return r.GetPhase() + " " + r.GetId() }
	for _, gate := range gates {
		a.out.line("")
		a.out.line("Gate %s: %s, checked %s", gate.GetPhase(), choose(gate.GetAllowed(), "allowed", "BLOCKED"), a.when(gate.GetCheckTime()))
		for _, requirement := range gate.GetRequirements() {
			seen[key(requirement)] = requirement.GetVerdict()
			a.requirement(requirement)
		}
	}
	var news []*consultationv1.RequirementVerdict
	for _, requirement := range check.GetRequirements() {
		if verdict, ok := seen[key(requirement)]; !ok || verdict != requirement.GetVerdict() {
			news = append(news, requirement)
		}
	}
	if len(news) > 0 {
		a.out.line("")
		a.out.line("Since then, or not checked by a gate yet")
	}
	for _, requirement := range news {
		a.requirement(requirement)
	}
}

// requirement prints one requirement with its verdict and the evidence.
func (a *app) requirement(r *consultationv1.RequirementVerdict) {
	verdict := strings.TrimSpace(r.GetVerdict() + " " + r.GetCode())
	if !r.GetApplies() {
		verdict = "does not apply"
	}
	a.out.line("  %s: %s %s, %s: %s", r.GetId(), r.GetTargetAgent(), r.GetPhase(), choose(r.GetMandatory(), "mandatory", "recommended"), verdict)
	a.out.table("    ", fields("looked for", r.GetLookedFor(), "found", r.GetFound(), "level", levels(r), "reason", r.GetReason()))
	for _, e := range r.GetEvidence() {
		by := cmp.Or(e.GetRecorder(), "an unknown recorder")
		if e.GetBackend() != "" {
			by += ", found in " + e.GetBackend() + ","
		}
		a.out.line("    evidence: %s by %s %s, attempt %d, level %s, trace %s span %s", e.GetOutcome(), by,
			a.when(e.GetTimestamp()), e.GetAttempt(), e.GetLevel(), e.GetTraceId(), e.GetSpanId())
		if e.GetFeedback() != "" {
			a.out.text("      | ", e.GetFeedback())
		}
	}
}

// levels says which level the evidence has, and which it needs; empty for a server that does not say.
func levels(r *consultationv1.RequirementVerdict) string {
	switch {
	case r.GetRequiredLevel() == "":
		return ""
	case r.GetReachedLevel() == "":
		return r.GetRequiredLevel() + " is needed"
	}
	return r.GetReachedLevel() + ", and " + r.GetRequiredLevel() + " is needed"
}

// nextStep returns the command to try next.
func nextStep(task *orchestratorv1.Task, check *consultationv1.CheckConsultationsResponse, vain []*consultationv1.Consultation) string {
	switch {
	case task.GetState() == a2apb.TaskState_TASK_STATE_COMPLETED:
		return "quorate tasks get " + task.GetId()
	case waits(task):
		return "quorate tasks reply " + task.GetId() + " --text …"
	case task.GetPlan() != nil:
		return nextOfPlan(task)
	case len(vain) > 0 && vain[len(vain)-1].GetCarrierTaskId() != "":
		return "quorate tasks explain " + vain[len(vain)-1].GetCarrierTaskId()
	case ended(task):
		return "quorate agents get " + task.GetAgent()
	}
	for _, r := range check.GetRequirements() {
		if !blocks(r) {
			continue
		}
		switch r.GetVerdict() {
		case "pending":
			return "quorate consultations list " + task.GetId()
		case "unavailable": // the evidence cannot be read, and the server tries again
			return "quorate tasks watch " + task.GetId()
		default:
			return "quorate consultations request " + task.GetId() + " --requirement " + r.GetId() + " --wait"
		}
	}
	return "quorate tasks watch " + task.GetId()
}

// nextOfPlan returns the command that shows the most important step: the first that waits or has failed.
func nextOfPlan(task *orchestratorv1.Task) string {
	for _, s := range task.GetPlan().GetSteps() {
		switch s.GetState() {
		case a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, a2apb.TaskState_TASK_STATE_AUTH_REQUIRED, a2apb.TaskState_TASK_STATE_FAILED, a2apb.TaskState_TASK_STATE_REJECTED:
			if s.GetTaskId() != "" {
				return "quorate tasks explain " + s.GetTaskId()
			}
			return "quorate agents get " + s.GetAgent()
		default:
		}
	}
	return choose(ended(task), "quorate tasks get ", "quorate tasks watch ") + task.GetId()
}
