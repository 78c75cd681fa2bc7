package engine_test

import (
	"context"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/platform/fault"
)

// TestWhatIsSaidInATaskIsBounded has an agent ask without end: everybody who reads the task gets all that was said.
func TestWhatIsSaidInATaskIsBounded(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		asks, replies int // bytes
		refused       string
		failed        string
	}{
		"by its caller": {asks: 10, replies: 300 << 10, refused: "TURNS_TOO_LARGE"},
		"by its agent":  {asks: 200 << 10, replies: 10, refused: "TASK_ENDED", failed: "TURNS_TOO_LARGE"},
		"in number":     {asks: 10, replies: 10, refused: "TASK_ENDED", failed: "TOO_MANY_TURNS"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var asked atomic.Int64
				asks := &actor{name: "asks"}
				asks.play = func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
					question := snapshot("r1", a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, strings.Repeat("?", test.asks))
					question.GetTask().GetStatus().GetMessage().MessageId = "q" + strconv.FormatInt(asked.Add(1), 10)
					asks.remember(question.GetTask())
					return say(question)
				}
				s := newStage(t, asks)
				s.start()
				defer s.stop()
				k := s.accept(asks.name, "r")
				var err error
				for n := 0; err == nil && n <= orchestrator.MaxTurns; n++ {
					<-time.After(time.Second)
					_, err = s.engine.Reply(t.Context(), engine.Reply{Key: k, Caller: "tester", Message: text(strings.Repeat("!", test.replies))})
				}
				if fault.ReasonOf(err) != test.refused {
					t.Errorf("Reply() = %v in the end, want %s", err, test.refused)
				}
				got, err := s.store.Task(t.Context(), k)
				if size := got.TurnBytes(nil); err != nil || size > orchestrator.MaxTurnBytes {
					t.Errorf("what was said has %d bytes, %v, want %d at most", size, err, orchestrator.MaxTurnBytes)
				}
				if test.failed != "" && (got.Error == nil || got.Error.Reason != test.failed) {
					t.Errorf("the task is in state %s with %+v, want %s", got.State, got.Error, test.failed)
				}
			})
		})
	}
}
