package cli

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/spf13/cobra"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/orchestrator"
	orchestratorv1 "github.com/quorate/quorate/proto/gen/quorate/orchestrator/v1"
)

func (a *app) tasksGet() *cobra.Command {
	return &cobra.Command{
		Use:     "get TASK",
		Short:   "Show one task with what the agent delivered",
		Example: "  quorate tasks get 01jb9x",
		Args:    arguments("TASK"),
		RunE: a.calls(func(ctx context.Context, s *session, args []string) error {
			task, err := s.task(ctx, args[0])
			if err != nil {
				return err
			}
			return a.show(task, func() {
				a.taskDetails(task)
				a.delivered(task)
			})
		}),
	}
}

func (a *app) taskDetails(task *orchestratorv1.Task) {
	var attributes []string
	for _, key := range slices.Sorted(maps.Keys(task.GetAttributes())) {
		attributes = append(attributes, key+"="+jsonText(task.GetAttributes()[key]))
	}
	withheld, attempts := "", ""
	if n := task.GetWithheldArtifacts(); n > 0 {
		withheld = fmt.Sprintf("artifacts: %d, %s", n, choose(ended(task), "since no gate opened", "until the gate opens"))
	}
	if n := len(task.GetAttempts()); n > 0 {
		attempts = strconv.Itoa(n)
	}
	a.out.table("", fields(
		"Task", task.GetId(),
		"State", stateName(task.GetState()),
		"Phase", task.GetPhase(),
		"Agent", task.GetAgent(),
		"Skill", task.GetSkill(),
		"Attributes", strings.Join(attributes, " "),
		"Error", taskError(task.GetError()),
		"Withheld", withheld,
		"Attempts", attempts,
		"Serves", task.GetParentTaskId(),
		"Context", task.GetContextId(),
		"Trace", task.GetTraceId(),
		"Accepted", a.when(task.GetCreateTime()),
		"Changed", a.when(task.GetUpdateTime()),
		"Deadline", a.when(task.GetDeadline()),
	))
}

func taskError(e *orchestratorv1.TaskError) string {
	if e == nil {
		return ""
	}
	return e.GetReason() + ": " + e.GetMessage()
}

// delivered prints the artifacts, and the agent's last message when there are none or the agent asks.
func (a *app) delivered(task *orchestratorv1.Task) {
	for _, artifact := range task.GetArtifacts() {
		a.out.line("")
		several := task.GetPlan() != nil && task.GetPlan().GetMode() != "chain" // the artifact's id then says who made it
		a.out.line("Artifact %s", choose(artifact.GetName() != "" && !several, artifact.GetName(), artifact.GetArtifactId()))
		a.parts(orchestrator.JoinTexts(artifact.GetParts()))
	}
	if parts := task.GetStatusMessage().GetParts(); (len(task.GetArtifacts()) == 0 || orchestrator.Interrupted(task.GetState())) && len(parts) > 0 {
		a.out.line("")
		a.out.line("%s says", cmp.Or(waitingStep(task).GetAgent(), task.GetAgent()))
		a.parts(parts)
	}
}

func (a *app) parts(parts []*a2apb.Part) {
	for _, part := range parts {
		switch content := part.GetContent().(type) {
		case *a2apb.Part_Text:
			a.out.text("", content.Text)
		case *a2apb.Part_Data:
			a.out.text("", jsonText(content.Data))
		case *a2apb.Part_Url:
			a.out.line("%s", content.Url)
		case *a2apb.Part_Raw:
			a.out.line("[%d bytes %s %s; -o json shows them in base64]", len(content.Raw), part.GetMediaType(), part.GetFilename())
		}
	}
}

// jsonText formats m as JSON for people.
func jsonText(m proto.Message) string {
	content, err := compactJSON(m)
	if err != nil {
		return err.Error()
	}
	return string(content)
}
