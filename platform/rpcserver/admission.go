package rpcserver

import (
	"context"
	"slices"

	"google.golang.org/grpc"

	"github.com/quorate/quorate/platform/auth"
)

// registrar registers services so that a request is read only after its caller is known: an unauthenticated client cannot hold a goroutine by sending headers
// only, and a decoded message can take a hundred times the memory of its encoding.
type registrar struct{ *Server }

// RegisterService registers a service with gRPC.
func (r registrar) RegisterService(desc *grpc.ServiceDesc, impl any) {
	d := *desc
	d.Methods = slices.Clone(desc.Methods)
	for i, m := range d.Methods {
		d.Methods[i].Handler = r.admitFirst(r.opts.Rules["/"+d.ServiceName+"/"+m.MethodName], m.Handler)
	}
	r.grpc.RegisterService(&d, impl)
}

// admission is the result of authenticating a call before its request was read.
type admission struct {
	known  bool
	caller auth.Principal
	err    error
}

type admissionKey struct{}

// admitFirst does not read the request of an unauthenticated caller; the interceptors then refuse the call as they refuse any
// other. The request of a caller who is known but lacks permission is decoded, so that the audit log can say what the call was about.
func (s *Server) admitFirst(rule auth.Rule, next grpc.MethodHandler) grpc.MethodHandler {
	if rule.Public {
		return next
	}
	return func(srv any, ctx context.Context, decode func(any) error, intercept grpc.UnaryServerInterceptor) (any, error) {
		a := &admission{}
		ctx = context.WithValue(ctx, admissionKey{}, a)
		return next(srv, ctx, func(req any) error {
			if s.admitTo(ctx, a, rule); a.err != nil && a.caller.Name == "" {
				return nil
			}
			body := &undecoded{}
			if err := decode(body); err != nil {
				return err
			}
			defer body.data.Free()
			return body.decode(req)
		}, intercept)
	}
}

// admitTo authenticates the caller and stores the result in a. It runs outside the interceptor that recovers panics, so it recovers its own.
func (s *Server) admitTo(ctx context.Context, a *admission, rule auth.Rule) {
	defer func() {
		if v := recover(); v != nil {
			a.err = newPanicError(v)
		}
	}()
	a.known = true
	a.caller, a.err = s.admit(ctx, presented(ctx), rule)
}
