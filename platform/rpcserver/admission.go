package rpcserver

import (
	"context"
	"slices"

	"google.golang.org/grpc"

	"github.com/quorate/quorate/platform/auth"
)

// registrar registers services whose requests are decoded when it is known who calls: what becomes of a message in memory is up to hundred times as large.
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

// admission is whom a call was admitted for before its request was decoded.
type admission struct {
	known  bool
	caller auth.Principal
	err    error
}

type admissionKey struct{}

// admitFirst leaves the request of a caller who is nobody empty. The interceptors refuse the call, as they see every other. What somebody may not do is decoded,
// and put on record.
func (s *Server) admitFirst(rule auth.Rule, next grpc.MethodHandler) grpc.MethodHandler {
	if rule.Public {
		return next
	}
	return func(srv any, ctx context.Context, decode func(any) error, intercept grpc.UnaryServerInterceptor) (any, error) {
		a := &admission{}
		ctx = context.WithValue(ctx, admissionKey{}, a)
		return next(srv, ctx, func(req any) error {
			body := &undecoded{}
			if err := decode(body); err != nil {
				return err
			}
			defer body.data.Free()
			if s.admitTo(ctx, a, rule); a.err != nil && a.caller.Name == "" {
				return nil
			}
			return body.decode(req)
		}, intercept)
	}
}

// admitTo asks who calls. Nobody recovers a panic here.
func (s *Server) admitTo(ctx context.Context, a *admission, rule auth.Rule) {
	defer func() {
		if v := recover(); v != nil {
			a.err = newPanicError(v)
		}
	}()
	a.known = true
	a.caller, a.err = s.admit(ctx, presented(ctx), rule)
}
