package a2aedge

import (
	"context"
	"slices"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/orchestrator"
	taskrpc "github.com/quorate/quorate/orchestrator/rpc"
)

// maxWords is how many bytes of what an agent said while it worked a history has at most. Clients over gRPC accept answers of 4 MiB.
const maxWords = 1 << 20

// words are what an agent said while it worked, in order.
type words struct {
	said    []saying
	omitted int // how many came before these
}

// saying is a message, and when it was said.
type saying struct {
	at      time.Time
	message *a2apb.Message
}

// history returns the latest messages of a task, in order, at most as many as asked for. The message with which the agent waits is in the status, not in the
// history yet.
func history(t *orchestrator.Task, shown taskrpc.Content, v view) []*a2apb.Message {
	all := make([]*a2apb.Message, 0, 1+len(shown.Turns)+len(v.words.said))
	if shown.Message != nil {
		all = append(all, adopt(t, shown.Message, 0))
	}
	rest := v.words.said
	for i, turn := range shown.Turns {
		for len(rest) > 0 && !rest[0].at.After(turn.Time) {
			all, rest = append(all, rest[0].message), rest[1:]
		}
		if asked := turn.FromAgent && t.AwaitsCaller() && i == len(shown.Turns)-1; turn.Message != nil && !asked {
			all = append(all, adopt(t, turn.Message, i+1))
		}
	}
	for _, word := range rest {
		all = append(all, word.message)
	}
	if v.history != nil && int(*v.history) < len(all) {
		all = all[len(all)-int(*v.history):]
	}
	return all
}

// show returns a task as an A2A task whose history has, unlike that of taskToA2A, what the agent said while it worked. Agents that chat deliver nothing else.
func (s *Service) show(ctx context.Context, t *orchestrator.Task, v view) (*a2apb.Task, error) {
	if v.part().Messages && mayHaveWords(t) {
		said, err := s.words(ctx, t)
		if err != nil {
			return nil, err
		}
		v.words = said
	}
	return taskToA2A(t, v), nil
}

// mayHaveWords spares most tasks a look at their logs: an agent that just delivers leaves four events, and one that has just begun, two.
func mayHaveWords(t *orchestrator.Task) bool {
	if t.State == a2apb.TaskState_TASK_STATE_COMPLETED {
		return t.LastEvent > 4
	}
	return t.LastEvent > 2
}

// words returns what the agent of a task said while it worked; of more than maxWords, the latest. What it has said since the task was read is not among it: a
// stream goes on with that.
func (s *Service) words(ctx context.Context, t *orchestrator.Task) (w words, err error) {
	const page = 200
	bytes := 0
	for after := uint64(0); after < t.LastEvent; {
		events, err := s.store.Events(ctx, t.Key(), after, page)
		if err != nil || len(events) == 0 { // a new task has the id by now, since this one was no longer kept
			return w, err
		}
		for _, e := range events {
			after = e.Sequence
			isNews, isTurn := after > t.LastEvent, orchestrator.Interrupted(e.State)
			if e.Type == orchestrator.EventProgress && !isNews && !isTurn {
				m := progressMessage(t.ID, t.ContextID, e)
				w.said, bytes = append(w.said, saying{e.Time, m}), bytes+proto.Size(m)
			}
		}
		drop := 0
		for ; bytes > maxWords; drop++ {
			bytes -= proto.Size(w.said[drop].message)
		}
		w.said, w.omitted = slices.Delete(w.said, 0, drop), w.omitted+drop
	}
	return w, nil
}
