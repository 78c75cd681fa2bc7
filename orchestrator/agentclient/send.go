package agentclient

import (
	"context"
	"errors"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
)

// sender sends messages in one binding.
type sender interface {
	sendStreaming(ctx context.Context, req *a2apb.SendMessageRequest, each Each) error
	sendOnce(ctx context.Context, req *a2apb.SendMessageRequest, each Each) error
}

// send sends a request and, if stream is true, asks for a stream. Some agents promise streams in their cards and do not have them: one that refuses before it
// has sent anything has not begun, and is asked without.
func send(ctx context.Context, c sender, req *a2apb.SendMessageRequest, stream bool, each Each) error {
	if stream {
		begun := false
		err := c.sendStreaming(ctx, req, func(r *a2apb.StreamResponse) error {
			begun = true
			return each(r)
		})
		if begun || !errors.Is(err, errUnsupported) {
			return err
		}
	}
	if req.GetConfiguration() == nil {
		req.Configuration = &a2apb.SendMessageConfiguration{}
	}
	req.Configuration.ReturnImmediately = true
	return c.sendOnce(ctx, req, each)
}

func sendRequest(tenant string, m *a2apb.Message) *a2apb.SendMessageRequest {
	req := orchestrator.ExtractRequest(m)
	req.Tenant = tenant
	return req
}
