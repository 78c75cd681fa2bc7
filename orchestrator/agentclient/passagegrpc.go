package agentclient

import (
	"context"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/quorate/quorate/platform/fault/rpcfault"
	"github.com/quorate/quorate/registry"
)

// GRPCPassage passes calls on to an agent over gRPC. Requests and answers are Empty messages: their content is unknown fields and stays as it is.
type GRPCPassage struct {
	Tenant string // that requests must name; empty: none
	at     endpoint
	conn   passageConn
}

// passageConn is a gRPC connection for passages: plainGRPC without TLS, conn with TLS. An error of each ends a stream and is returned from it.
type passageConn interface {
	invoke(ctx context.Context, method string, req *emptypb.Empty) (*emptypb.Empty, error)
	stream(ctx context.Context, method string, req *emptypb.Empty, opened func(), each func(*emptypb.Empty) error) error
}

var (
	_ passageConn = (*plainGRPC)(nil)
	_ passageConn = (*conn)(nil)
)

// PassageOverGRPC returns the passage to an agent over gRPC, or nil when the agent does not offer gRPC.
func (p *Pool) PassageOverGRPC(name string, card *registry.Card) (*GRPCPassage, error) {
	in := interfaceFor(card, registry.BindingGRPC)
	if in == nil {
		return nil, nil //nolint:nilnil // to have none is valid
	}
	passage := &GRPCPassage{Tenant: in.Tenant, at: p.endpoint(name, in, card)}
	if u := address(in.URL); u.Scheme == "http" {
		passage.conn = p.plainGRPC(in.URL, u)
		return passage, nil
	}
	c, err := p.grpc(in.URL)
	if err != nil {
		return nil, err
	}
	passage.conn = c
	return passage, nil
}

// Invoke makes a unary call.
func (p *GRPCPassage) Invoke(ctx context.Context, method string, req *emptypb.Empty) (*emptypb.Empty, error) {
	resp, err := p.conn.invoke(ctx, method, req)
	if err != nil {
		return nil, p.passOn(ctx, err)
	}
	return resp, nil
}

// Stream makes a streaming call. It calls opened when the agent has accepted the call and not sent anything yet, and each for each answer. An error of
// each ends the call and is returned unchanged.
func (p *GRPCPassage) Stream(ctx context.Context, method string, req *emptypb.Empty, opened func(), each func(*emptypb.Empty) error) error {
	var own error // of each
	err := p.conn.stream(ctx, method, req, opened, func(resp *emptypb.Empty) error {
		own = each(resp)
		return own
	})
	if own != nil {
		return own
	}
	return p.passOn(ctx, err)
}

// passOn returns an agent's error unchanged, except errors between the agent and Quorate: the agent is unreachable, or rejects Quorate's credential.
func (p *GRPCPassage) passOn(ctx context.Context, err error) error {
	switch st, ok := status.FromError(err); {
	case err == nil:
		return nil
	case !ok:
		return unreachable(&p.at, err)
	case st.Code() == codes.Unavailable, st.Code() == codes.Unauthenticated, st.Code() == codes.PermissionDenied:
		return fromGRPC(ctx, &p.at, err)
	default:
		return &rpcfault.RelayedError{From: p.at.name, Answer: st}
	}
}
