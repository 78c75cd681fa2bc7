package board

import (
	"context"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

// unsupported answers the calls that the card of a kit agent does not offer, with the errors of the specification.
type unsupported struct{}

// GetTaskPushConfig returns a2a.ErrPushNotificationNotSupported.
func (unsupported) GetTaskPushConfig(context.Context, *a2a.GetTaskPushConfigRequest) (*a2a.PushConfig, error) {
	return nil, a2a.ErrPushNotificationNotSupported
}

// ListTaskPushConfigs returns a2a.ErrPushNotificationNotSupported.
func (unsupported) ListTaskPushConfigs(context.Context, *a2a.ListTaskPushConfigRequest) (*a2a.ListTaskPushConfigResponse, error) {
	return nil, a2a.ErrPushNotificationNotSupported
}

// CreateTaskPushConfig returns a2a.ErrPushNotificationNotSupported.
func (unsupported) CreateTaskPushConfig(context.Context, *a2a.PushConfig) (*a2a.PushConfig, error) {
	return nil, a2a.ErrPushNotificationNotSupported
}

// DeleteTaskPushConfig returns a2a.ErrPushNotificationNotSupported.
func (unsupported) DeleteTaskPushConfig(context.Context, *a2a.DeleteTaskPushConfigRequest) error {
	return a2a.ErrPushNotificationNotSupported
}

// GetExtendedAgentCard returns a2a.ErrUnsupportedOperation.
func (unsupported) GetExtendedAgentCard(context.Context, *a2a.GetExtendedAgentCardRequest) (*a2a.AgentCard, error) {
	return nil, a2a.ErrUnsupportedOperation
}
