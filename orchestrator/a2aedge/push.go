package a2aedge

import (
	"context"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
)

// CreateTaskPushNotificationConfig implements the RPC. The receiver is notified of each state that the task enters from now on.
func (s *Service) CreateTaskPushNotificationConfig(ctx context.Context, req *a2apb.TaskPushNotificationConfig) (*a2apb.TaskPushNotificationConfig, error) {
	t, err := s.pushTask(ctx, req.GetTenant(), req.GetTaskId())
	if err != nil {
		return nil, err
	}
	w, err := s.engine.SetWebhook(ctx, t.Key(), webhookOf(req))
	if err != nil {
		return nil, translate(err)
	}
	return configOf(&t, w), nil
}

// GetTaskPushNotificationConfig implements the RPC. The answer has no credentials.
func (s *Service) GetTaskPushNotificationConfig(ctx context.Context, req *a2apb.GetTaskPushNotificationConfigRequest) (*a2apb.TaskPushNotificationConfig, error) {
	t, err := s.pushTask(ctx, req.GetTenant(), req.GetTaskId())
	if err != nil {
		return nil, err
	}
	for _, w := range t.Webhooks {
		if w.ID == req.GetId() {
			return configOf(&t, w), nil
		}
	}
	return nil, refusal(reasonTaskNotFound, "task %s has no push notification configuration %q", t.ID, fault.Clip(req.GetId()))
}

// ListTaskPushNotificationConfigs implements the RPC. All of them fit on one page, so there is no token of a further one.
func (s *Service) ListTaskPushNotificationConfigs(ctx context.Context, req *a2apb.ListTaskPushNotificationConfigsRequest) (*a2apb.ListTaskPushNotificationConfigsResponse, error) {
	t, err := s.pushTask(ctx, req.GetTenant(), req.GetTaskId())
	if err != nil {
		return nil, err
	}
	if size := req.GetPageSize(); size < 0 {
		return nil, fault.Invalid("page_size", "PAGE_SIZE_INVALID", "the page size %d is negative", size)
	}
	if req.GetPageToken() != "" {
		return nil, fault.Invalid("page_token", "PAGE_TOKEN_INVALID", "the page token does not belong to this list, which has one page only")
	}
	resp := &a2apb.ListTaskPushNotificationConfigsResponse{}
	for _, w := range t.Webhooks {
		resp.Configs = append(resp.Configs, configOf(&t, w))
	}
	return resp, nil
}

// DeleteTaskPushNotificationConfig implements the RPC.
func (s *Service) DeleteTaskPushNotificationConfig(ctx context.Context, req *a2apb.DeleteTaskPushNotificationConfigRequest) (*emptypb.Empty, error) {
	t, err := s.pushTask(ctx, req.GetTenant(), req.GetTaskId())
	if err != nil {
		return nil, err
	}
	return &emptypb.Empty{}, s.engine.RemoveWebhook(ctx, t.Key(), req.GetId())
}

// pushTask returns a task whose receivers the caller may see and change: the caller's own or, for an admin, any. What they are told is more
// than the task's agent may see.
func (s *Service) pushTask(ctx context.Context, agent, id string) (orchestrator.Task, error) {
	if err := checkCall(ctx, nil); err != nil {
		return orchestrator.Task{}, err
	}
	if err := checkTaskID("task_id", id); err != nil {
		return orchestrator.Task{}, err
	}
	return s.ownTask(ctx, agent, id)
}

func webhookOf(c *a2apb.TaskPushNotificationConfig) orchestrator.Webhook {
	return orchestrator.Webhook{
		ID: c.GetId(), URL: c.GetUrl(), Token: orchestrator.Credential(c.GetToken()), Scheme: c.GetAuthentication().GetScheme(),
		Credentials: orchestrator.Credential(c.GetAuthentication().GetCredentials()),
	}
}

// configOf returns a receiver without its credentials.
func configOf(t *orchestrator.Task, w orchestrator.Webhook) *a2apb.TaskPushNotificationConfig {
	c := &a2apb.TaskPushNotificationConfig{Id: w.ID, TaskId: t.ID, Url: w.URL, Token: w.Token.Reveal()}
	if w.Scheme != "" {
		c.Authentication = &a2apb.AuthenticationInfo{Scheme: w.Scheme}
	}
	return c
}

// inlineWebhook returns the receiver in a message, or nil when there is none.
func inlineWebhook(req *a2apb.SendMessageRequest) (*orchestrator.Webhook, error) {
	c := req.GetConfiguration().GetTaskPushNotificationConfig()
	if c == nil {
		return nil, nil //nolint:nilnil // to have none is valid
	}
	if c.GetTaskId() != "" && c.GetTaskId() != req.GetMessage().GetTaskId() {
		return nil, fault.Invalid("configuration.task_push_notification_config.task_id", "TASK_MISMATCH", "the configuration is for another task than the message")
	}
	w := webhookOf(c)
	return &w, nil
}

// Notification returns what a receiver is sent for an event: the task if it has ended or waits, otherwise its new state.
func Notification(t *orchestrator.Task, e orchestrator.Event) ([]byte, error) {
	if (orchestrator.Terminal(e.State) || orchestrator.Interrupted(e.State)) && e.State == t.State {
		return encode(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_Task{Task: taskToA2A(t, view{artifacts: true})}})
	}
	f := follower{key: t.Key(), contextID: t.ContextID}
	return encode(f.status(e, progressMessage(t.ID, t.ContextID, e)))
}
