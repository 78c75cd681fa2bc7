package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/pause"
	orchestratorv1 "github.com/quorate/quorate/proto/gen/quorate/orchestrator/v1"
)

const judges = 32 // tasks that are looked at at a time

// verdict is what became of a task.
type verdict struct {
	accepted
	problem  string // empty when it ended once, as it should
	messages []string
	log      []string // the task's events
	end      time.Time
}

// judge waits until all tasks have ended, compares them with the agent's log and prints the result.
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
	executed, err := executions(l.world.executed)
	if err != nil {
		return false, err
	}
	return l.print(out, verdicts, executed, disturbances)
}

// look follows a task to its end by its log, on whatever replica answers. The client's own time-out bounds each try; one is made even when
// the time is over, to tell what has ended from what has not.
func (w *world) look(ctx context.Context, a accepted) verdict {
	v := verdict{accepted: a}
	for try := 0; ; try++ {
		r := w.replicas[try%len(w.replicas)]
		ends, task := 0, &orchestratorv1.Task{}
		v.log = nil
		err := r.client.Stream(context.WithoutCancel(ctx), "/v1/tasks/"+url.PathEscape(a.id)+":watch", url.Values{"throughGates": {"true"}},
			func() proto.Message { return &orchestratorv1.WatchTaskResponse{} },
			func(m proto.Message) error {
				watched, ok := m.(*orchestratorv1.WatchTaskResponse)
				if e := watched.GetEvent(); ok && e != nil {
					v.log = append(v.log, fmt.Sprintf("%s %s: %s", e.GetTime().AsTime().Format("15:04:05.000"), e.GetType(), e.GetDetail()))
				}
				switch {
				case !ok:
				case watched.GetTask() != nil:
					task = watched.GetTask()
				case watched.GetEvent().GetType() == string(orchestrator.EventState) && orchestrator.Terminal(watched.GetEvent().GetState()):
					ends++
				}
				return nil
			})
		if fault.KindOf(err) == fault.NotFound {
			v.problem = "there is no such task any more"
			return v
		}
		if err != nil || task.GetId() == "" {
			if pause.For(ctx, submitPause) != nil {
				v.problem = w.state(context.WithoutCancel(ctx), a.id)
				return v
			}
			continue
		}
		v.end = task.GetUpdateTime().AsTime()
		for _, attempt := range task.GetAttempts() {
			v.messages = append(v.messages, attempt.GetMessageId())
		}
		switch {
		case ends != 1:
			v.problem = fmt.Sprintf("it ended %d times", ends)
		case task.GetState() != a.want:
			v.problem = fmt.Sprintf("it is %s, not %s: %s", task.GetState(), a.want, task.GetError().GetMessage())
		}
		return v
	}
}

// state says what a task that does not end is doing.
func (w *world) state(ctx context.Context, id string) string {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	task := &orchestratorv1.Task{}
	if err := w.replicas[0].client.Call(ctx, http.MethodGet, "/v1/tasks/"+url.PathEscape(id), nil, nil, task); err != nil {
		return "it did not end, and cannot be read: " + err.Error()
	}
	return fmt.Sprintf("it did not end: it is %s in phase %s, last changed %s", task.GetState(), task.GetPhase(), task.GetUpdateTime().AsTime().Format(time.RFC3339))
}

// executions counts the lines of the agent's log.
func executions(name string) (map[string]int, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("reading the agent's log: %w", err)
	}
	defer file.Close() //nolint:errcheck // it was only read
	counts := make(map[string]int)
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		counts[lines.Text()]++
	}
	return counts, lines.Err()
}

// print tells the result.
func (l *load) print(out io.Writer, verdicts []verdict, executed map[string]int, disturbances []disturbance) (ok bool, err error) {
	var lost, twice int
	for i := range verdicts {
		v := &verdicts[i]
		done := 0
		for _, message := range v.messages {
			done += executed[message]
			twice += max(executed[message]-1, 0)
		}
		if v.problem == "" && done == 0 {
			v.problem = "it ended, but the agent never saw it"
		}
		if v.problem == "" {
			continue
		}
		lost++
		if _, err := fmt.Fprintf(out, "task %s: %s\n", v.id, v.problem); err != nil {
			return false, err
		}
	}
	times := make(map[string]int)
	for _, d := range disturbances {
		times[d.what]++
	}
	for _, why := range l.refused[:min(len(l.refused), 5)] {
		if _, err := fmt.Fprintf(out, "refused        %s\n", why); err != nil {
			return false, err
		}
	}
	_, err = fmt.Fprintf(out, `replicas       %d, killed %d times, frozen %d times, told to stop %d times
submissions    %d accepted, %d repeated because a replica gave no answer
lost           %d
duplicated     %d executions at the agent beyond the first of a message
recovery       p50 %s, p90 %s, p99 %s, max %s: from a disturbance to the end of the last task that was under way then
`, len(l.world.replicas), times[killed], times[frozen], times[terminated], len(verdicts), l.retries, lost, twice,
		percentile(verdicts, disturbances, 50), percentile(verdicts, disturbances, 90), percentile(verdicts, disturbances, 99), percentile(verdicts, disturbances, 100))
	if err != nil {
		return false, err
	}
	return lost == 0 && len(verdicts) > 0, slowest(out, verdicts)
}

// slowest shows the task that took longest, with what happened to it.
func slowest(out io.Writer, verdicts []verdict) error {
	took := func(v verdict) time.Duration { return v.end.Sub(v.at) }
	slices.SortFunc(verdicts, func(a, b verdict) int { return cmp.Compare(took(b), took(a)) })
	for _, v := range verdicts[:min(len(verdicts), 1)] {
		_, err := fmt.Fprintf(out, "slow           %s from acceptance: task %s\n  %s\n", took(v).Round(time.Millisecond), v.id, strings.Join(v.log, "\n  "))
		if err != nil {
			return err
		}
	}
	return nil
}

// percentile returns a percentile over the disturbances of how long it took to the end of the last task that was under way.
func percentile(verdicts []verdict, disturbances []disturbance, percent int) time.Duration {
	var times []time.Duration
	for _, d := range disturbances {
		var last time.Duration
		for _, v := range verdicts {
			if v.at.Before(d.start) && v.end.After(d.start) {
				last = max(last, v.end.Sub(d.start))
			}
		}
		times = append(times, last)
	}
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	return times[min(len(times)-1, len(times)*percent/100)].Round(time.Millisecond)
}
