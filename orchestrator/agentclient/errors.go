package agentclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"

	"github.com/quorate/quorate/orchestrator/agentauth"
	"github.com/quorate/quorate/platform/bounded"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/grpcwire"
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

// Outline returns what err says without the words of the agent, which are only for those whose task they are about.
func Outline(err error) string {
	if w, ok := errors.AsType[quotedError](err); ok {
		return string(w)
	}
	return fault.From(err).Message
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
