package engine_test

import (
	"errors"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
)

// history is what the processes of a fleet asked the store about tasks and what they were told, in the order in which it happened.
type history struct {
	mu    sync.Mutex
	clock int64                                      // guarded by mu; grows with each call and each answer
	calls map[orchestrator.Key][]porcupine.Operation // guarded by mu
}

// taskCall is a call about one task.
type taskCall int

const (
	callCreate taskCall = iota
	callRead
	callUpdate
)

// taskAnswer is what a caller was told.
type taskAnswer struct {
	version uint64
	missing bool
	refused bool // nothing was written
	unknown bool // it may have been written, or not
}

// note records a call; the function that it returns records the answer.
func (h *history) note(k orchestrator.Key, call taskCall) (answer func(version uint64, err error)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.clock++
	begin := h.clock
	return func(version uint64, err error) {
		out := taskAnswer{version: version}
		switch {
		case err == nil:
		case errors.Is(err, errLost), errors.Is(err, errDead):
			out.unknown = true
		case fault.KindOf(err) == fault.NotFound:
			out.missing = true
		default:
			out.refused = true
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		h.clock++
		end := h.clock
		if out.unknown {
			end = math.MaxInt64 // whenever
		}
		if h.calls == nil {
			h.calls = make(map[orchestrator.Key][]porcupine.Operation)
		}
		h.calls[k] = append(h.calls[k], porcupine.Operation{ClientId: int(begin), Input: call, Call: begin, Output: out, Return: end})
	}
}

// check asks whether all that was told fits one order of what was done.
func (h *history) check(t *testing.T, when string, k orchestrator.Key) {
	t.Helper()
	if result := porcupine.CheckOperationsTimeout(taskModel().ToModel(), h.calls[k], time.Minute); result != porcupine.Ok {
		t.Errorf("%s: CheckOperations() = %v, want %v; %+v", when, result, porcupine.Ok, h.calls[k])
	}
}

// taskModel is a task as a register whose version each write raises by one.
func taskModel() *porcupine.NondeterministicModel {
	return &porcupine.NondeterministicModel{
		Init: func() []any { return []any{uint64(0)} },
		Step: func(state, input, output any) []any {
			version, _ := state.(uint64)
			call, _ := input.(taskCall)
			out, _ := output.(taskAnswer)
			next := version + 1
			writes := call == callUpdate && version > 0 || call == callCreate && version == 0
			switch {
			case out.unknown && writes:
				return []any{version, next}
			case out.unknown, out.refused,
				out.missing && version == 0,
				!out.missing && version > 0 && out.version == version: // it was read, or left as it was
				return []any{version}
			case writes && !out.missing && out.version == next:
				return []any{next}
			}
			return nil
		},
	}
}
