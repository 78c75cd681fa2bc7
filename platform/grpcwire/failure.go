package grpcwire

import (
	"errors"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// What a Client finds itself, for errors.Is.
var (
	// ErrNotBegun means that the server has certainly not begun the call: it refused it, or the call ended while it waited for a connection or for its turn.
	ErrNotBegun = errors.New("the call was not begun")
	// ErrFull means that a call with Request.NoWait would have had to wait for its turn. It is an ErrNotBegun.
	ErrFull = fmt.Errorf("%w: the server takes no more calls now", ErrNotBegun)
	// ErrCutOff means that an answer ended without the status of the server: something in between has cut it off, or its end of the stream broke the rules.
	ErrCutOff = errors.New("the answer was cut off")
	// ErrTooLarge means that a message is larger than Request.MaxBytes, or that the headers of an answer, such as its status, are too long.
	ErrTooLarge = errors.New("the answer is too large")
)

// ConnectError means that there is no connection. Nothing of the call was sent.
type ConnectError struct {
	Err error // why; not in the chain of errors.Is, since a time-out of it is none of the call
}

// Error returns why there is no connection.
func (e *ConnectError) Error() string { return "connect: " + e.Err.Error() }

// GRPCStatus returns the status of the call.
func (e *ConnectError) GRPCStatus() *status.Status { return status.New(codes.Unavailable, e.Error()) }

// foundError is a status that this end gives a call itself.
type foundError struct {
	what   error
	status *status.Status
}

func found(what error, code codes.Code, message string) error {
	return &foundError{what, status.New(code, message)}
}

func (e *foundError) Error() string              { return e.status.Err().Error() }
func (e *foundError) GRPCStatus() *status.Status { return e.status }
func (e *foundError) Unwrap() error              { return e.what }
