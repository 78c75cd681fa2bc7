// Package rpc serves the task API: it turns requests into calls of the engine, shows each caller only what it may see, and turns tasks into
// messages. Artifacts behind an open gate stop here.
package rpc

import (
	"context"
	"fmt"

	"google.golang.org/grpc"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/page"
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

// Rules says who may call the task service.
func Rules() auth.Rules {
	submit := []auth.Role{auth.RoleAdmin, auth.RoleDispatcher}
	read := []auth.Role{auth.RoleAdmin, auth.RoleDispatcher, auth.RoleViewer, auth.RoleAgent}
	return auth.Rules{
		orchestratorv1.TaskService_SubmitTask_FullMethodName: {Roles: submit},
		orchestratorv1.TaskService_CancelTask_FullMethodName: {Roles: submit},
		orchestratorv1.TaskService_GetTask_FullMethodName:    {Roles: read},
		orchestratorv1.TaskService_ListTasks_FullMethodName:  {Roles: read},
		orchestratorv1.TaskService_WatchTask_FullMethodName:  {Roles: read},
	}
}

// SubmitTask implements the RPC.
func (s *Service) SubmitTask(ctx context.Context, req *orchestratorv1.SubmitTaskRequest) (*orchestratorv1.Task, error) {
	p, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	sub := engine.Submission{
		Tenant: p.Tenant, Caller: p.Name, Message: req.GetMessage(), RequestID: req.GetRequestId(), Attributes: attributes(req.GetAttributes()),
		Route: orchestrator.Route{Agent: req.GetRoute().GetAgent(), Skill: req.GetRoute().GetSkill()},
	}
	if d := req.GetDeadline(); d != nil {
		sub.Deadline = d.AsTime()
	}
	t, err := s.engine.Submit(ctx, sub)
	if err != nil {
		return nil, err
	}
	return taskToProto(&t), nil
}

// GetTask implements the RPC.
func (s *Service) GetTask(ctx context.Context, req *orchestratorv1.GetTaskRequest) (*orchestratorv1.Task, error) {
	t, err := visible(ctx, s.store, req.GetId())
	if err != nil {
		return nil, err
	}
	return taskToProto(&t), nil
}

// ListTasks implements the RPC. Pages may be shorter than asked for where the caller may not see all tasks.
func (s *Service) ListTasks(ctx context.Context, req *orchestratorv1.ListTasksRequest) (*orchestratorv1.ListTasksResponse, error) {
	p, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	scope := fmt.Sprintf("tasks %q %q", p.Tenant, p.Name)
	after, err := s.pages.Decode(scope, req.GetPageToken())
	if err != nil {
		return nil, err
	}
	list, next, err := s.store.Tasks(ctx, p.Tenant, string(after), page.Size(req.GetPageSize()))
	if err != nil {
		return nil, err
	}
	resp := &orchestratorv1.ListTasksResponse{NextPageToken: s.pages.Encode(scope, []byte(next))}
	for i := range list {
		if maySee(p, &list[i]) {
			resp.Tasks = append(resp.Tasks, taskToProto(&list[i]))
		}
	}
	return resp, nil
}

// WatchTask implements the RPC.
func (s *Service) WatchTask(req *orchestratorv1.WatchTaskRequest, stream grpc.ServerStreamingServer[orchestratorv1.WatchTaskResponse]) error {
	ctx := stream.Context()
	t, err := visible(ctx, s.store, req.GetId())
	if err != nil {
		return err
	}
	if req.GetAfterSequence() > t.LastEvent {
		return fault.Invalid("after_sequence", "SEQUENCE_AHEAD", "the task's last event has the number %d", t.LastEvent)
	}
	key := orchestrator.Key{Tenant: t.Tenant, ID: t.ID}
	t, err = s.engine.Watch(ctx, key, req.GetAfterSequence(), req.GetThroughGates(), func(e orchestrator.Event) error {
		return stream.Send(&orchestratorv1.WatchTaskResponse{
			Sequence: e.Sequence, Payload: &orchestratorv1.WatchTaskResponse_Event{Event: eventToProto(e)},
		})
	})
	if err != nil {
		return err
	}
	return stream.Send(&orchestratorv1.WatchTaskResponse{
		Sequence: t.LastEvent, Payload: &orchestratorv1.WatchTaskResponse_Task{Task: taskToProto(&t)},
	})
}

// CancelTask implements the RPC.
func (s *Service) CancelTask(ctx context.Context, req *orchestratorv1.CancelTaskRequest) (*orchestratorv1.Task, error) {
	t, err := visible(ctx, s.store, req.GetId())
	if err != nil {
		return nil, err
	}
	p, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	t, err = s.engine.Cancel(ctx, orchestrator.Key{Tenant: t.Tenant, ID: t.ID}, p.Name)
	if err != nil {
		return nil, err
	}
	return taskToProto(&t), nil
}

// visible returns a task that the caller may see. One that it may not is as good as none.
func visible(ctx context.Context, store orchestrator.Store, id string) (orchestrator.Task, error) {
	p, err := caller(ctx)
	if err != nil {
		return orchestrator.Task{}, err
	}
	t, err := store.Task(ctx, orchestrator.Key{Tenant: p.Tenant, ID: id})
	if err != nil {
		return t, err
	}
	if !maySee(p, &t) {
		return orchestrator.Task{}, fault.New(fault.NotFound, "TASK_NOT_FOUND", "there is no task %q", id).With("task", id)
	}
	return t, nil
}

// maySee: admins and viewers see all tasks of their tenant, others those they submitted, and agents those they execute.
func maySee(p auth.Principal, t *orchestrator.Task) bool {
	return p.Is(auth.RoleAdmin, auth.RoleViewer) || t.Owner == p.Name || (p.Is(auth.RoleAgent) && t.Agent == p.Name)
}

func caller(ctx context.Context) (auth.Principal, error) {
	p, ok := auth.FromContext(ctx)
	if !ok {
		return p, fault.New(fault.Unauthenticated, "UNAUTHENTICATED", "the call has no caller")
	}
	return p, nil
}
