// Package fault has the one error type that a caller may act on.
//
// Domain packages return a *Error when the reason is part of their contract (not found, conflict, invalid), and a
// wrapped error otherwise. Package rpcfault turns a fault into a gRPC status; every other error becomes an internal
// error whose text no client sees.
package fault

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Violation says what is wrong with one field of a request.
type Violation struct {
	Field       string // dotted path of the field, as the API names it
	Description string // what a correct value would be
}

// Error is a failure with a reason that programs can test for.
type Error struct {
	Kind       Kind
	Reason     string            // UPPER_SNAKE, documented, stable
	Message    string            // one sentence for people; the client reads it unless Kind is Internal
	Violations []Violation       // only with InvalidArgument
	Metadata   map[string]string // the variables of Message, for programs
	RetryAfter time.Duration     // zero if nothing is known about when to retry
	Ours       bool              // the problem is in this program or its store, so an operator has to act, whatever Kind tells the caller
	Cause      error             // for the log, never for the client
}

// New returns a fault whose message is made from format and args.
//
// A %w verb sets Cause and, as in fmt.Errorf, puts the text of that error in the message, where the client reads
// it. Set the field Cause instead for a cause that only the log may show.
func New(kind Kind, reason, format string, args ...any) *Error {
	text := fmt.Errorf(format, args...)
	return &Error{Kind: kind, Reason: reason, Message: text.Error(), Cause: errors.Unwrap(text)}
}

// Invalid returns an InvalidArgument fault with one violation of field.
func Invalid(field, reason, format string, args ...any) *Error {
	e := New(InvalidArgument, reason, format, args...)
	e.Violations = []Violation{{Field: field, Description: e.Message}}
	return e
}

// With adds a key and value to the metadata and returns e.
func (e *Error) With(key, value string) *Error {
	if e.Metadata == nil {
		e.Metadata = make(map[string]string)
	}
	e.Metadata[key] = value
	return e
}

// Error returns the message, followed by the cause unless the message contains it.
func (e *Error) Error() string {
	if e == nil { // returned as an error, it is not nil any more
		return "a nil *fault.Error was returned as an error"
	}
	if e.Cause == nil || strings.Contains(e.Message, e.Cause.Error()) {
		return e.Message
	}
	return e.Message + ": " + e.Cause.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.Cause
}

// From returns the fault in the chain of err, or nil when err is nil.
//
// The error of an ended context becomes DeadlineExceeded or, if the context was canceled, Unavailable. Any other error, also a
// nil *Error that was returned as an error, becomes Internal, with a fixed message and err as the cause.
func From(err error) *Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok && e != nil {
		return e
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{Kind: DeadlineExceeded, Reason: "DEADLINE_EXCEEDED", Message: "the deadline passed before the answer was ready", Cause: err}
	case errors.Is(err, context.Canceled):
		return &Error{Kind: Unavailable, Reason: "CANCELED", Message: "the call was canceled before the answer was ready", Cause: err}
	}
	return &Error{Kind: Internal, Reason: "INTERNAL", Message: "internal error", Cause: err}
}

// KindOf returns the kind of the fault in the chain of err, as From finds it.
func KindOf(err error) Kind {
	if e := From(err); e != nil {
		return e.Kind
	}
	return Internal
}

// ReasonOf returns the reason of the fault in the chain of err, as From finds it; it is empty when err is nil.
func ReasonOf(err error) string {
	if e := From(err); e != nil {
		return e.Reason
	}
	return ""
}
