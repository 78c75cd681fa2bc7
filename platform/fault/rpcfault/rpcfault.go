// Package rpcfault is the one mapping between faults and gRPC statuses.
//
// It speaks google.rpc: each status carries one ErrorInfo, and BadRequest and RetryInfo where they apply. The text of an
// internal error and the cause of any fault stay on the server.
package rpcfault

import (
	"time"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/quorate/quorate/platform/fault"
)

// Domain is the ErrorInfo domain of every reason that Quorate documents.
const Domain = "quorate"

var toCode = map[fault.Kind]codes.Code{
	fault.Internal:           codes.Internal,
	fault.InvalidArgument:    codes.InvalidArgument,
	fault.NotFound:           codes.NotFound,
	fault.AlreadyExists:      codes.AlreadyExists,
	fault.Conflict:           codes.Aborted,
	fault.FailedPrecondition: codes.FailedPrecondition,
	fault.Unauthenticated:    codes.Unauthenticated,
	fault.PermissionDenied:   codes.PermissionDenied,
	fault.ResourceExhausted:  codes.ResourceExhausted,
	fault.Unavailable:        codes.Unavailable,
	fault.DeadlineExceeded:   codes.DeadlineExceeded,
}

// CodeName returns the name of a kind's code, such as NOT_FOUND.
func CodeName(kind fault.Kind) string { return code.Code_name[int32(toCode[kind])] } //nolint:gosec // codes are small

// KindOfCode returns the kind for the name of a code. It is Internal for any other name.
func KindOfCode(name string) fault.Kind {
	kind, _ := fromCode(codes.Code(code.Code_value[name])) //nolint:gosec // codes are not negative
	return kind
}

// Status returns the status for err, with the details that a client needs and nothing that it must not see.
//
// A status error that is not wrapped was made for the client on purpose (A2A and health define their own) and is
// returned unchanged. A wrapped one is the result of a call that we made, and is internal.
func Status(err error) *status.Status {
	if err == nil {
		return status.New(codes.OK, "")
	}
	if own, ok := err.(interface{ GRPCStatus() *status.Status }); ok {
		return own.GRPCStatus()
	}
	e := fault.From(err)
	info := &errdetails.ErrorInfo{Reason: e.Reason, Domain: Domain, Metadata: short(e.Metadata)}
	message := e.Message
	if e.Kind == fault.Internal {
		message, info.Metadata = "internal error", nil
	}
	st := status.New(toCode[e.Kind], brief(message))
	detailed, err := st.WithDetails(details(e, info)...)
	if err != nil { // a detail that cannot be marshalled
		return st
	}
	return detailed
}

func details(e *fault.Error, info *errdetails.ErrorInfo) []protoadapt.MessageV1 {
	list := []protoadapt.MessageV1{info}
	if len(e.Violations) > 0 {
		list = append(list, badRequest(e.Violations))
	}
	if e.RetryAfter > 0 {
		list = append(list, &errdetails.RetryInfo{RetryDelay: durationpb.New(e.RetryAfter)})
	}
	return list
}

// FromStatus turns the error of a gRPC call back into a *fault.Error. An error that is not a status is returned unchanged.
func FromStatus(err error) error {
	if err == nil {
		return nil
	}
	st, ok := status.FromError(err)
	if !ok {
		return err
	}
	kind, reason := fromCode(st.Code())
	e := &fault.Error{Kind: kind, Reason: reason, Message: st.Message()}
	for _, d := range st.Details() {
		switch d := d.(type) {
		case *errdetails.ErrorInfo:
			e.Reason, e.Metadata = d.GetReason(), d.GetMetadata()
		case *errdetails.BadRequest:
			for _, v := range d.GetFieldViolations() {
				e.Violations = append(e.Violations, fault.Violation{Field: v.GetField(), Description: v.GetDescription()})
			}
		case *errdetails.RetryInfo:
			e.RetryAfter = max(0, d.GetRetryDelay().AsDuration().Round(time.Millisecond))
		}
	}
	return e
}

// FromBody returns the *fault.Error in the body of an HTTP answer that is a google.rpc.Status in protobuf, or nil if it is none.
func FromBody(body []byte) error {
	var st spb.Status
	if err := proto.Unmarshal(body, &st); err != nil || st.GetCode() <= int32(codes.OK) || st.GetCode() > int32(codes.Unauthenticated) {
		return nil //nolint:nilerr // the caller handles bodies without a status
	}
	return FromStatus(status.FromProto(&st).Err())
}

// fromCode returns the kind for a code, and the reason to use if the status has none.
func fromCode(code codes.Code) (kind fault.Kind, reason string) {
	switch code {
	case codes.InvalidArgument, codes.OutOfRange:
		return fault.InvalidArgument, "INVALID_ARGUMENT"
	case codes.NotFound:
		return fault.NotFound, "NOT_FOUND"
	case codes.AlreadyExists:
		return fault.AlreadyExists, "ALREADY_EXISTS"
	case codes.Aborted:
		return fault.Conflict, "ABORTED"
	case codes.FailedPrecondition:
		return fault.FailedPrecondition, "FAILED_PRECONDITION"
	case codes.Unimplemented:
		return fault.FailedPrecondition, "UNIMPLEMENTED"
	case codes.Unauthenticated:
		return fault.Unauthenticated, "UNAUTHENTICATED"
	case codes.PermissionDenied:
		return fault.PermissionDenied, "PERMISSION_DENIED"
	case codes.ResourceExhausted:
		return fault.ResourceExhausted, "RESOURCE_EXHAUSTED"
	case codes.Unavailable:
		return fault.Unavailable, "UNAVAILABLE"
	case codes.Canceled:
		return fault.Unavailable, "CANCELED"
	case codes.DeadlineExceeded:
		return fault.DeadlineExceeded, "DEADLINE_EXCEEDED"
	default:
		return fault.Internal, "INTERNAL"
	}
}
