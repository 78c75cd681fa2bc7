package a2aedge

import (
	"context"
	"errors"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
	taskrpc "github.com/quorate/quorate/orchestrator/rpc"
	"github.com/quorate/quorate/platform/fault"
)

// SendStreamingMessage implements the RPC: it sends the task, and then its updates until it ends or waits for somebody.
func (s *Service) SendStreamingMessage(req *a2apb.SendMessageRequest, stream grpc.ServerStreamingServer[a2apb.StreamResponse]) error {
	ctx := stream.Context()
	t, err := s.submit(ctx, req)
	if err != nil {
		return err
	}
	if orchestrator.Interrupted(t.State) { // the request was repeated
		return s.sendTask(ctx, &t, historyLength(req), stream.Send)
	}
	return s.follow(ctx, t, historyLength(req), stream.Send)
}

// SubscribeToTask implements the RPC: SendStreamingMessage for an existing task. A task that waits for somebody is followed until it continues and
// then ends or waits again. With Last-Event-ID the stream continues behind that event, even when the task has ended since.
func (s *Service) SubscribeToTask(req *a2apb.SubscribeToTaskRequest, stream grpc.ServerStreamingServer[a2apb.StreamResponse]) error {
	ctx := stream.Context()
	if err := checkCall(ctx, nil); err != nil {
		return err
	}
	t, err := s.task(ctx, req.GetTenant(), req.GetId())
	if err != nil {
		return err
	}
	after, resumed, err := lastEvent(ctx)
	if err != nil {
		return err
	}
	if t.Ended() && (!resumed || after >= t.LastEvent) {
		return refusal(reasonUnsupportedOperation, "task %s has ended (%s): there is nothing to follow; get the task", t.ID, t.State)
	}
	if resumed {
		return s.resume(ctx, t, after, stream)
	}
	return s.follow(ctx, t, nil, stream.Send)
}

// follow sends the task, with at most history of its messages, and then its updates; nil is for all messages.
func (s *Service) follow(ctx context.Context, t orchestrator.Task, history *int32, send func(*a2apb.StreamResponse) error) error {
	if err := s.sendTask(ctx, &t, history, send); err != nil {
		return err
	}
	f := follower{service: s, key: t.Key(), contextID: t.ContextID, state: t.State, send: send, shown: make(shownArtifacts)}
	return f.run(ctx, t.LastEvent)
}

// sendTask sends the task with at most history of its messages.
func (s *Service) sendTask(ctx context.Context, t *orchestrator.Task, history *int32, send func(*a2apb.StreamResponse) error) error {
	shown, err := s.show(ctx, t, view{history: history, artifacts: true})
	if err != nil {
		return err
	}
	return send(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_Task{Task: shown}})
}

// resume continues behind an event. The client has the task, and knows its state after that event.
func (s *Service) resume(ctx context.Context, t orchestrator.Task, after uint64, stream grpc.ServerStreamingServer[a2apb.StreamResponse]) error {
	if after == 0 || after > t.LastEvent {
		return fault.Invalid(paramLastEvent, "LAST_EVENT_ID_INVALID", "the task has events 1 to %d", t.LastEvent)
	}
	seen, err := s.store.Events(ctx, t.Key(), after-1, 1)
	if err != nil {
		return err
	}
	if len(seen) == 0 {
		return fault.Invalid(paramLastEvent, "LAST_EVENT_ID_INVALID", "event %d is no longer on record", after)
	}
	if err := stream.SendHeader(nil); err != nil { // there may be no event for long
		return err
	}
	f := follower{service: s, key: t.Key(), contextID: t.ContextID, state: seen[0].State, send: stream.Send, shown: make(shownArtifacts)}
	return f.run(ctx, after)
}

// follower turns a task's events into updates.
type follower struct {
	service   *Service
	key       orchestrator.Key
	contextID string
	state     a2apb.TaskState // after the last event
	send      func(*a2apb.StreamResponse) error
	shown     shownArtifacts
}

// errOver ends a stream regularly.
var errOver = errors.New("the stream is over")

// run sends the updates after an event until the task ends or waits for somebody, and what the agent makes meanwhile.
func (f *follower) run(ctx context.Context, after uint64) error {
	err := f.service.engine.WatchDrafts(ctx, f.key, after, func(e orchestrator.Event, isWhole func(id string) bool) error { return f.update(ctx, e, isWhole) }, f.drafts)
	if errors.Is(err, errOver) {
		return nil
	}
	return err
}

func (f *follower) update(ctx context.Context, e orchestrator.Event, isWhole func(id string) bool) error {
	before := f.state
	f.state = e.State
	ended, waits := orchestrator.Terminal(e.State), orchestrator.Interrupted(e.State)
	if !ended && !waits {
		return f.send(f.status(e, progressMessage(f.key.ID, f.contextID, e)))
	}
	t, err := f.service.store.Task(ctx, f.key)
	if err != nil {
		return err
	}
	switch {
	case !ended && t.State != e.State: // it has continued since then, and nobody has to act
		return f.send(f.status(e, nil))
	case waits && e.State == before && e.Type == orchestrator.EventState: // the event before it, which has the question, says so too
		return nil
	case waits && e.State == before: // an update without the question would take that from the client
		return f.send(f.status(e, statusMessage(&t)))
	}
	last, shown := f.status(e, statusMessage(&t)), taskrpc.Show(&t)
	for _, a := range shown.Artifacts {
		if err := f.sendArtifact(f.shown.final(a, isWhole(a.GetArtifactId()), ended)); err != nil {
			return err
		}
	}
	last.GetStatusUpdate().Metadata = withAgents(eventMetadata(e, waitsFor(&t)), shown.Metadata) // it counts as the task's
	err = f.send(last)
	if err != nil || e.State == a2apb.TaskState_TASK_STATE_AUTH_REQUIRED { // it may be given elsewhere (A2A §7.6.2)
		return err
	}
	return errOver
}

func (f *follower) status(e orchestrator.Event, m *a2apb.Message) *a2apb.StreamResponse {
	return &a2apb.StreamResponse{Payload: &a2apb.StreamResponse_StatusUpdate{StatusUpdate: &a2apb.TaskStatusUpdateEvent{
		TaskId: f.key.ID, ContextId: f.contextID, Metadata: eventMetadata(e, ""),
		Status: &a2apb.TaskStatus{State: e.State, Message: m, Timestamp: timestamppb.New(e.Time)},
	}}}
}

// drafts sends what the client does not have of what the agent has delivered so far.
func (f *follower) drafts(artifacts []engine.Draft) error {
	for _, u := range f.shown.drafts(artifacts) {
		u.Metadata = extension(map[string]any{"draft": true})
		if err := f.sendArtifact(u); err != nil {
			return err
		}
	}
	return nil
}

// sendArtifact sends an update, unless it is nil, without an event number: if the stream breaks before the end, the artifacts are sent again.
func (f *follower) sendArtifact(u *a2apb.TaskArtifactUpdateEvent) error {
	if u == nil {
		return nil
	}
	u.TaskId, u.ContextId = f.key.ID, f.contextID
	return f.send(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_ArtifactUpdate{ArtifactUpdate: u}})
}
