package engine_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/benchtest"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/platform/usagetest"
)

// BenchmarkTask is a tracked task of one kilobyte from its submission to its end with an agent that answers at once, durable at every step, for 64
// callers, who wait for the end of each task before they submit the next one, or submit one after the other, and the last end counts. In rounds that take
// turns it is compared with puts of one kilobyte, and with records of one kilobyte that two indexes lead to, as durable. Callers and agent are of the same
// process and take next to nothing: what is measured is the engine and its store.
func BenchmarkTask(b *testing.B) {
	b.Run("awaited", func(b *testing.B) { benchmarkTask(b, true) })
	b.Run("submitted", func(b *testing.B) { benchmarkTask(b, false) })
}

func benchmarkTask(b *testing.B, awaited bool) {
	b.Helper()
	const callers, round = 64, 2000
	w := newWorld(b, &actor{name: "echo", forgets: true, play: func(_ context.Context, m *a2apb.Message, say agentclient.Each) error {
		return say(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_Message{Message: &a2apb.Message{
			MessageId: "answer", Role: a2apb.Role_ROLE_AGENT, Parts: m.GetParts(),
		}}})
	}})
	words := strings.Repeat("hello ", 1000/6)
	submitted := make(chan orchestrator.Key, round)
	await := func(k orchestrator.Key) error {
		t, err := w.engine.Await(b.Context(), k)
		if err == nil && t.State != a2apb.TaskState_TASK_STATE_COMPLETED {
			err = fmt.Errorf("task %s ended in state %s", t.ID, t.State)
		}
		return err
	}
	task := func() error {
		t, err := w.engine.Submit(b.Context(), engine.Submission{
			Tenant: tenant, Caller: "tester", Route: orchestrator.Route{Agent: "echo"}, Message: text(words),
		})
		switch {
		case err != nil:
			return err
		case awaited:
			return await(t.Key())
		default:
			submitted <- t.Key()
			return nil
		}
	}
	put, record := benchtest.Puts(b), benchtest.Records(b)
	ballast := make([]byte, benchtest.Ballast)
	defer runtime.KeepAlive(ballast)
	var tasks, puts, records, cpu time.Duration
	b.ResetTimer()
	for left := b.N; left > 0; left -= round {
		n := min(left, round)
		puts += benchtest.Share(b, callers, n, put)
		records += benchtest.Share(b, callers, n, record)
		before, begin := usagetest.CPU(b), time.Now()
		benchtest.Share(b, callers, n, task)
		for range len(submitted) {
			if err := await(<-submitted); err != nil {
				b.Error(err)
			}
		}
		tasks += time.Since(begin)
		cpu += usagetest.CPU(b) - before
	}
	b.StopTimer()
	b.ReportMetric(float64(b.N)/tasks.Seconds(), "tasks/s")
	b.ReportMetric(float64(b.N)/puts.Seconds(), "raw-puts/s")
	b.ReportMetric(float64(b.N)/records.Seconds(), "records/s")
	b.ReportMetric(float64(records)/float64(tasks), "tasks/record")
	b.ReportMetric(float64(puts)/float64(tasks), "tasks/raw-put")
	b.ReportMetric(float64(cpu.Microseconds())/float64(b.N), "cpu-µs/task")
}

// BenchmarkEvent is what the engine does with one thing that an agent says in the course of its work, over the embedded store: what follows closely is
// written together.
func BenchmarkEvent(b *testing.B) {
	said := make(chan int)
	w := newWorld(b, &actor{name: "talks", play: func(_ context.Context, m *a2apb.Message, say agentclient.Each) error {
		id := "r-" + m.GetMessageId()
		if err := say(snapshot(id, a2apb.TaskState_TASK_STATE_WORKING, "")); err != nil {
			return err
		}
		for i := range <-said {
			words := text(fmt.Sprintf("said %d", i))
			words.MessageId = fmt.Sprintf("m-%d", i)
			if err := say(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_StatusUpdate{StatusUpdate: &a2apb.TaskStatusUpdateEvent{
				TaskId: id, Status: &a2apb.TaskStatus{State: a2apb.TaskState_TASK_STATE_WORKING, Message: words},
			}}}); err != nil {
				return err
			}
		}
		return say(snapshot(id, a2apb.TaskState_TASK_STATE_COMPLETED, "", "done"))
	}})
	left := b.N
	for left > 0 {
		n := min(left, orchestrator.MaxEvents/2) // of one task
		left -= n
		b.StopTimer()
		id := w.submit(engine.Submission{Route: orchestrator.Route{Agent: "talks"}}).ID
		b.StartTimer()
		said <- n
		w.awaitEnd(id)
	}
}
