package cli

import (
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/spf13/cobra"

	"github.com/quorate/quorate/orchestrator"
	consultationv1 "github.com/quorate/quorate/proto/gen/quorate/consultation/v1"
	orchestratorv1 "github.com/quorate/quorate/proto/gen/quorate/orchestrator/v1"
)

func (a *app) tasks() *cobra.Command {
	cmd := a.clients("tasks", "Submit tasks and follow them", "task")
	cmd.AddCommand(a.tasksSubmit(), a.tasksGet(), a.tasksList(), a.tasksWatch(), a.tasksReply(), a.tasksCancel(), a.tasksExplain())
	return cmd
}

// stateName returns a state without A2A's prefix.
func stateName(state a2apb.TaskState) string {
	return strings.TrimPrefix(state.String(), "TASK_STATE_")
}

// blockedBy returns the gate that blocks the task, or nil.
func blockedBy(task *orchestratorv1.Task) *orchestratorv1.Gate {
	gates := task.GetGates()
	if task.GetState() != a2apb.TaskState_TASK_STATE_INPUT_REQUIRED || len(gates) == 0 || gates[len(gates)-1].GetAllowed() {
		return nil
	}
	return gates[len(gates)-1]
}

// blocks reports whether a requirement keeps its gate closed.
func blocks(r *consultationv1.RequirementVerdict) bool {
	return r.GetApplies() && r.GetMandatory() && r.GetVerdict() != "approved"
}

func ended(task *orchestratorv1.Task) bool { return orchestrator.Terminal(task.GetState()) }

// result returns the error, for its exit code, of a task that was followed until it ended or waits.
func result(task *orchestratorv1.Task) error {
	switch {
	case task.GetState() == a2apb.TaskState_TASK_STATE_COMPLETED:
		return nil
	case ended(task):
		return &resultError{code: exitTaskFailed}
	case blockedBy(task) != nil, waits(task), waitingStep(task) != nil:
		return &resultError{code: exitBlocked}
	default:
		return &resultError{code: exitOther}
	}
}
