package engine_test

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"go.etcd.io/bbolt"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/platform/boltdb"
)

// BenchmarkTask is a tracked task of one kilobyte from its submission to its end with an agent that answers at once, durable at every step, for 64 callers,
// beside puts of one kilobyte that are as durable, in rounds that take turns. Callers and agent are of the same process and take next to nothing: what is
// measured is the engine and its store.
func BenchmarkTask(b *testing.B) {
	const callers, round = 64, 2000
	words := strings.Repeat("hello ", 1000/6)
	w := newWorld(b, &actor{name: "echo", forgets: true, play: func(_ context.Context, m *a2apb.Message, say agentclient.Each) error {
		return say(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_Message{Message: &a2apb.Message{
			MessageId: "answer", Role: a2apb.Role_ROLE_AGENT, Parts: m.GetParts(),
		}}})
	}})
	task := func(int64) error {
		t, err := w.engine.Submit(b.Context(), engine.Submission{
			Tenant: tenant, Caller: "tester", Route: orchestrator.Route{Agent: "echo"}, Message: text(words),
		})
		if err == nil {
			t, err = w.engine.Await(b.Context(), orchestrator.Key{Tenant: tenant, ID: t.ID})
		}
		if err == nil && t.State != a2apb.TaskState_TASK_STATE_COMPLETED {
			err = fmt.Errorf("task %s ended in state %s", t.ID, t.State)
		}
		return err
	}
	put := puts(b)
	ballast := make([]byte, 64<<20) // as the server has, so that garbage is collected as often
	defer runtime.KeepAlive(ballast)
	var tasks, raw, cpu time.Duration
	b.ResetTimer()
	for left := b.N; left > 0; left -= round {
		n := min(left, round)
		raw += share(b, callers, n, put)
		before := processCPU(b)
		tasks += share(b, callers, n, task)
		cpu += processCPU(b) - before
	}
	b.StopTimer()
	b.ReportMetric(float64(b.N)/tasks.Seconds(), "tasks/s")
	b.ReportMetric(float64(b.N)/raw.Seconds(), "raw-puts/s")
	b.ReportMetric(float64(raw)/float64(tasks), "tasks/raw-put")
	b.ReportMetric(float64(cpu.Microseconds())/float64(b.N), "cpu-µs/task")
}

// puts returns what puts one kilobyte into a store of its own.
func puts(b *testing.B) func(n int64) error {
	b.Helper()
	db, err := boltdb.Open(filepath.Join(b.TempDir(), "raw.db"), boltdb.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := db.Close(); err != nil {
			b.Error(err)
		}
	})
	var last atomic.Int64
	bucket, value := []byte("b"), bytes.Repeat([]byte("v"), 1000)
	return func(int64) error {
		return db.Update(b.Context(), func(tx *bbolt.Tx) error {
			into, err := tx.CreateBucketIfNotExists(bucket)
			if err != nil {
				return err
			}
			return into.Put(fmt.Appendf(nil, "%016x", last.Add(1)), value)
		})
	}
}

// share has callers do something n times and returns how long it took.
func share(b *testing.B, callers, n int, do func(int64) error) time.Duration {
	b.Helper()
	var next atomic.Int64
	var wg sync.WaitGroup
	begin := time.Now()
	for range callers {
		wg.Go(func() {
			for i := next.Add(1); i <= int64(n); i = next.Add(1) {
				if err := do(i); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	return time.Since(begin)
}

func processCPU(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
