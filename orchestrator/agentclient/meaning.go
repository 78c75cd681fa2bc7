package agentclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/grpcwire"
	"github.com/quorate/quorate/platform/pause"
)

// The meaning of an agent's errors, by the codes of the three bindings. A code that is not listed means that the agent refused, and retrying would
// not help.
var (
	rpcReasons = map[int]string{ // A2A §5.4, JSON-RPC, and codes of a2a-go
		rpcNoTask:      ReasonTaskNotFound,
		rpcUnsupported: unsupported,
		-32601:         unsupported,
		-31401:         ReasonDenied,
		-31403:         ReasonDenied,
	}
	httpReasons = map[int]string{
		http.StatusRequestTimeout:     ReasonTimeout,
		http.StatusTooEarly:           ReasonUnreachable,
		http.StatusTooManyRequests:    ReasonUnreachable,
		http.StatusBadGateway:         ReasonUnreachable,
		http.StatusServiceUnavailable: ReasonUnreachable,
		http.StatusGatewayTimeout:     ReasonTimeout,
		http.StatusUnauthorized:       ReasonDenied,
		http.StatusForbidden:          ReasonDenied,
		http.StatusMethodNotAllowed:   unsupported,
		http.StatusNotImplemented:     unsupported,
	}
	grpcReasons = map[codes.Code]string{
		codes.Unavailable:       ReasonUnreachable,
		codes.ResourceExhausted: ReasonUnreachable,
		codes.Aborted:           ReasonUnreachable,
		codes.Canceled:          ReasonUnreachable, // by the agent, which is stopping
		codes.DeadlineExceeded:  ReasonTimeout,
		codes.NotFound:          ReasonTaskNotFound,
		codes.Unauthenticated:   ReasonDenied,
		codes.PermissionDenied:  ReasonDenied,
		codes.Unimplemented:     unsupported,
	}
	kinds = map[string]fault.Kind{
		ReasonUnreachable:  fault.Unavailable,
		ReasonTimeout:      fault.DeadlineExceeded,
		ReasonTaskNotFound: fault.NotFound,
	}
)

// Codes of A2A's errors in JSON-RPC.
const (
	rpcNoTask      = -32001
	rpcUnsupported = -32004
)

// detailCodes are the codes of JSON-RPC for the reasons by which errors over HTTP and gRPC differ that have the same status (A2A §5.4).
var detailCodes = map[string]int{"TASK_NOT_FOUND": rpcNoTask, "UNSUPPORTED_OPERATION": rpcUnsupported}

// unsupported stands in the tables for a refusal because the agent does not have the operation, which is then in the error's chain as errUnsupported.
const unsupported = "UNSUPPORTED"

var errUnsupported = errors.New("the agent does not support the operation")

// answerError is the fault for an answer with a reason of a table above and words of the agent's. It never has what the agent was shown.
func answerError(at *endpoint, reason, what, words string) *fault.Error {
	missing := reason == unsupported
	if reason == "" || missing {
		reason = ReasonRefused
	}
	kind, ok := kinds[reason]
	if !ok {
		kind = fault.FailedPrecondition
	}
	if what = at.name + " answered " + what; reason == ReasonDenied {
		what += " (" + at.advice() + ")"
	}
	f := quoteError(kind, reason, what, at.redact(clip(words)))
	if missing {
		f.Cause = fmt.Errorf("%w: %w", f.Cause, errUnsupported)
	}
	return f
}

// The A2A project's server for Python (a2a-python 1.1) answers A2A 0.3 with the code of an internal error whatever is wrong. So a task that it does not
// know is told by the text.
const (
	rpcInternal     = -32603
	rpcTaskNotFound = "Task not found"
)

// fromCode maps a JSON-RPC error to a fault.
func fromCode(at *endpoint, code int, message string) error {
	reason := rpcReasons[code]
	if code == rpcInternal && message == rpcTaskNotFound {
		reason = ReasonTaskNotFound
	}
	return answerError(at, reason, fmt.Sprintf("error %d", code), message)
}

const maxRetryAfter = 24 * time.Hour // the longest wait that an agent may ask for

// fromHTTP maps an HTTP answer without an A2A error to a fault, with the wait that it asks for.
func fromHTTP(at *endpoint, resp *http.Response, body string) error {
	if to, err := resp.Location(); err == nil && resp.StatusCode < http.StatusBadRequest {
		body = fmt.Sprintf("a redirect to %s; redirects are not followed, so the agent's card must have that URL", to)
	}
	f := answerError(at, httpReasons[resp.StatusCode], fmt.Sprintf("HTTP %d", resp.StatusCode), body)
	f.RetryAfter = pause.Asked(resp.Header, maxRetryAfter)
	return f
}

// notBegun is the fault for a call that the agent has certainly not begun, with the status that it got from this end.
func notBegun(at *endpoint, s *status.Status, cause error) error {
	f := &fault.Error{Kind: fault.Unavailable, Reason: ReasonUnreachable, Message: at.name + " did not take the call: " + s.Message(), Cause: cause}
	if s.Code() == codes.DeadlineExceeded {
		f.Kind, f.Reason, f.Message = fault.DeadlineExceeded, ReasonTimeout, at.name+" did not answer in time: "+s.Message()
	}
	return f
}

// fromGRPC maps the status of a gRPC call under ctx to a fault, with the wait that it asks for.
func fromGRPC(ctx context.Context, at *endpoint, err error) error {
	if c, ok := errors.AsType[*grpcwire.ConnectError](err); ok {
		if f, ok := errors.AsType[*fault.Error](c.Err); ok { // the guard's own refusal
			refusal := *f
			return &refusal
		}
		return unreachable(at, c)
	}
	s, ok := status.FromError(err)
	if !ok {
		return unreachable(at, err)
	}
	if s.Code() == codes.Canceled && ctx.Err() != nil {
		return context.Canceled
	}
	if errors.Is(err, grpcwire.ErrNotBegun) {
		return notBegun(at, s, err)
	}
	if s.Code() == codes.DeadlineExceeded && ctx.Err() != nil {
		return unreachable(at, context.DeadlineExceeded)
	}
	if errors.Is(err, grpcwire.ErrTooLarge) {
		return invalid(at, "%s", s.Message())
	}
	return fromStatus(at, s, errors.Is(err, grpcwire.ErrCutOff))
}

// fromStatus maps the status with which an agent ended a call, or a proxy that cut it off.
func fromStatus(at *endpoint, s *status.Status, cutOff bool) error {
	reason := grpcReasons[s.Code()]
	if reason == "" && cutOff { // which a proxy may do to streams that are open for long
		reason = ReasonUnreachable
	}
	var wait time.Duration
	for _, d := range s.Details() {
		switch info := d.(type) {
		case *errdetails.ErrorInfo:
			reason = cmp.Or(rpcReasons[detailCodes[info.GetReason()]], reason)
		case *errdetails.RetryInfo:
			wait = min(max(info.GetRetryDelay().AsDuration(), 0), maxRetryAfter)
		}
	}
	f := answerError(at, reason, s.Code().String(), s.Message())
	f.RetryAfter = wait
	return f
}
