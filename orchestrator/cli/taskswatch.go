package cli

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/pause"
	orchestratorv1 "github.com/quorate/quorate/proto/gen/quorate/orchestrator/v1"
)

func (a *app) tasksWatch() *cobra.Command {
	var throughGates bool
	cmd := &cobra.Command{
		Use:     "watch TASK",
		Short:   "Follow a task to its end, or to where it waits",
		Example: "  quorate tasks watch 01jb9x --through-gates",
		Args:    arguments("TASK"),
		RunE: a.calls(func(ctx context.Context, s *session, args []string) error {
			if _, err := s.task(ctx, args[0]); err != nil { // fails at once, while a broken watch is retried
				return err
			}
			return a.watch(ctx, s, args[0], throughGates)
		}),
	}
	cmd.Flags().BoolVar(&throughGates, "through-gates", false, "go on while a gate blocks the task or its agent waits for its caller, until it ends")
	return cmd
}

const (
	maxBreaks = 6 // in a row, without an event in between
	maxPause  = 4 * time.Second
)

// watch prints the events of a task as they happen, and then the task. It resumes a broken stream behind the last event.
func (a *app) watch(ctx context.Context, s *session, id string, throughGates bool) error {
	left := func(err error) error {
		a.err.line("the task goes on; follow it: quorate tasks watch %s", id)
		return err
	}
	w := &watch{app: a}
	delay := firstPause
	for breaks := 1; w.task == nil; breaks++ {
		before := w.last
		err := w.follow(ctx, s, id, throughGates)
		switch {
		case w.task != nil:
			continue
		case ctx.Err() != nil:
			return left(ctx.Err())
		case err == nil:
			err = fault.New(fault.Unavailable, "STREAM_BROKEN", "the server ended the stream before the task ended")
		case fault.KindOf(err) != fault.Unavailable:
			return err
		}
		if w.last > before {
			breaks, delay = 1, firstPause
		}
		if breaks == maxBreaks {
			return left(fmt.Errorf("following task %s: %w", id, err))
		}
		a.err.line("the connection is lost; trying again in %v", delay)
		if pause.For(ctx, delay) != nil {
			return left(ctx.Err())
		}
		delay = min(2*delay, maxPause)
	}
	if err := a.finish(w.task); err != nil {
		return err
	}
	return result(w.task)
}

// watch is the state of a watch across its streams.
type watch struct {
	app  *app
	last uint64               // number of the last event printed
	task *orchestratorv1.Task // the task at the end
}

func (w *watch) follow(ctx context.Context, s *session, id string, throughGates bool) error {
	query := url.Values{"after_sequence": {strconv.FormatUint(w.last, 10)}}
	if throughGates {
		query.Set("through_gates", "true")
	}
	newMessage := func() proto.Message { return &orchestratorv1.WatchTaskResponse{} }
	return s.stream(ctx, taskPath(id)+":watch", query, newMessage, func(m proto.Message) error {
		response, ok := m.(*orchestratorv1.WatchTaskResponse)
		if !ok {
			return fmt.Errorf("watching task %s: unexpected message %T", id, m)
		}
		if response.GetTask() != nil {
			w.task = response.GetTask()
		}
		if event := response.GetEvent(); event.GetSequence() > w.last {
			w.last = event.GetSequence()
			return w.app.event(event)
		}
		return nil
	})
}

// event prints one event as one line.
func (a *app) event(event *orchestratorv1.TaskEvent) error {
	if a.json {
		return a.jsonLine(event)
	}
	a.out.line("%s  %-12s  %-14s  %s", a.clock(event.GetTime()), event.GetType(), stateName(event.GetState()), event.GetDetail())
	return a.out.err
}

// finish prints the state of a task after its last event.
func (a *app) finish(task *orchestratorv1.Task) error {
	if a.json {
		return a.jsonLine(task)
	}
	a.out.line("")
	a.out.line("%s  task %s", stateName(task.GetState()), task.GetId())
	if task.GetError() != nil {
		a.out.line("%s", taskError(task.GetError()))
	}
	if gate := blockedBy(task); gate.GetPhase() == string(orchestrator.PhaseOnError) { // there the error says what went wrong, and not what is missing
		for _, r := range gate.GetRequirements() {
			if blocks(r) {
				a.out.line("%s: %s", r.GetCode(), r.GetReason())
			}
		}
	}
	a.delivered(task)
	if waits(task) {
		a.err.line("the agent waits for its caller: quorate tasks reply %s --text …", task.GetId())
	}
	if task.GetError() != nil || blockedBy(task) != nil {
		a.err.line("see why: quorate tasks explain %s", task.GetId())
	}
	return a.out.err
}
