package agentclient

import (
	"context"
	"errors"
	"net"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/quorate/quorate/platform/fault"
)

// remember returns dial as grpc-go needs it, such that its last error is kept: grpc-go passes on only the text.
func (c *conn) remember(dial Dial) func(ctx context.Context, addr string) (net.Conn, error) {
	return func(ctx context.Context, addr string) (net.Conn, error) {
		made, err := dial(ctx, "tcp", addr)
		if err != nil {
			c.undialed.Store(&err)
		}
		return made, err
	}
}

// notDialed is how grpc-go says that there is no connection.
const notDialed = `connection error: desc = "transport: Error while dialing: `

// dialError returns why there was no connection for a call with an error, if that is what the error says, and other errors unchanged.
func (c *conn) dialError(err error) error {
	why := c.undialed.Load()
	if why == nil || status.Code(err) != codes.Unavailable || !strings.HasPrefix(status.Convert(err).Message(), notDialed) {
		return err
	}
	if f, ok := errors.AsType[*fault.Error](*why); ok { // the guard's own refusal
		refusal := *f
		return &refusal
	}
	return undialedError((*why).Error())
}

// undialedError is why there is no connection, in words: if that is a time-out, it is none of the call.
type undialedError string

// Error returns the words.
func (e undialedError) Error() string { return string(e) }
