package dev_test

import (
	"fmt"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator/benchtest"
	"github.com/quorate/quorate/platform/usagetest"
	orchestratorv1 "github.com/quorate/quorate/proto/gen/quorate/orchestrator/v1"
)

// BenchmarkTask is a task from its submission over gRPC to its end: durable, sent to an echo agent over gRPC, followed, stored. The CPU is that of
// the whole process: client, server and agent.
func BenchmarkTask(b *testing.B) {
	for _, callers := range []int{1, 64} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			r := start(b, b.TempDir())
			r.addEcho(b)
			before := usagetest.CPU(b)
			b.ResetTimer()
			benchtest.Share(b, callers, b.N, r.task)
			b.StopTimer()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "tasks/s")
			b.ReportMetric(float64((usagetest.CPU(b)-before).Microseconds())/float64(b.N), "cpu-µs/task")
		})
	}
}

// task runs one task to its end.
func (r *running) task() error {
	c := orchestratorv1.NewTaskServiceClient(r.conn)
	t, err := c.SubmitTask(r.ctx, &orchestratorv1.SubmitTaskRequest{
		Message: &a2apb.Message{Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: "hello"}}}},
		Route:   &orchestratorv1.Route{To: &orchestratorv1.Route_Agent{Agent: "echo"}},
	})
	if err != nil {
		return err
	}
	stream, err := c.WatchTask(r.ctx, &orchestratorv1.WatchTaskRequest{Id: t.GetId()})
	if err != nil {
		return err
	}
	for {
		m, err := stream.Recv()
		if err != nil {
			return err
		}
		if end := m.GetTask(); end != nil {
			if end.GetState() != a2apb.TaskState_TASK_STATE_COMPLETED {
				return fmt.Errorf("task %s ended in state %s: %v", end.GetId(), end.GetState(), end.GetError())
			}
			return nil
		}
	}
}

// BenchmarkReady is the time from the start of dev mode to its banner, on new data and on data of an earlier run.
func BenchmarkReady(b *testing.B) {
	b.Run("data=new", func(b *testing.B) {
		for b.Loop() {
			r := start(b, b.TempDir())
			b.StopTimer()
			r.stop()
			b.StartTimer()
		}
	})
	b.Run("data=old", func(b *testing.B) {
		dir := b.TempDir()
		start(b, dir).stop()
		for b.Loop() {
			r := start(b, dir)
			b.StopTimer()
			r.stop()
			b.StartTimer()
		}
	})
}
