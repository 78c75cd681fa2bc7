package agentclient

import (
	"context"
	"errors"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/quorate/quorate/platform/fault/rpcfault"
	"github.com/quorate/quorate/platform/grpcwire"
	"github.com/quorate/quorate/registry/agentcard"
)

// GRPCPassage passes calls on to an agent over gRPC. Requests and answers are Empty messages: their content is unknown fields and stays as it is.
type GRPCPassage struct {
	Tenant string // that requests must name; empty: none
	caller grpcCaller
}

// PassageOverGRPC returns the passage to an agent over gRPC, or nil when the agent does not offer gRPC.
func (p *Pool) PassageOverGRPC(name string, card *agentcard.Card) *GRPCPassage {
	in := interfaceFor(card, agentcard.BindingGRPC)
	if in == nil {
		return nil
	}
	c := grpcCaller{at: p.endpoint(name, in, card), wire: p.wire(in.URL), intake: p.intake, relays: true, failed: passOn}
	return &GRPCPassage{Tenant: in.Tenant, caller: c}
}

// Invoke makes a unary call.
func (p *GRPCPassage) Invoke(ctx context.Context, method string, req *emptypb.Empty) (resp *emptypb.Empty, err error) {
	err = p.caller.invoke(ctx, method, req.ProtoReflect().GetUnknown(), func(answer []byte) error {
		resp = asEmpty(answer)
		return nil
	})
	return resp, err
}

// Stream makes a streaming call. It calls opened when the agent has accepted the call and not sent anything yet, and each for each answer. An error of
// each ends the call and is returned unchanged.
func (p *GRPCPassage) Stream(ctx context.Context, method string, req *emptypb.Empty, opened func(), each func(*emptypb.Empty) error) error {
	return p.caller.stream(ctx, method, req.ProtoReflect().GetUnknown(), opened, func(answer []byte) error { return each(asEmpty(answer)) })
}

// asEmpty returns a message with encoded as unknown fields, which nobody here reads.
func asEmpty(encoded []byte) *emptypb.Empty {
	m := &emptypb.Empty{}
	m.ProtoReflect().SetUnknown(encoded)
	return m
}

// passOn returns an agent's error unchanged, except errors between the agent and Quorate: the agent is unreachable, breaks off, or rejects Quorate's
// credential.
func passOn(ctx context.Context, at *endpoint, err error) error {
	switch st, ok := status.FromError(err); {
	case !ok:
		return unreachable(at, err)
	case st.Code() == codes.Unavailable, st.Code() == codes.Unauthenticated, st.Code() == codes.PermissionDenied, isOwn(ctx, err):
		return fromGRPC(ctx, at, err)
	default:
		return &rpcfault.RelayedError{From: at.name, Answer: st}
	}
}

// isOwn reports whether this end found the error of a call under ctx: then it is nothing that the agent has said.
func isOwn(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, grpcwire.ErrNotBegun) || errors.Is(err, grpcwire.ErrCutOff) || errors.Is(err, grpcwire.ErrTooLarge)
}
