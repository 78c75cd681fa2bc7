package cli

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/quorate/quorate/platform/fault"
	orchestratorv1 "github.com/quorate/quorate/proto/gen/quorate/orchestrator/v1"
)

// submission holds the flags of tasks submit.
type submission struct {
	to         routeFlags
	message    messageFlags
	inputs     []string
	attributes []string
	requestID  string
	deadline   time.Duration
	watch      bool
}

func (a *app) tasksSubmit() *cobra.Command {
	var sub submission
	cmd := &cobra.Command{
		Use:   "submit",
		Short: "Submit a task to an agent, or to one that is chosen",
		Example: "  quorate tasks submit --agent web-fetch --text 'Fetch https://example.com' --watch\n" +
			"  quorate tasks submit --skill fetch_url --text 'Fetch https://example.com' --attr handling_sensitive_data=true\n" +
			"  quorate tasks submit --skill fetch_url --fan-out any --text 'Fetch https://example.com' --watch",
		Args: arguments(),
		RunE: a.calls(func(ctx context.Context, s *session, _ []string) error { return a.submit(ctx, s, &sub) }),
	}
	flags := cmd.Flags()
	sub.to.add(cmd)
	sub.message.add(cmd, "what to do", "file that says what to do; - reads stdin")
	flags.StringArrayVar(&sub.attributes, "attr", nil, "key=value that rules look at, repeated; JSON is what it says: true, 7, \"7\" and [\"a\"] are a boolean, a number, a string and a list")
	flags.StringArrayVar(&sub.inputs, "input", nil, inputFlag)
	flags.Var((*nonEmpty)(&sub.requestID), "request-id", "makes a repeated request return the first task, with its deadline (default random)")
	flags.DurationVar(&sub.deadline, "deadline", 0, "how long the task may take, such as 10m (default 24h, at most 720h)")
	flags.BoolVar(&sub.watch, "watch", false, "follow the task to its end, or to where it waits")
	return cmd
}

func (a *app) submit(ctx context.Context, s *session, sub *submission) error {
	request, err := a.submitRequest(sub)
	if err != nil {
		return err
	}
	task := &orchestratorv1.Task{}
	if err := s.postOnce(ctx, "/v1/tasks", request, task); err != nil {
		a.doubt(err, request.GetRequestId())
		return err
	}
	if sub.watch {
		return a.watch(ctx, s, task.GetId(), false)
	}
	return a.show(task, func() {
		a.taskDetails(task)
		a.err.line("follow it: quorate tasks watch %s", task.GetId())
	})
}

// doubt says how to repeat a request that was not answered but may have been accepted; a new request would make a second task.
func (a *app) doubt(err error, requestID string) {
	ended := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	broken := fault.ReasonOf(err) == "SERVER_UNREACHABLE" && reach(err) == "" // if there is advice, nothing was sent
	proxy := fault.ReasonOf(err) == "UNEXPECTED_ANSWER" && fault.KindOf(err) == fault.Unavailable
	if ended || broken || proxy {
		a.err.line("it may have been accepted; the same with --request-id %s is done once", requestID)
	}
}

func (a *app) submitRequest(sub *submission) (*orchestratorv1.SubmitTaskRequest, error) {
	request := &orchestratorv1.SubmitTaskRequest{RequestId: requestID(sub.requestID)}
	if sub.deadline < 0 {
		return nil, usage("--deadline must be longer than 0")
	}
	if sub.deadline > 0 {
		request.Deadline = timestamppb.New(time.Now().Add(sub.deadline))
	}
	var err error
	if request.Route, err = sub.to.route(); err != nil {
		return nil, err
	}
	if request.Attributes, err = pairs("--attr", sub.attributes); err != nil {
		return nil, err
	}
	if request.Inputs, err = taskInputs(sub.inputs); err != nil {
		return nil, err
	}
	request.Message, err = a.message(&sub.message)
	return request, err
}
