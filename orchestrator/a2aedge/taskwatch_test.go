package a2aedge_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	taskrpc "github.com/quorate/quorate/orchestrator/rpc"
	"github.com/quorate/quorate/orchestrator/storetest"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
	orchestratorv1 "github.com/quorate/quorate/proto/gen/quorate/orchestrator/v1"
)

// watcher is a stream that keeps what is sent.
type watcher struct {
	grpc.ServerStream
	ctx  context.Context //nolint:containedctx // a stream has one
	sent []*orchestratorv1.WatchTaskResponse
}

func (w *watcher) Context() context.Context     { return w.ctx }
func (w *watcher) SendHeader(metadata.MD) error { return nil }
func (w *watcher) Send(r *orchestratorv1.WatchTaskResponse) error {
	w.sent = append(w.sent, r)
	return nil
}

// TestAWatcherIsToldWhatItMayKnow has a task that failed before its agent got the message, which the agent must not learn by watching.
func TestAWatcherIsToldWhatItMayKnow(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 16, 0, 0, 0, 0, time.UTC)
	store := new(storetest.Memory)
	if _, _, err := store.Create(t.Context(), orchestrator.Task{
		Tenant: "default", ID: "t", Owner: "alice", Agent: "echo", State: a2apb.TaskState_TASK_STATE_FAILED, Phase: orchestrator.PhaseDone, Message: &a2apb.Message{MessageId: "m"},
		Requirements: []consultation.Requirement{{ID: "r", TargetAgent: "reviewer", Phase: consultation.PhasePreExecution, Mandatory: true}},
	}, orchestrator.Event{Time: at, Type: orchestrator.EventSubmitted, State: a2apb.TaskState_TASK_STATE_SUBMITTED, Phase: orchestrator.PhasePreExecution},
		orchestrator.Event{Time: at.Add(time.Second), Type: orchestrator.EventState, State: a2apb.TaskState_TASK_STATE_FAILED, Phase: orchestrator.PhaseDone, Detail: "why"}); err != nil {
		t.Fatal(err)
	}
	_, e, ctx := serviceWithEngine(t, store)
	tasks := taskrpc.New(e, store, nil)
	for name, test := range map[string]struct {
		caller  string
		role    auth.Role
		after   uint64
		events  []uint64
		refused string
		message string
	}{
		"who submitted it":           {"alice", auth.RoleDispatcher, 0, []uint64{1, 2}, "", "m"},
		"its agent":                  {"echo", auth.RoleAgent, 0, []uint64{1, 2}, "", ""},
		"who knows the first event":  {"alice", auth.RoleDispatcher, 1, []uint64{2}, "", "m"},
		"who knows the last event":   {"alice", auth.RoleDispatcher, 2, nil, "", "m"},
		"who knows what is to come":  {"alice", auth.RoleDispatcher, 3, nil, "SEQUENCE_AHEAD", ""},
		"who knows nothing about it": {"bob", auth.RoleDispatcher, 0, nil, "TASK_NOT_FOUND", ""},
	} {
		w := &watcher{ctx: auth.NewContext(ctx, auth.Principal{Tenant: "default", Name: test.caller, Roles: []auth.Role{test.role}})}
		if err := tasks.WatchTask(&orchestratorv1.WatchTaskRequest{Id: "t", AfterSequence: test.after}, w); fault.ReasonOf(err) != test.refused {
			t.Errorf("%s: WatchTask() = %v, want the reason %q", name, err, test.refused)
		}
		if (len(w.sent) == 0) != (test.refused != "") {
			t.Errorf("%s: WatchTask() sends %v, want nothing only if it is refused", name, w.sent)
		}
		if test.refused != "" || len(w.sent) == 0 {
			continue
		}
		var events []uint64
		for _, r := range w.sent[:len(w.sent)-1] {
			events = append(events, r.GetEvent().GetSequence())
		}
		last := w.sent[len(w.sent)-1]
		if !slices.Equal(events, test.events) || last.GetSequence() != 2 || last.GetTask().GetId() != "t" || last.GetTask().GetMessage().GetMessageId() != test.message {
			t.Errorf("%s: WatchTask() sends %v, want the events %v and then the task with the message %q", name, w.sent, test.events, test.message)
		}
	}
}

// TestAnEventIsToldWhole watches a task with one event.
func TestAnEventIsToldWhole(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 16, 0, 0, 0, 0, time.UTC)
	store := new(storetest.Memory)
	if _, _, err := store.Create(t.Context(), orchestrator.Task{
		Tenant: "default", ID: "t", Owner: "alice", State: a2apb.TaskState_TASK_STATE_FAILED, Phase: orchestrator.PhaseDone,
	}, orchestrator.Event{Time: at, Type: orchestrator.EventState, State: a2apb.TaskState_TASK_STATE_FAILED, Phase: orchestrator.PhaseDone, Detail: "why"}); err != nil {
		t.Fatal(err)
	}
	_, e, ctx := serviceWithEngine(t, store)
	w := &watcher{ctx: auth.NewContext(ctx, auth.Principal{Tenant: "default", Name: "alice", Roles: []auth.Role{auth.RoleDispatcher}})}
	if err := taskrpc.New(e, store, nil).WatchTask(&orchestratorv1.WatchTaskRequest{Id: "t"}, w); err != nil || len(w.sent) != 2 {
		t.Fatalf("WatchTask() = %v and sends %v, want an event and the task", err, w.sent)
	}
	want := &orchestratorv1.WatchTaskResponse{Sequence: 1, Payload: &orchestratorv1.WatchTaskResponse_Event{Event: &orchestratorv1.TaskEvent{
		Sequence: 1, Time: timestamppb.New(at), Type: "state", State: a2apb.TaskState_TASK_STATE_FAILED, Phase: "done", Detail: "why",
	}}}
	if !proto.Equal(w.sent[0], want) {
		t.Errorf("WatchTask() sends %v, want %v", w.sent[0], want)
	}
}
