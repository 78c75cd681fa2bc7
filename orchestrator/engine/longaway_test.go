package engine_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/storetest"
)

// TestTasksThatWaitForAnAgentThatIsAwayWriteLittle has many of them, for two hours.
func TestTasksThatWaitForAnAgentThatIsAwayWriteLittle(t *testing.T) {
	t.Parallel()
	const tasks, hours, most = 200, 2, 20
	synctest.Test(t, func(t *testing.T) {
		w := newWorker()
		s := &simulation{t: t, store: &storetest.Memory{}, worker: w, client: w, away: "worker"}
		writes := 0
		s.store.Written = func(orchestrator.Task) { writes++ }
		s.start()
		var keys []orchestrator.Key
		for n := range tasks {
			keys = append(keys, s.accept("worker", strconv.Itoa(n)))
		}
		<-time.After(hours * time.Hour)
		if writes > tasks*most {
			t.Errorf("%d tasks were written %d times in %d hours, want %d times each at most", tasks, writes, hours, most)
		}
		waiting := 0
		for _, k := range keys {
			task, err := s.store.Task(t.Context(), k)
			log, failed := s.store.Events(t.Context(), k, 0, 1000)
			if err != nil || failed != nil || !slices.ContainsFunc(log, func(e orchestrator.Event) bool { return strings.Contains(e.Detail, "trying again") }) {
				t.Fatalf("the log of task %s is %v (%v, %v), want it to say why the task waits", k.ID, log, err, failed)
			}
			if !task.Ended() {
				waiting++
			}
		}
		if waiting == 0 {
			t.Error("no task waits any more: the test shows nothing")
		}
		s.stop()
	})
}
