package a2aedge

import (
	"context"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
	taskrpc "github.com/quorate/quorate/orchestrator/rpc"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/page"
)

// cancelWait is how long CancelTask waits for the task to end before it answers with the task as it is.
const cancelWait = 8 * time.Second

// Config holds the dependencies and settings of a Service. All fields are required except Passages.
type Config struct {
	Engine    *engine.Engine
	Store     orchestrator.Store
	Pages     *page.Codec
	Directory Directory
	Passages  Passages
}

// Service implements a2apb.A2AServiceServer over the task engine.
type Service struct {
	a2apb.UnimplementedA2AServiceServer

	engine    *engine.Engine
	store     orchestrator.Store
	pages     *page.Codec
	passages  Passages
	directory Directory
}

var _ a2apb.A2AServiceServer = (*Service)(nil)

// New returns the A2A service.
func New(c Config) *Service {
	return &Service{engine: c.Engine, store: c.Store, pages: c.Pages, passages: c.Passages, directory: c.Directory}
}

// Rules returns who may call the A2A service, which is the same as for the task API.
func Rules() auth.Rules {
	submit := auth.Rule{Roles: []auth.Role{auth.RoleAdmin, auth.RoleDispatcher}}
	read := auth.Rule{Roles: []auth.Role{auth.RoleAdmin, auth.RoleDispatcher, auth.RoleViewer, auth.RoleAgent}}
	return auth.Rules{
		a2apb.A2AService_SendMessage_FullMethodName:                      submit,
		a2apb.A2AService_SendStreamingMessage_FullMethodName:             submit,
		a2apb.A2AService_CancelTask_FullMethodName:                       submit,
		a2apb.A2AService_GetTask_FullMethodName:                          read,
		a2apb.A2AService_ListTasks_FullMethodName:                        read,
		a2apb.A2AService_SubscribeToTask_FullMethodName:                  read,
		a2apb.A2AService_CreateTaskPushNotificationConfig_FullMethodName: submit,
		a2apb.A2AService_GetTaskPushNotificationConfig_FullMethodName:    submit,
		a2apb.A2AService_ListTaskPushNotificationConfigs_FullMethodName:  submit,
		a2apb.A2AService_DeleteTaskPushNotificationConfig_FullMethodName: submit,
		a2apb.A2AService_GetExtendedAgentCard_FullMethodName:             read,
	}
}

// GetTask implements the RPC.
func (s *Service) GetTask(ctx context.Context, req *a2apb.GetTaskRequest) (*a2apb.Task, error) {
	if err := checkCall(ctx, req.HistoryLength); err != nil { //nolint:protogetter // 0 is not the same as none
		return nil, err
	}
	t, err := s.task(ctx, req.GetTenant(), req.GetId())
	if err != nil {
		return nil, err
	}
	return s.show(ctx, &t, view{history: req.HistoryLength, artifacts: true})
}

// CancelTask implements the RPC. It waits briefly for the task to end, since most clients expect that.
func (s *Service) CancelTask(ctx context.Context, req *a2apb.CancelTaskRequest) (*a2apb.Task, error) {
	if err := checkCall(ctx, nil); err != nil {
		return nil, err
	}
	t, err := s.ownTask(ctx, req.GetTenant(), req.GetId())
	if err != nil {
		return nil, err
	}
	p, err := taskrpc.Caller(ctx)
	if err != nil {
		return nil, err
	}
	if t, err = s.engine.Cancel(ctx, engine.Cancellation{Key: t.Key(), Caller: p.Name, With: req.GetMetadata()}); err != nil {
		return nil, translate(err)
	}
	waiting, cancel := context.WithTimeout(ctx, cancelWait)
	defer cancel()
	now, err := s.engine.Watch(waiting, t.Key(), t.LastEvent, true, func(orchestrator.Event) error { return nil })
	if err != nil && waiting.Err() == nil {
		return nil, err
	}
	if now.ID != "" { // or the wait ended during a read
		t = now
	}
	return s.show(ctx, &t, view{artifacts: true})
}

// task returns a task that the caller may see. At the base URL of an agent, tasks of other agents are not found.
func (s *Service) task(ctx context.Context, agent, id string) (orchestrator.Task, error) {
	return s.taskBy(ctx, taskrpc.Visible, agent, id)
}

// ownTask is task for one that the caller may change.
func (s *Service) ownTask(ctx context.Context, agent, id string) (orchestrator.Task, error) {
	return s.taskBy(ctx, taskrpc.Changeable, agent, id)
}

func (s *Service) taskBy(
	ctx context.Context, get func(context.Context, orchestrator.Store, string) (orchestrator.Task, error), agent, id string,
) (orchestrator.Task, error) {
	if err := checkTaskID("id", id); err != nil {
		return orchestrator.Task{}, err
	}
	t, err := get(ctx, s.store, id)
	if err != nil {
		return t, translate(err)
	}
	if agent != "" && t.Agent != agent {
		return t, refusal(reasonTaskNotFound, "there is no task %q of agent %q", id, agent)
	}
	return t, nil
}

// checkTaskID refuses a request without the id of a task, which is required, in the field that is for it.
func checkTaskID(field, id string) error {
	if id == "" {
		return fault.Invalid(field, "TASK_ID_MISSING", "the request names no task: set %s", field)
	}
	return nil
}

// GetExtendedAgentCard implements the RPC.
func (s *Service) GetExtendedAgentCard(ctx context.Context, _ *a2apb.GetExtendedAgentCardRequest) (*a2apb.AgentCard, error) {
	if err := checkCall(ctx, nil); err != nil {
		return nil, err
	}
	return nil, refusal(reasonUnsupportedOperation, "there is no extended agent card: the card says all")
}
