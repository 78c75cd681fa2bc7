package rpcserver

import (
	"context"
	"slices"

	"google.golang.org/grpc"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault/rpcfault"
)

// registrar registers services so that a request is read only after its caller is known and the call is counted: nobody can hold many goroutines by
// sending headers only, and a decoded message can take a hundred times the memory of its encoding.
type registrar struct{ *Server }

// RegisterService registers a service with gRPC.
func (r registrar) RegisterService(desc *grpc.ServiceDesc, impl any) {
	r.grpc.RegisterService(r.admitting(desc, r.decodeKnown, r.decodeStranger), impl)
	r.conn.register(desc, impl)
}

// reader decodes the request of a call by what the transport has for that.
type reader func(ctx context.Context, decode func(any) error, req any) error

// admitting returns a service whose unary requests are read only when their callers are admitted: by known, or by public where nobody has to be.
func (s *Server) admitting(desc *grpc.ServiceDesc, known, public reader) *grpc.ServiceDesc {
	d := *desc
	d.Methods = slices.Clone(desc.Methods)
	for i, m := range d.Methods {
		if rule := s.opts.Rules["/"+d.ServiceName+"/"+m.MethodName]; rule.Public {
			d.Methods[i].Handler = readBy(public, m.Handler)
		} else {
			d.Methods[i].Handler = s.admitFirst(rule, known, m.Handler)
		}
	}
	return &d
}

// readBy reads requests by read.
func readBy(read reader, next grpc.MethodHandler) grpc.MethodHandler {
	return func(srv any, ctx context.Context, decode func(any) error, intercept grpc.UnaryServerInterceptor) (any, error) {
		return next(srv, ctx, func(req any) error { return read(ctx, decode, req) }, intercept)
	}
}

// admission is the result of authenticating a call, and counting it as open, before its request is read.
type admission struct {
	caller auth.Principal
	err    error
	leave  func() // ends the counting; nil if the call is not counted

	endTurn func() // ends the turn of a large request; nil if there is none
}

type admissionKey struct{}

// admissionOf returns the admission of a unary call that is not public; nil for other calls.
func admissionOf(ctx context.Context) *admission {
	a, _ := ctx.Value(admissionKey{}).(*admission)
	return a
}

// admitFirst does not read the request of a caller who is unauthenticated or beyond its limits; the interceptors then refuse the call as they refuse any
// other. The request of a caller who is known but lacks permission is decoded, so that the audit log can say what the call was about.
func (s *Server) admitFirst(rule auth.Rule, read reader, next grpc.MethodHandler) grpc.MethodHandler {
	return func(srv any, ctx context.Context, decode func(any) error, intercept grpc.UnaryServerInterceptor) (any, error) {
		a := s.admission(ctx, rule)
		defer a.end()
		ctx = context.WithValue(ctx, admissionKey{}, a)
		return next(srv, ctx, func(req any) error {
			if a.leave == nil {
				return nil
			}
			return read(ctx, decode, req)
		}, intercept)
	}
}

// admission authenticates the caller and counts its call.
func (s *Server) admission(ctx context.Context, rule auth.Rule) *admission {
	a := &admission{}
	a.caller, a.err = s.recognize(ctx, rule)
	if a.err != nil && a.caller.Name == "" {
		return a
	}
	leave, err := s.callers.enter(callerOf(a.caller))
	if err != nil {
		a.err = err
		return a
	}
	a.leave = leave
	return a
}

// recognize is admit for a call. It runs outside the interceptor that recovers panics, so it recovers its own.
func (s *Server) recognize(ctx context.Context, rule auth.Rule) (caller auth.Principal, err error) {
	defer func() {
		if v := recover(); v != nil {
			caller, err = auth.Principal{}, newPanicError(v)
		}
	}()
	return s.admit(ctx, presented(ctx), rule)
}

// end is called when the call is over.
func (a *admission) end() {
	if a.leave != nil {
		a.leave()
	}
	if a.endTurn != nil {
		a.endTurn()
	}
}

// decodeKnown decodes the request of an admitted caller. That it cannot be decoded is the caller's mistake.
func (s *Server) decodeKnown(ctx context.Context, decode func(any) error, req any) error {
	a, body := admissionOf(ctx), &undecoded{}
	if err := s.intake.receive(ctx, callerOf(a.caller), decode, body); err != nil {
		return err
	}
	defer body.data.Free()
	if err := s.awaitTurn(ctx, body.data.Len()); err != nil {
		return err
	}
	return body.decode(req)
}

// awaitTurn waits until the request of an admitted call, of size bytes, may be decoded.
func (s *Server) awaitTurn(ctx context.Context, size int) error {
	end, err := s.turns.takeOver(ctx, size)
	if err != nil {
		return rpcfault.Status(err).Err()
	}
	admissionOf(ctx).endTurn = end
	return nil
}
