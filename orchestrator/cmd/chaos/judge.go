package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/agents/kit"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/pause"
	orchestratorv1 "github.com/quorate/quorate/proto/gen/quorate/orchestrator/v1"
)

const (
	judges    = 32 // tasks that are looked at at a time
	lateTries = 20 // to read a task when the time for its end is over; on a machine with much else to do a replica takes its time to answer
)

// verdict is what became of a task.
type verdict struct {
	accepted
	problem  string   // empty when it ended once, as it should
	messages []string // that were for its agents
	log      []string // the task's events
	end      time.Time
}

// judge waits until all tasks have ended, compares them with what the agents have noted and prints the result.
func (l *load) judge(ctx context.Context, disturbances []disturbance, out io.Writer) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	verdicts := make([]verdict, len(l.accepted))
	var running sync.WaitGroup
	queue := make(chan int)
	for range judges {
		running.Go(func() {
			for i := range queue {
				verdicts[i] = l.world.look(ctx, l.accepted[i])
			}
		})
	}
	for i := range l.accepted {
		queue <- i
	}
	close(queue)
	running.Wait()
	return l.print(out, verdicts, disturbances)
}

// look follows a task to its end by its log, on whatever replica answers. The client's own time-out bounds each try. What has ended in time is read to
// the end even when the time is over: it is not lost because the replicas are slow.
func (w *world) look(ctx context.Context, a accepted) verdict {
	v := verdict{accepted: a}
	reading := context.WithoutCancel(ctx)
	for try, late := 0, 0; ; try++ {
		r := w.replicas[try%len(w.replicas)]
		task, ends, err := v.follow(reading, r)
		if fault.KindOf(err) == fault.NotFound {
			v.problem = "there is no such task any more"
			return v
		}
		if err == nil && task.GetId() != "" {
			err = v.noteMessages(reading, r, task)
		}
		if err == nil && task.GetId() != "" {
			v.end, v.problem = task.GetUpdateTime().AsTime(), a.wrong(task, ends)
			return v
		}
		if pause.For(ctx, submitPause) == nil {
			continue
		}
		var final bool
		if v.problem, final = r.unended(reading, a.id); final || late == lateTries {
			return v
		}
		late++
		_ = pause.For(reading, submitPause) // it does not end
	}
}

// follow watches a task until it has ended, and counts how often its log says so.
func (v *verdict) follow(ctx context.Context, r *replica) (task *orchestratorv1.Task, ends int, err error) {
	v.log = nil
	err = r.client.Stream(ctx, taskPath(v.id)+":watch", url.Values{"throughGates": {"true"}},
		func() proto.Message { return &orchestratorv1.WatchTaskResponse{} },
		func(m proto.Message) error {
			watched, _ := m.(*orchestratorv1.WatchTaskResponse)
			if t := watched.GetTask(); t != nil {
				task = t
			}
			e := watched.GetEvent()
			if e == nil {
				return nil
			}
			v.log = append(v.log, fmt.Sprintf("%s %s: %s", e.GetTime().AsTime().Format("15:04:05.000"), e.GetType(), e.GetDetail()))
			if e.GetType() == string(orchestrator.EventState) && orchestrator.Terminal(e.GetState()) {
				ends++
			}
			return nil
		})
	return task, ends, err
}

// noteMessages notes what was for the agents of a task and of its steps.
func (v *verdict) noteMessages(ctx context.Context, r *replica, task *orchestratorv1.Task) error {
	v.messages = nil
	family := []*orchestratorv1.Task{task}
	for _, step := range task.GetPlan().GetSteps() {
		child := &orchestratorv1.Task{}
		if step.GetTaskId() == "" {
			continue
		}
		if err := r.client.Call(ctx, http.MethodGet, taskPath(step.GetTaskId()), nil, nil, child); err != nil {
			return err
		}
		family = append(family, child)
	}
	for _, t := range family {
		for _, attempt := range t.GetAttempts() {
			v.messages = append(v.messages, attempt.GetMessageId())
		}
	}
	return nil
}

// wrong says what is wrong with a task that has ended, or nothing.
func (a *accepted) wrong(task *orchestratorv1.Task, ends int) string {
	switch {
	case ends != 1:
		return fmt.Sprintf("it ended %d times", ends)
	case task.GetState() != a.state:
		return fmt.Sprintf("it is %s, not %s: %s", task.GetState(), a.state, task.GetError().GetMessage())
	case made(task) != a.made:
		return fmt.Sprintf("it made %q, not %q", made(task), a.made)
	default:
		return ""
	}
}

// made returns the text that a task delivers.
func made(task *orchestratorv1.Task) string {
	var texts []string
	for _, artifact := range task.GetArtifacts() {
		for _, part := range artifact.GetParts() {
			texts = append(texts, part.GetText())
		}
	}
	return strings.Join(texts, "\n")
}

// unseen says what the agents do not know of a task that has ended, or nothing.
func (v *verdict) unseen(begun map[string]int, verdicts map[string][]string) string {
	known := slices.ContainsFunc(v.messages, func(id string) bool { return begun[id] > 0 })
	switch {
	case v.state == a2apb.TaskState_TASK_STATE_CANCELED: // perhaps before any agent saw it
		return ""
	case !known:
		return "it ended, but no agent ever saw it"
	case v.route.GetAgent() == guarded && !slices.Contains(verdicts[v.id], kit.Approved):
		return "it passed its gate, but the reviewer never approved it"
	default:
		return ""
	}
}

// unended says what a task does whose time to end is over. It is not final if the task has ended all the same, or cannot be read.
func (r *replica) unended(ctx context.Context, id string) (doing string, final bool) {
	task := &orchestratorv1.Task{}
	if err := r.client.Call(ctx, http.MethodGet, taskPath(id), nil, nil, task); err != nil {
		return "it cannot be read: " + err.Error(), false
	}
	if orchestrator.Terminal(task.GetState()) {
		return "its log cannot be read", false
	}
	return fmt.Sprintf("it did not end: it is %s in phase %s, last changed %s", task.GetState(), task.GetPhase(), task.GetUpdateTime().AsTime().Format(time.RFC3339)), true
}
