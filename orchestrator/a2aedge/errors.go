package a2aedge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/fault/rpcfault"
)

// ErrorDomain is the domain in the ErrorInfo of errors that A2A defines (A2A §3.3.2).
const ErrorDomain = "a2a-protocol.org"

// Reasons of the errors that A2A defines.
const (
	reasonTaskNotFound         = "TASK_NOT_FOUND"
	reasonTaskNotCancelable    = "TASK_NOT_CANCELABLE"
	reasonPushNotSupported     = "PUSH_NOTIFICATION_NOT_SUPPORTED"
	reasonUnsupportedOperation = "UNSUPPORTED_OPERATION"
	reasonContentType          = "CONTENT_TYPE_NOT_SUPPORTED"
	reasonExtension            = "EXTENSION_SUPPORT_REQUIRED"
	reasonVersion              = "VERSION_NOT_SUPPORTED"
	reasonAgentAnswer          = "INVALID_AGENT_RESPONSE"
)

// reasonTooLarge is the reason for a body over the limit, for which HTTP has a status of its own.
const reasonTooLarge = "BODY_TOO_LARGE"

// a2aError is one row of A2A's table of errors (A2A §5.4): its codes in each binding.
type a2aError struct {
	jsonrpc int
	grpc    codes.Code
	http    int
}

// a2aErrors is the table by reason, as of A2A v1.0.1.
var a2aErrors = map[string]a2aError{
	reasonTaskNotFound:                   {-32001, codes.NotFound, 404},
	reasonTaskNotCancelable:              {-32002, codes.FailedPrecondition, 400},
	reasonPushNotSupported:               {-32003, codes.FailedPrecondition, 400},
	reasonUnsupportedOperation:           {-32004, codes.FailedPrecondition, 400},
	reasonContentType:                    {-32005, codes.InvalidArgument, 400},
	reasonAgentAnswer:                    {-32006, codes.Internal, 500},
	"EXTENDED_AGENT_CARD_NOT_CONFIGURED": {-32007, codes.FailedPrecondition, 400},
	reasonExtension:                      {-32008, codes.FailedPrecondition, 400},
	reasonVersion:                        {-32009, codes.FailedPrecondition, 400},
}

// Codes of JSON-RPC 2.0, and a2a-go's codes for HTTP's 401 and 403.
const (
	codeParse           = -32700
	codeInvalidRequest  = -32600
	codeMethodNotFound  = -32601
	codeInvalidParams   = -32602
	codeInternal        = -32603
	codeUnauthenticated = -31401
	codePermission      = -31403
)

// refusal returns an error of A2A's table as a status that reaches the client unchanged.
func refusal(reason, format string, args ...any) error {
	st := status.New(a2aErrors[reason].grpc, fmt.Sprintf(format, args...))
	detailed, err := st.WithDetails(&errdetails.ErrorInfo{Reason: reason, Domain: ErrorDomain})
	if err != nil { // the text is not UTF-8
		return st.Err()
	}
	return detailed.Err()
}

// translate returns the A2A error for a fault of the engine if there is one, and other errors unchanged.
func translate(err error) error {
	switch f := fault.From(err); {
	case f == nil:
		return nil
	case f.Reason == "TASK_NOT_FOUND":
		return refusal(reasonTaskNotFound, "%s", f.Message)
	case f.Reason == "PUSH_NOT_SUPPORTED":
		return refusal(reasonPushNotSupported, "%s", f.Message)
	case f.Reason == "TASK_ENDED":
		return refusal(reasonTaskNotCancelable, "%s", f.Message)
	}
	return err
}

// passageError returns the A2A error for a fault of a passage if there is one, and other errors unchanged.
func passageError(err error) error {
	if fault.ReasonOf(err) == agentclient.ReasonAnswerInvalid {
		return refusal(reasonAgentAnswer, "%s", fault.From(err).Message)
	}
	return err
}

// a2aRow returns the row of A2A's table for a status.
func a2aRow(st *status.Status) (a2aError, bool) {
	for _, d := range st.Details() {
		if info, ok := d.(*errdetails.ErrorInfo); ok && info.GetDomain() == ErrorDomain {
			row, ok := a2aErrors[info.GetReason()]
			return row, ok
		}
	}
	return a2aError{}, false
}

// jsonrpcCode returns the JSON-RPC code of a status.
func jsonrpcCode(st *status.Status) int {
	if row, ok := a2aRow(st); ok {
		return row.jsonrpc
	}
	switch st.Code() {
	case codes.InvalidArgument, codes.NotFound, codes.AlreadyExists, codes.FailedPrecondition, codes.Aborted, codes.OutOfRange:
		return codeInvalidParams
	case codes.Unauthenticated:
		return codeUnauthenticated
	case codes.PermissionDenied:
		return codePermission
	default:
		return codeInternal
	}
}

// httpCode returns the HTTP status of an HTTP+JSON answer.
func httpCode(st *status.Status) int {
	if row, ok := a2aRow(st); ok {
		return row.http
	}
	if isTooLarge(st) {
		return http.StatusRequestEntityTooLarge
	}
	return runtime.HTTPStatusFromCode(st.Code())
}

// jsonrpcHTTPCode returns the HTTP status of a JSON-RPC answer, which is 200 for everything that is not HTTP's own matter.
func jsonrpcHTTPCode(st *status.Status) int {
	switch {
	case st.Code() == codes.Unauthenticated:
		return http.StatusUnauthorized
	case st.Code() == codes.PermissionDenied:
		return http.StatusForbidden
	case isTooLarge(st):
		return http.StatusRequestEntityTooLarge
	default:
		return http.StatusOK
	}
}

func isTooLarge(st *status.Status) bool {
	return fault.ReasonOf(rpcfault.FromStatus(st.Err())) == reasonTooLarge
}

// statusOf returns the status that the client sees for an error: that of a call unchanged, that of a fault by rpcfault's mapping.
func statusOf(err error) *status.Status { return rpcfault.Status(err) }

// detailsOf encodes the details of a status as JSON, each with its @type.
func detailsOf(st *status.Status) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('[')
	for _, d := range st.Proto().GetDetails() {
		raw, err := protojson.Marshal(d)
		if err != nil { // its type is unknown to this binary
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.Write(raw)
	}
	b.WriteByte(']')
	return b.Bytes()
}

func invalidParams(field, format string, args ...any) error {
	if field == "" {
		return fault.New(fault.InvalidArgument, "REQUEST_INVALID", format, args...)
	}
	return fault.Invalid(field, "REQUEST_INVALID", format, args...)
}
