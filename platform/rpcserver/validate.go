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
	s.turns.done(ctx)
	return next(ctx, req)
}

func (s *Server) validateStream(srv any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	return next(srv, &serverStream{ServerStream: stream, ctx: stream.Context(), check: func(message any) error {
		defer s.turns.done(stream.Context())
		return s.validate(message)
	}})
}

// validate returns a fault with the reason VALIDATION_FAILED and one violation for each rule of the proto that message breaks, up to 20.
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
		return fmt.Errorf("validating the request: %w", err) // a rule of ours is wrong
	}
	list, text := Violations(invalid)
	return &fault.Error{Kind: fault.InvalidArgument, Reason: "VALIDATION_FAILED", Message: text, Violations: list}
}

// maxViolations bounds the violations of one error: a request of one megabyte can break hundreds of thousands of rules.
const maxViolations = 20

// Violations returns up to 20 of the rules that a message breaks, and a text that lists these and says how many more there are.
func Violations(invalid *protovalidate.ValidationError) (list []fault.Violation, text string) {
	var texts []string
	for i, v := range invalid.Violations {
		if i == maxViolations {
			texts = append(texts, fmt.Sprintf("and %d more", len(invalid.Violations)-i))
			break
		}
		field, text := protovalidate.FieldPathString(v.Proto.GetField()), complaint(v)
		list = append(list, fault.Violation{Field: field, Description: text})
		texts = append(texts, strings.TrimPrefix(field+": "+text, ": "))
	}
	return list, strings.Join(texts, "; ")
}

// complaint says what a value must be. It rewords rules that protovalidate states less plainly.
func complaint(v *protovalidate.Violation) string {
	switch id := v.Proto.GetRuleId(); {
	case id == "string.min_len" && v.RuleValue.Uint() == 1:
		return "value is required"
	case id == "string.in":
		var words []string
		for i, list := 0, v.RuleValue.List(); i < list.Len(); i++ {
			if word := list.Get(i).String(); word != "" { // which stands for "not given"
				words = append(words, word)
			}
		}
		return "must be one of " + strings.Join(words, ", ")
	default:
		return v.Proto.GetMessage()
	}
}
