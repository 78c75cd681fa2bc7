package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/quorate/quorate/orchestrator"
	orchestratorv1 "github.com/quorate/quorate/proto/gen/quorate/orchestrator/v1"
)

func (a *app) tasksReply() *cobra.Command {
	var said messageFlags
	var givenID string
	var watch bool
	cmd := &cobra.Command{
		Use:   "reply TASK",
		Short: "Answer the agent of a task that waits for its caller",
		Long: "Answer the agent of a task that waits for its caller: one in state INPUT_REQUIRED or AUTH_REQUIRED that no gate blocks.\n" +
			"The agent gets the message in the same task, once, and the task goes on. A task that several agents do has them ask one\n" +
			"after the other; the answer is for the one whose question it shows.",
		Example: "  quorate tasks reply 01jb9x --text 'the second one' --watch",
		Args:    arguments("TASK"),
		RunE: a.calls(func(ctx context.Context, s *session, args []string) error {
			request := &orchestratorv1.ReplyToTaskRequest{Id: args[0], RequestId: requestID(givenID)}
			var err error
			if request.Message, err = a.message(&said); err != nil {
				return err
			}
			task := &orchestratorv1.Task{}
			if err := s.postOnce(ctx, taskPath(args[0])+":reply", request, task); err != nil {
				a.doubt(err, request.GetRequestId())
				return err
			}
			if watch {
				return a.watch(ctx, s, task.GetId(), false)
			}
			return a.show(task, func() {
				a.out.line("%s  %s", task.GetId(), stateName(task.GetState()))
				a.err.line("follow it: quorate tasks watch %s", task.GetId())
			})
		}),
	}
	flags := cmd.Flags()
	said.add(cmd, "what to tell the agent", "file that says it; - reads stdin")
	flags.Var((*nonEmpty)(&givenID), "request-id", "makes a repeated reply the first one (default random)")
	flags.BoolVar(&watch, "watch", false, "follow the task to its end, or to where it waits again")
	return cmd
}

// waits reports whether the task's agent, or that of one of its steps, waits for the task's caller.
func waits(task *orchestratorv1.Task) bool {
	return task.GetPhase() == "execution" && orchestrator.Interrupted(task.GetState()) && (task.GetPlan() == nil || task.GetError() == nil)
}

// waitingStep returns the step for which a task waits, or nil.
func waitingStep(task *orchestratorv1.Task) *orchestratorv1.PlanStep {
	if n, steps := int(task.GetPlan().GetWaitingStep()), task.GetPlan().GetSteps(); n > 0 && n <= len(steps) {
		return steps[n-1]
	}
	return nil
}
