package engine

import (
	"context"
	"fmt"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
)

// Subjects returns what the requirements of a task are judged on, in all phases up to its present one, or at the gates that it came to before it
// ended: the task itself or, when it has a plan, the tasks of the steps that have begun; once the plan is completed, of those that completed it. Of a step
// that is about to begin, it says that it has not.
func (e *Engine) Subjects(ctx context.Context, tenant, taskID string) ([]consultation.Subject, error) {
	t, err := e.Store.Task(ctx, orchestrator.Key{Tenant: tenant, ID: taskID})
	if err != nil {
		return nil, err
	}
	if t.Plan == nil {
		return []consultation.Subject{judgedSubject(&t)}, nil
	}
	var list []consultation.Subject
	goesOn := !t.Ended() && !t.CancelAsked && t.Plan.Completed() < t.Plan.Need && !t.Plan.CannotSucceed()
	for i := range t.Plan.Steps {
		if t.Plan.Steps[i].TaskID == "" {
			if goesOn && t.Plan.Due(i) {
				list = append(list, consultation.Subject{Tenant: tenant, SourceAgent: t.Plan.Steps[i].Agent, NotBegun: true})
			}
			continue
		}
		child, err := e.Store.Task(ctx, orchestrator.Key{Tenant: tenant, ID: t.Plan.Steps[i].TaskID})
		if fault.KindOf(err) == fault.NotFound { // it ended long ago
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("look at step %d of task %s: %w", i+1, t.ID, err)
		}
		if t.State == a2apb.TaskState_TASK_STATE_COMPLETED && child.State != a2apb.TaskState_TASK_STATE_COMPLETED {
			continue // others sufficed
		}
		list = append(list, judgedSubject(&child))
	}
	return list, nil
}

// judgedSubject returns what the requirements of a task are judged on.
func judgedSubject(t *orchestrator.Task) consultation.Subject {
	if t.Phase != orchestrator.PhaseDone {
		return subject(t, reachedPhases(t)...)
	}
	s := subject(t)
	s.Ended = true
	for _, g := range t.Gates {
		s.Phases = append(s.Phases, string(g.Phase))
		s.Digests[string(g.Phase)] = g.Digest
	}
	return s
}

// reachedPhases lists the phases whose requirements apply to a task by now, in order.
func reachedPhases(t *orchestrator.Task) []orchestrator.Phase {
	phases := []orchestrator.Phase{orchestrator.PhasePreExecution}
	switch t.Phase {
	case orchestrator.PhasePreExecution, orchestrator.PhaseExecution:
	case orchestrator.PhaseOnError:
		phases = append(phases, orchestrator.PhaseOnError)
	case orchestrator.PhaseDesignReview:
		phases = append(phases, orchestrator.PhaseDesignReview)
	default:
		phases = append(phases, orchestrator.PhaseDesignReview, orchestrator.PhasePreCompletion)
	}
	return phases
}

// subject returns what the requirements of some phases are judged on.
func subject(t *orchestrator.Task, phases ...orchestrator.Phase) consultation.Subject {
	s := consultation.Subject{
		Tenant: t.Tenant, TaskID: t.ID, TaskTime: t.CreateTime, SourceAgent: t.Agent,
		Attributes: t.Attributes, Requirements: t.Requirements, Digests: make(map[string]string),
	}
	for _, p := range phases {
		s.Phases = append(s.Phases, string(p))
		s.Digests[string(p)] = t.Digest(p)
	}
	return s
}
