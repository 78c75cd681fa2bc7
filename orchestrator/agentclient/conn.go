package agentclient

import (
	"context"
	"errors"
	"io"
	"net/url"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/quorate/quorate/orchestrator/agentauth"
	"github.com/quorate/quorate/platform/fault"
)

// conn is a gRPC connection that adds the service parameters and the credentials for the agent to each call.
type conn struct {
	*grpc.ClientConn
	url         *url.URL
	credentials *agentauth.Credentials
	cert        *agentauth.Credential // whose client certificate the connection uses; nil for none
	since       time.Time             // when it was made
	undialed    atomic.Pointer[error] // why it could not be made the last time
}

// credential returns the credential for a call that begins now, or nil.
func (c *conn) credential() *agentauth.Credential { return c.credentials.For(c.url) }

var _ grpc.ClientConnInterface = (*conn)(nil)

// Invoke makes a unary call.
func (c *conn) Invoke(ctx context.Context, method string, args, reply any, opts ...grpc.CallOption) error {
	shows := c.credential()
	ctx, err := outgoing(ctx, shows)
	if err != nil {
		return err
	}
	if shows == nil {
		return c.dialError(c.ClientConn.Invoke(ctx, method, args, reply, opts...))
	}
	begun := time.Now()
	return c.dialError(credentialError(shows, begun, c.ClientConn.Invoke(ctx, method, args, reply, opts...)))
}

// NewStream begins a call whose answers are a stream.
func (c *conn) NewStream(ctx context.Context, desc *grpc.StreamDesc, method string, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	shows := c.credential()
	ctx, err := outgoing(ctx, shows)
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	s, err := c.ClientConn.NewStream(ctx, desc, method, opts...)
	if err != nil {
		return nil, c.dialError(credentialError(shows, begun, err))
	}
	if shows == nil {
		return s, nil
	}
	return &stream{ClientStream: s, credential: shows, begun: begun}, nil
}

// stream is a stream from an agent to which a credential was sent.
type stream struct {
	grpc.ClientStream
	credential *agentauth.Credential
	begun      time.Time
}

// RecvMsg receives the next answer.
func (s *stream) RecvMsg(m any) error {
	return credentialError(s.credential, s.begun, s.ClientStream.RecvMsg(m))
}

// credentialError returns the error of a call that began at begun. If the agent rejected the credential, and there is a newer one now or soon, the
// error says that the call may be repeated. It is not repeated here, because over gRPC the agent may have begun to work.
func credentialError(shows *agentauth.Credential, begun time.Time, err error) error {
	if err == nil || status.Code(err) != codes.Unauthenticated || !shows.Refused(begun) {
		return err
	}
	return fault.New(fault.Unavailable, agentauth.ReasonUnavailable, "the agent no longer accepts the credential that Quorate had for it; the next call has a new one")
}

// outgoing adds the parameters of every request to those in the context.
func outgoing(ctx context.Context, shows *agentauth.Credential) (context.Context, error) {
	p, err := parameters(ctx, shows)
	if err != nil {
		return nil, err
	}
	return metadata.AppendToOutgoingContext(ctx, p...), nil
}

// invoke makes a unary call of a passage.
func (c *conn) invoke(ctx context.Context, method string, req *emptypb.Empty) (*emptypb.Empty, error) {
	resp := &emptypb.Empty{}
	return resp, c.Invoke(ctx, method, req, resp)
}

// stream makes a streaming call of a passage.
func (c *conn) stream(ctx context.Context, method string, req *emptypb.Empty, opened func(), each func(*emptypb.Empty) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s, err := c.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, method)
	if err == nil {
		err = s.SendMsg(req)
	}
	if err == nil {
		err = s.CloseSend()
	}
	if err != nil && !errors.Is(err, io.EOF) { // io.EOF means that the stream broke, and RecvMsg says why
		return err
	}
	if header, err := s.Header(); err == nil && header != nil { // without a header RecvMsg says why
		opened()
	}
	for {
		resp := &emptypb.Empty{}
		err := s.RecvMsg(resp)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := each(resp); err != nil {
			return err
		}
	}
}
