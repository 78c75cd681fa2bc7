package agentclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/quorate/quorate/orchestrator/agentauth"
	"github.com/quorate/quorate/platform/bounded"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/grpcwire"
	"github.com/quorate/quorate/platform/pause"
)

// Reasons of the faults this package returns.
const (
	ReasonUnreachable   = "AGENT_UNREACHABLE"
	ReasonTimeout       = "AGENT_TIMEOUT"
	ReasonTaskNotFound  = "AGENT_TASK_NOT_FOUND"
	ReasonRefused       = "AGENT_REFUSED"
	ReasonDenied        = "AGENT_DENIED"
	ReasonAnswerInvalid = "AGENT_ANSWER_INVALID"

	// ReasonDraftsTooLarge is that of the engine, which has no memory for more of what the agent makes.
	ReasonDraftsTooLarge = "AGENT_DRAFTS_TOO_LARGE"
)

// Retryable reports whether the same message may be sent again: the agent was not reached or did not answer in time, the credential was missing or
// expired, or there was no memory for what the agent made.
func Retryable(err error) bool {
	r := fault.ReasonOf(err)
	return r == ReasonUnreachable || r == ReasonTimeout || r == ReasonDraftsTooLarge || r == agentauth.ReasonUnavailable
}

const maxErrorText = 1000

// clip shortens text from an agent for use in an error.
func clip(s string) string {
	s = strings.TrimSpace(s)
	if short := bounded.Characters(s, maxErrorText); short != s {
		return short + "… (cut)"
	}
	return s
}

func unreachable(at *endpoint, err error) error {
	if errors.Is(err, context.Canceled) {
		return context.Canceled
	}
	if f, ok := errors.AsType[*fault.Error](err); ok { // the guard's own refusal says more
		return f
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fault.New(fault.DeadlineExceeded, ReasonTimeout, "%s did not answer in time", at.name)
	}
	if call, ok := errors.AsType[*url.Error](err); ok {
		err = call.Err // the message names the agent and its URL already
	}
	what := at.name + " could not be reached"
	f := &fault.Error{Kind: fault.Unavailable, Reason: ReasonUnreachable, Message: what + ": " + clip(err.Error()), Cause: err}
	switch c, undialed := errors.AsType[*grpcwire.ConnectError](err); {
	case undialed && agentauth.WantsCertificate(c.Err): // over HTTP, package agentauth says so
		f.Message += " (" + at.advice() + ")"
	case isNetworkError(err):
	case undialed: // which NotTaken has to know
		f.Cause = fmt.Errorf("%w: %w", quotedError(what), &grpcwire.ConnectError{Err: errors.New(clip(c.Err.Error()))})
	default:
		f.Cause = quotedError(what)
	}
	return f
}

// isNetworkError reports whether an error is of the connection to an agent. Others quote what came over it, such as a line that is not HTTP, or the names in
// a certificate: anybody can make one with any names.
func isNetworkError(err error) bool {
	if c, ok := errors.AsType[*grpcwire.ConnectError](err); ok {
		err = c.Err
	}
	_, dialed := errors.AsType[*net.OpError](err)
	_, named := errors.AsType[*net.DNSError](err)
	return dialed || named || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, context.DeadlineExceeded)
}

func invalid(at *endpoint, format string, args ...any) error {
	return quoteError(fault.FailedPrecondition, ReasonAnswerInvalid, at.name+" answered what is not A2A", fmt.Sprintf(format, args...))
}

// quotedError is what an agent answered, without its words, which follow in the message.
type quotedError string

// Error returns how the message begins.
func (w quotedError) Error() string { return string(w) }

// quoteError is the fault for an answer whose words may be anything, and as many: decoders quote what they cannot decode.
func quoteError(kind fault.Kind, reason, what, words string) *fault.Error {
	f := fault.New(kind, reason, "%s", what+": "+clip(words))
	f.Cause = quotedError(what)
	return f
}

// WithoutWords returns err as it may be told while a review stands between the agent and whoever hears of it: what an agent answered is left, its
// words are not. For the log they are the cause.
func WithoutWords(err error) error {
	w, ok := errors.AsType[quotedError](err)
	if !ok {
		return err
	}
	f := *fault.From(err)
	f.Message, f.Cause = string(w)+"; its words are held back, since a review stands between it and the caller", err
	return &f
}

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
	reason := grpcReasons[s.Code()]
	if reason == "" && errors.Is(err, grpcwire.ErrCutOff) { // which a proxy may do to streams that are open for long
		reason = ReasonUnreachable
	}
	f := answerError(at, reason, s.Code().String(), s.Message())
	for _, d := range s.Details() {
		if info, ok := d.(*errdetails.RetryInfo); ok {
			f.RetryAfter = min(max(info.GetRetryDelay().AsDuration(), 0), maxRetryAfter)
		}
	}
	return f
}
