// Package rpc serves the task API: it turns requests into calls of the engine, shows each caller only what it may see, and converts tasks to
// messages. It hides artifacts behind a closed gate.
package rpc

import (
	"cmp"
	"context"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/page"
	"github.com/quorate/quorate/platform/rpcserver"
	orchestratorv1 "github.com/quorate/quorate/proto/gen/quorate/orchestrator/v1"
)

// Service implements orchestratorv1.TaskServiceServer.
type Service struct {
	orchestratorv1.UnimplementedTaskServiceServer

	engine *engine.Engine
	store  orchestrator.Store
	pages  *page.Codec
}

var _ orchestratorv1.TaskServiceServer = (*Service)(nil)

// New returns the task service over an engine and its store.
func New(e *engine.Engine, store orchestrator.Store, pages *page.Codec) *Service {
	return &Service{engine: e, store: store, pages: pages}
}

// Rules returns who may call the task, route and caller services.
func Rules() auth.Rules {
	submit := []auth.Role{auth.RoleAdmin, auth.RoleDispatcher}
	read := []auth.Role{auth.RoleAdmin, auth.RoleDispatcher, auth.RoleViewer, auth.RoleAgent}
	return auth.Rules{
		orchestratorv1.TaskService_SubmitTask_FullMethodName:  {Roles: submit},
		orchestratorv1.TaskService_CancelTask_FullMethodName:  {Roles: submit},
		orchestratorv1.TaskService_ReplyToTask_FullMethodName: {Roles: submit},
		orchestratorv1.TaskService_GetTask_FullMethodName:     {Roles: read},
		orchestratorv1.TaskService_ListTasks_FullMethodName:   {Roles: read},
		orchestratorv1.TaskService_WatchTask_FullMethodName:   {Roles: read},

		orchestratorv1.RouteService_ResolveRoute_FullMethodName: {Roles: read},
		orchestratorv1.CallerService_GetCaller_FullMethodName:   {}, // every caller may know who it is
	}
}

// SubmitTask implements the RPC.
func (s *Service) SubmitTask(ctx context.Context, req *orchestratorv1.SubmitTaskRequest) (*orchestratorv1.Task, error) {
	p, err := Caller(ctx)
	if err != nil {
		return nil, err
	}
	if err := checkMetadata(req.GetMessage()); err != nil {
		return nil, err
	}
	t, err := s.engine.Submit(ctx, NewSubmission(p, req))
	if err != nil {
		return nil, err
	}
	return taskToProto(&t), nil
}

// checkMetadata refuses a message that says as one of A2A what the requests of this API have fields for: a rule about an attribute in it would have no effect.
func checkMetadata(m *a2apb.Message) error {
	if _, found := m.GetMetadata().GetFields()[orchestrator.TaskExtension]; found {
		return fault.Invalid("message.metadata", "TASK_EXTENSION_INVALID",
			"what stands under %s counts in messages over A2A only: say it in fields of this request, such as route or attributes", orchestrator.TaskExtension)
	}
	return nil
}

// NewSubmission converts a valid request of a caller to the engine's type.
func NewSubmission(p auth.Principal, req *orchestratorv1.SubmitTaskRequest) engine.Submission {
	sub := engine.Submission{
		Tenant: p.Tenant, Caller: p.Name, Message: req.GetMessage(), RequestID: req.GetRequestId(), Attributes: attributes(req.GetAttributes()),
		Route: route(req.GetRoute()), Inputs: inputs(req.GetInputs()),
	}
	if d := req.GetDeadline(); d != nil {
		if sub.Deadline = d.AsTime(); sub.Deadline.IsZero() { // which stands for none: a program that left it unset has to be told
			sub.Deadline = sub.Deadline.Add(time.Nanosecond)
		}
	}
	return sub
}

// GetTask implements the RPC.
func (s *Service) GetTask(ctx context.Context, req *orchestratorv1.GetTaskRequest) (*orchestratorv1.Task, error) {
	t, err := Visible(ctx, s.store, req.GetId())
	if err != nil {
		return nil, err
	}
	return taskToProto(&t), nil
}

// WatchTask implements the RPC.
func (s *Service) WatchTask(req *orchestratorv1.WatchTaskRequest, stream grpc.ServerStreamingServer[orchestratorv1.WatchTaskResponse]) error {
	ctx := stream.Context()
	p, err := Caller(ctx)
	if err != nil {
		return err
	}
	t, err := Visible(ctx, s.store, req.GetId())
	if err != nil {
		return err
	}
	last, err := rpcserver.LastEventID(ctx)
	if err != nil {
		return err
	}
	after := max(last, req.GetAfterSequence())
	if after > t.LastEvent {
		return fault.Invalid("after_sequence", "SEQUENCE_AHEAD", "the task has no event %d yet, its last one is %d; continue after that", after, t.LastEvent)
	}
	if err := stream.SendHeader(nil); err != nil { // there may be no event for long
		return err
	}
	key := t.Key()
	t, err = s.engine.Watch(ctx, key, after, req.GetThroughGates(), func(e orchestrator.Event) error {
		return stream.Send(&orchestratorv1.WatchTaskResponse{
			Sequence: e.Sequence, Payload: &orchestratorv1.WatchTaskResponse_Event{Event: eventToProto(e)},
		})
	})
	if err != nil {
		return err
	}
	HoldMessage(p, &t)
	return stream.Send(&orchestratorv1.WatchTaskResponse{
		Sequence: t.LastEvent, Payload: &orchestratorv1.WatchTaskResponse_Task{Task: taskToProto(&t)},
	})
}

// CancelTask implements the RPC.
func (s *Service) CancelTask(ctx context.Context, req *orchestratorv1.CancelTaskRequest) (*orchestratorv1.Task, error) {
	t, err := Changeable(ctx, s.store, req.GetId())
	if err != nil {
		return nil, err
	}
	p, err := Caller(ctx)
	if err != nil {
		return nil, err
	}
	t, err = s.engine.Cancel(ctx, engine.Cancellation{Key: t.Key(), Caller: p.Name, Etag: cmp.Or(req.GetEtag(), rpcserver.IfMatch(ctx)), Again: true})
	if err != nil {
		return nil, err
	}
	return taskToProto(&t), nil
}

// ReplyToTask implements the RPC.
func (s *Service) ReplyToTask(ctx context.Context, req *orchestratorv1.ReplyToTaskRequest) (*orchestratorv1.Task, error) {
	if err := checkMetadata(req.GetMessage()); err != nil {
		return nil, err
	}
	t, err := Changeable(ctx, s.store, req.GetId())
	if err != nil {
		return nil, err
	}
	p, err := Caller(ctx)
	if err != nil {
		return nil, err
	}
	t, err = s.engine.Reply(ctx, engine.Reply{
		Key: t.Key(), Caller: p.Name, Message: req.GetMessage(), RequestID: req.GetRequestId(),
		Etag: cmp.Or(req.GetEtag(), rpcserver.IfMatch(ctx)),
	})
	if err != nil {
		return nil, err
	}
	return taskToProto(&t), nil
}
