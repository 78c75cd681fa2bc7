package agentclient

import (
	"context"

	"github.com/quorate/quorate/platform/grpcwire"
)

// grpcCaller makes calls to one agent over gRPC, and has its large answers wait in line.
type grpcCaller struct {
	at     endpoint
	wire   *wire
	intake *intake
	relays bool // answers are passed on, to whoever may take long to read them: so they have no place meanwhile
	failed func(ctx context.Context, at *endpoint, err error) error
}

// invoke makes a unary call and calls take with the answer. An error of take is returned unchanged, and others as failed says.
func (c *grpcCaller) invoke(ctx context.Context, method string, message []byte, take func(answer []byte) error) error {
	return c.receive(ctx, &grpcwire.Request{Method: method, Message: message}, c.wire.invoke, take)
}

// stream makes a streaming call and calls take for each answer. An error of take is returned unchanged, and others as failed says. opened, unless it is
// nil, is called when the agent has accepted the call and not sent anything yet.
func (c *grpcCaller) stream(ctx context.Context, method string, message []byte, opened func(), take func(answer []byte) error) error {
	return c.receive(ctx, &grpcwire.Request{Method: method, Message: message, Begun: opened}, c.wire.stream, take)
}

func (c *grpcCaller) receive(
	ctx context.Context, r *grpcwire.Request, call func(context.Context, *grpcwire.Request, func(answer []byte) error) error, take func(answer []byte) error,
) error {
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	var p *place // of the answer that is being received
	leave := func() { p.leave(); p = nil }
	defer leave()
	r.Large = func() (err error) {
		p, err = c.intake.enter(within, &c.at, cancel)
		return err
	}
	var own error // of take
	err := call(within, r, func(answer []byte) error {
		defer leave()
		if own = p.arrived(&c.at, nil); own != nil {
			return own
		}
		if c.relays {
			leave()
		}
		own = take(answer)
		return own
	})
	if own != nil || err == nil {
		return own
	}
	if late := p.arrived(&c.at, nil); late != nil {
		return late
	}
	return c.failed(ctx, &c.at, err)
}
