package agentclient

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/quorate/quorate/platform/fault"
)

// Reasons of the faults this package returns.
const (
	ReasonUnreachable   = "AGENT_UNREACHABLE"
	ReasonTimeout       = "AGENT_TIMEOUT"
	ReasonTaskNotFound  = "AGENT_TASK_NOT_FOUND"
	ReasonRefused       = "AGENT_REFUSED"
	ReasonDenied        = "AGENT_DENIED"
	ReasonAnswerInvalid = "AGENT_ANSWER_INVALID"
)

// Retryable reports whether the same message may be sent again: the agent was not reached, or did not answer in time.
func Retryable(err error) bool {
	r := fault.ReasonOf(err)
	return r == ReasonUnreachable || r == ReasonTimeout
}

const maxErrorText = 1000

// clip bounds text that comes from an agent and goes into an error.
func clip(s string) string {
	r := []rune(strings.TrimSpace(s))
	if len(r) <= maxErrorText {
		return string(r)
	}
	return string(r[:maxErrorText]) + "… (cut)"
}

func unreachable(where string, err error) error {
	if errors.Is(err, context.Canceled) {
		return context.Canceled
	}
	if f, ok := errors.AsType[*fault.Error](err); ok { // the guard's own refusal says more
		return f
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fault.New(fault.DeadlineExceeded, ReasonTimeout, "%s did not answer in time", where)
	}
	return fault.New(fault.Unavailable, ReasonUnreachable, "%s could not be reached: %w", where, err)
}

func invalid(where, format string, args ...any) error {
	return fault.New(fault.FailedPrecondition, ReasonAnswerInvalid, "%s answered what is not A2A: %s", where, fmt.Sprintf(format, args...))
}

// fromCode maps a JSON-RPC error code (A2A §5.4) to a fault.
func fromCode(where string, code int, message string) error {
	switch code {
	case -32001:
		return fault.New(fault.NotFound, ReasonTaskNotFound, "%s does not know the task", where)
	case -31401, -31403: // a2a-go's own codes
		return fault.New(fault.FailedPrecondition, ReasonDenied, "%s denied access: %s", where, clip(message))
	default:
		return fault.New(fault.FailedPrecondition, ReasonRefused, "%s refused (code %d): %s", where, code, clip(message))
	}
}

// fromHTTP maps the status of an HTTP answer that carries no A2A error to a fault.
func fromHTTP(where string, code int, body string) error {
	switch code {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout, http.StatusTooManyRequests:
		return fault.New(fault.Unavailable, ReasonUnreachable, "%s answered HTTP %d: %s", where, code, clip(body))
	case http.StatusUnauthorized, http.StatusForbidden:
		return fault.New(fault.FailedPrecondition, ReasonDenied, "%s denied access with HTTP %d", where, code)
	default:
		return fault.New(fault.FailedPrecondition, ReasonRefused, "%s answered HTTP %d: %s", where, code, clip(body))
	}
}

// fromGRPC maps the status of a gRPC call to a fault.
func fromGRPC(where string, err error) error {
	if err == nil {
		return nil
	}
	s, ok := status.FromError(err)
	if !ok {
		return unreachable(where, err)
	}
	switch s.Code() {
	case codes.Canceled:
		return context.Canceled
	case codes.Unavailable, codes.ResourceExhausted:
		return fault.New(fault.Unavailable, ReasonUnreachable, "%s could not be reached: %s", where, clip(s.Message()))
	case codes.DeadlineExceeded:
		return fault.New(fault.DeadlineExceeded, ReasonTimeout, "%s did not answer in time", where)
	case codes.NotFound:
		return fault.New(fault.NotFound, ReasonTaskNotFound, "%s does not know the task", where)
	case codes.Unauthenticated, codes.PermissionDenied:
		return fault.New(fault.FailedPrecondition, ReasonDenied, "%s denied access: %s", where, clip(s.Message()))
	default:
		return fault.New(fault.FailedPrecondition, ReasonRefused, "%s refused (%s): %s", where, s.Code(), clip(s.Message()))
	}
}
