package rpcserver

import (
	"context"
	"log/slog"
	"net/http"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/telemetry"
)

func (s *Server) authorizeUnary(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	ctx, err := s.authorize(ctx, info.FullMethod)
	if err != nil {
		return nil, err
	}
	return next(ctx, req)
}

func (s *Server) authorizeStream(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	ctx, err := s.authorize(stream.Context(), info.FullMethod)
	if err != nil {
		return err
	}
	leave, err := s.enterStream(ctx)
	if err != nil {
		return err
	}
	defer leave()
	ctx, stop := s.whileAdmitted(ctx, presented(ctx), s.opts.Rules[info.FullMethod])
	defer stop()
	return WhyEnded(ctx, next(srv, &serverStream{ServerStream: stream, ctx: ctx}))
}

// presented returns the values of the Authorization header of a call; no other metadata counts as a credential.
func presented(ctx context.Context) []string {
	return metadata.ValueFromIncomingContext(ctx, "authorization")
}

// authorize returns ctx with the caller in it, unless method is public.
func (s *Server) authorize(ctx context.Context, method string) (context.Context, error) {
	rule, err := s.ruleOf(method)
	if err != nil || rule.Public {
		return ctx, err
	}
	p, err := s.admitOnce(ctx, rule)
	if c, ok := ctx.Value(callKey{}).(*call); ok {
		c.caller = p
	}
	if err != nil {
		return nil, err
	}
	return auth.NewContext(ctx, p), nil
}

// ruleOf returns the rule of method; a method without one is closed to everybody.
func (s *Server) ruleOf(method string) (auth.Rule, error) {
	rule, ok := s.opts.Rules[method]
	if !ok {
		return auth.Rule{}, fault.New(fault.PermissionDenied, "RPC_CLOSED", "nobody may call this method")
	}
	return rule, nil
}

// admitOnce returns the result of the check that was made before the request was decoded, or else checks now.
func (s *Server) admitOnce(ctx context.Context, rule auth.Rule) (auth.Principal, error) {
	if a := admissionOf(ctx); a != nil {
		return a.caller, a.err
	}
	return s.admit(ctx, presented(ctx), rule)
}

// admit authenticates the caller by credentials, the values of an Authorization header. It returns the caller together with an error when rule does
// not allow the call.
func (s *Server) admit(ctx context.Context, credentials []string, rule auth.Rule) (auth.Principal, error) {
	token := tokenOf(credentials)
	if token == "" {
		return auth.Principal{}, fault.New(fault.Unauthenticated, "TOKEN_MISSING", "send one header Authorization: Bearer TOKEN")
	}
	p, err := s.opts.Authenticator.Authenticate(ctx, token)
	if err != nil {
		return auth.Principal{}, err
	}
	return p, rule.Allow(p)
}

// tokenOf returns the token in credentials, which can be written in many ways; "" unless there is one.
func tokenOf(credentials []string) string {
	if len(credentials) != 1 {
		return ""
	}
	if scheme, token, _ := strings.Cut(credentials[0], " "); strings.EqualFold(scheme, "bearer") {
		return strings.TrimSpace(token)
	}
	return ""
}

// Authenticated lets callers that have one of roles pass to next, or any caller with a valid token when no roles are given, and puts the principal in
// the request's context. Other callers get 401 or 403, and a caller beyond its limits gets 429; see Limits. What next reads of a large body counts until it returns;
// reading too much is a ResourceExhausted fault with the reason REQUESTS_WAITING.
func (s *Server) Authenticated(next http.Handler, roles ...auth.Role) http.Handler {
	rule := auth.Rule{Roles: roles}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, err := s.admit(r.Context(), r.Header.Values("Authorization"), rule)
		ctx, leave := auth.NewContext(r.Context(), p), func() {}
		if err == nil {
			leave, err = s.Enter(ctx)
		}
		if err != nil {
			s.tellRefused(r.Context(), pathOf(r), p, err)
			writeError(w, r, err)
			return
		}
		defer leave()
		body := s.turns.count(ctx, r.Body)
		defer body.done()
		r = r.WithContext(ctx)
		r.Body = body
		next.ServeHTTP(w, r)
	})
}

// Admit authorizes an HTTP request that stands for a call of a gRPC method: it returns ctx with the caller of the Authorization header h, or an error
// when the method's rule does not allow the call.
func (s *Server) Admit(ctx context.Context, h http.Header, method string) (context.Context, error) {
	rule, err := s.ruleOf(method)
	if err != nil || rule.Public {
		return ctx, err
	}
	p, err := s.admit(ctx, h.Values("Authorization"), rule)
	if err != nil {
		s.tellRefused(ctx, slog.String(telemetry.LogMethod, method), p, err)
		return nil, err
	}
	return auth.NewContext(context.WithValue(ctx, callKey{}, &call{method: method, server: s}), p), nil
}

// WhileAdmitted returns the context for a streamed answer to a call that Admit has authorized; ctx must be the context that Admit returned. It ends
// when the server stops, and when the caller's credentials no longer allow the call; WhyEnded tells which. The caller must call stop when the stream
// is over.
func (s *Server) WhileAdmitted(ctx context.Context, h http.Header, method string) (_ context.Context, stop func()) {
	ctx, release := s.streams.track(ctx)
	ctx, end := s.whileAdmitted(ctx, h.Values("Authorization"), s.opts.Rules[method])
	return ctx, func() { end(); release() }
}
