package engine

import (
	"fmt"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/bounded"
)

// Reasons for which a plan ends.
const (
	reasonSteps    = "STEPS_FAILED"
	reasonTooLarge = "RESULTS_TOO_LARGE"
)

// failure returns why a plan can no longer be completed.
func (r *planRound) failure() *orchestrator.Error {
	var why []string
	for i := range r.plan.Steps {
		if s := &r.plan.Steps[i]; s.Error != nil {
			why = append(why, fmt.Sprintf("step %d (%s): %s", i+1, s.Agent, describeError(s.Error)))
		}
	}
	message := fmt.Sprintf("%d of %d steps had to be completed and %d are: %s", r.plan.Need, len(r.plan.Steps), r.plan.Completed(), strings.Join(why, "; "))
	return &orchestrator.Error{Reason: reasonSteps, Message: bounded.Text(message, maxMessage)}
}

// results returns what a plan's task delivers: for a complete chain, what its last step made; otherwise what the completed steps made, marked with
// their agents, as far as there is room. If that leaves fewer results than needed, it returns an error instead.
func (r *planRound) results(lost bool) (list []*a2apb.Artifact, tooLarge *orchestrator.Error) {
	whole, need := r.plan.Mode == orchestrator.PlanChain && !lost, r.plan.Need
	if whole {
		need = 1
	}
	count, bytes, size, values, kept := 0, 0, 0, 0, 0
	for i := range r.plan.Steps {
		child := r.tasks[i]
		if child == nil || child.State != a2apb.TaskState_TASK_STATE_COMPLETED || whole && i != len(r.plan.Steps)-1 {
			continue
		}
		made := child.Artifacts
		if !whole {
			made = marked(made, r.plan.Steps[i].Agent)
		}
		large, many := sizeOf(made), valuesOf(made)
		count, bytes = count+len(made), bytes+large
		if size+large > orchestrator.MaxTaskBytes || values+many > orchestrator.MaxTaskValues || len(list)+len(made) > orchestrator.MaxArtifacts {
			r.log(i, "there is no room for what it made; task %s has it", r.plan.Steps[i].TaskID)
			continue
		}
		list, size, values, kept = append(list, made...), size+large, values+many, kept+1
	}
	if lost || kept >= need {
		return list, nil
	}
	return nil, &orchestrator.Error{Reason: reasonTooLarge, Message: fmt.Sprintf(
		"the steps made %d artifacts with %d bytes; a task holds at most %d with %d bytes and %d values; each step's task has its own",
		count, bytes, orchestrator.MaxArtifacts, orchestrator.MaxTaskBytes, orchestrator.MaxTaskValues)}
}

// about returns the metadata of the task of a complete chain's last agent. Other results are from several agents, whose tasks have theirs.
func (r *planRound) about(lost bool) *structpb.Struct {
	last := r.tasks[len(r.plan.Steps)-1]
	if r.plan.Mode != orchestrator.PlanChain || lost || last == nil {
		return nil
	}
	return last.Metadata
}

// marked returns copies of artifacts with the agent's name in their ids.
func marked(list []*a2apb.Artifact, agent string) []*a2apb.Artifact {
	out := make([]*a2apb.Artifact, len(list))
	for i, a := range list {
		out[i] = proto.CloneOf(a)
		out[i].ArtifactId = agent + "/" + a.GetArtifactId()
	}
	return out
}

func sizeOf(list []*a2apb.Artifact) (n int) {
	for _, a := range list {
		n += proto.Size(a)
	}
	return n
}

func valuesOf(list []*a2apb.Artifact) (n int) {
	for _, a := range list {
		n += orchestrator.Values(a)
	}
	return n
}
