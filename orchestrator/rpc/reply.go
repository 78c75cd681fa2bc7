package rpc

import (
	"cmp"
	"context"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/platform/rpcserver"
	orchestratorv1 "github.com/quorate/quorate/proto/gen/quorate/orchestrator/v1"
)

// ReplyToTask implements the RPC.
func (s *Service) ReplyToTask(ctx context.Context, req *orchestratorv1.ReplyToTaskRequest) (*orchestratorv1.Task, error) {
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

func turnToProto(turn orchestrator.Turn) *orchestratorv1.Turn {
	return &orchestratorv1.Turn{
		Number: int32(turn.Number), FromAgent: turn.FromAgent, Message: turn.Message, Time: timeToProto(turn.Time), //nolint:gosec // MaxTurns at most
		Pending: !turn.FromAgent && !turn.Done,
	}
}
