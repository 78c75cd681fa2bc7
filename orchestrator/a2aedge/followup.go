package a2aedge

import (
	"context"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
	taskrpc "github.com/quorate/quorate/orchestrator/rpc"
	"github.com/quorate/quorate/platform/fault"
	orchestratorv1 "github.com/quorate/quorate/proto/gen/quorate/orchestrator/v1"
)

// followUp sends a message to an existing task (A2A §3.4.3). Of the metadata under TaskExtension it uses requestId only; message ids do not identify
// a request, since some clients reuse them.
func (s *Service) followUp(ctx context.Context, req *a2apb.SendMessageRequest, webhook *orchestrator.Webhook) (orchestrator.Task, error) {
	m := req.GetMessage()
	t, err := s.ownTask(ctx, req.GetTenant(), m.GetTaskId())
	if err != nil {
		return t, err
	}
	if err := checkMessage(m); err != nil {
		return t, err
	}
	if err := addExtensions(ctx, m); err != nil {
		return t, err
	}
	p, err := taskrpc.Caller(ctx)
	if err != nil {
		return t, err
	}
	reply, err := followUpRequestOf(m)
	if err != nil {
		return t, err
	}
	t, err = s.engine.Reply(ctx, engine.Reply{Key: t.Key(), Caller: p.Name, Message: m, RequestID: reply.GetRequestId(), Webhook: webhook})
	switch fault.ReasonOf(err) {
	case "TASK_ENDED", "TASK_NOT_WAITING", "TOO_MANY_TURNS", "TURNS_TOO_LARGE":
		return t, refusal(reasonUnsupportedOperation, "%s", fault.From(err).Message)
	}
	return t, translate(err)
}

// followUpRequestOf reads the metadata of a follow-up under TaskExtension, by the rules of the task API.
func followUpRequestOf(m *a2apb.Message) (*orchestratorv1.ReplyToTaskRequest, error) {
	reply := &orchestratorv1.ReplyToTaskRequest{}
	value, ok := m.GetMetadata().GetFields()[TaskExtension]
	if !ok {
		return reply, nil
	}
	raw, err := protojson.Marshal(value)
	if err == nil {
		err = protojson.UnmarshalOptions{RecursionLimit: maxDepth}.Unmarshal(raw, reply)
	}
	if err != nil || reply.GetId() != "" || reply.GetMessage() != nil {
		return nil, fault.Invalid("message.metadata", "TASK_EXTENSION_INVALID", "a message to a task takes requestId and nothing else under %s", TaskExtension)
	}
	reply.Id, reply.Message = m.GetTaskId(), m
	return reply, validate(reply)
}
