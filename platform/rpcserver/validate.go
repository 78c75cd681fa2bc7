package rpcserver

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"buf.build/go/protovalidate"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/quorate/quorate/platform/fault"
)

func (s *Server) validateUnary(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	if err := s.validate(req); err != nil {
		return nil, err
	}
	return next(ctx, req)
}

func (s *Server) validateStream(srv any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	return next(srv, &serverStream{ServerStream: stream, ctx: stream.Context(), check: s.validate})
}

// validate returns a fault with the reason VALIDATION_FAILED and one violation for each rule of the proto that message
// breaks.
func (s *Server) validate(message any) error {
	m, ok := message.(proto.Message)
	if !ok {
		return fmt.Errorf("request %T is no protobuf message", message)
	}
	if _, empty := message.(*emptypb.Empty); empty {
		return nil // it has no field that a rule could be about
	}
	err := s.validator.Validate(m)
	if err == nil {
		return nil
	}
	invalid, ok := errors.AsType[*protovalidate.ValidationError](err)
	if !ok {
		return fmt.Errorf("validating the request: %w", err) // a rule of ours is broken
	}
	e := &fault.Error{Kind: fault.InvalidArgument, Reason: "VALIDATION_FAILED"}
	var texts []string
	for _, v := range invalid.Violations {
		field, text := protovalidate.FieldPathString(v.Proto.GetField()), v.Proto.GetMessage()
		e.Violations = append(e.Violations, fault.Violation{Field: field, Description: text})
		texts = append(texts, strings.TrimPrefix(field+": "+text, ": "))
	}
	e.Message = strings.Join(texts, "; ")
	return e
}
