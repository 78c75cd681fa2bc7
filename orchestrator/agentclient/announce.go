package agentclient

import (
	"context"
	"net/http"
	"net/url"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
)

// Announcer is a Client that can ask for push notifications.
type Announcer interface {
	// Announce asks the agent to post to receiver whenever the task changes (A2A §3.1.7).
	Announce(ctx context.Context, taskID, receiver string) error
}

var (
	_ Announcer = (*grpcClient)(nil)
	_ Announcer = (*jsonrpcClient)(nil)
	_ Announcer = (*restClient)(nil)
)

func announcement(tenant, taskID, receiver string) *a2apb.TaskPushNotificationConfig {
	return &a2apb.TaskPushNotificationConfig{Tenant: tenant, TaskId: taskID, Id: "quorate", Url: receiver}
}

func (c *grpcClient) Announce(ctx context.Context, taskID, receiver string) error {
	return c.call(ctx, a2apb.A2AService_CreateTaskPushNotificationConfig_FullMethodName, announcement(c.tenant, taskID, receiver), &a2apb.TaskPushNotificationConfig{})
}

func (c *jsonrpcClient) Announce(ctx context.Context, taskID, receiver string) error {
	return c.call(ctx, "CreateTaskPushNotificationConfig", announcement(c.tenant, taskID, receiver), &a2apb.TaskPushNotificationConfig{})
}

func (c *restClient) Announce(ctx context.Context, taskID, receiver string) error {
	path := "/tasks/" + url.PathEscape(taskID) + "/pushNotificationConfigs"
	return c.call(ctx, http.MethodPost, path, announcement(c.tenant, taskID, receiver), &a2apb.TaskPushNotificationConfig{})
}
