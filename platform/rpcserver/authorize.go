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
	ctx, stop := s.whileAdmitted(ctx, presented(ctx), s.opts.Rules[info.FullMethod])
	defer stop()
	return WhyEnded(ctx, next(srv, &serverStream{ServerStream: stream, ctx: ctx}))
}

// presented returns the credentials of a call. No other metadata is looked at.
func presented(ctx context.Context) []string {
	return metadata.ValueFromIncomingContext(ctx, "authorization")
}

// authorize returns ctx with the caller, if method needs one.
func (s *Server) authorize(ctx context.Context, method string) (context.Context, error) {
	rule, ok := s.opts.Rules[method]
	if !ok {
		return nil, fault.New(fault.PermissionDenied, "RPC_CLOSED", "nobody may call this method")
	}
	if rule.Public {
		return ctx, nil
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

// admitOnce returns what admit does, or did before the request was decoded.
func (s *Server) admitOnce(ctx context.Context, rule auth.Rule) (auth.Principal, error) {
	if a, ok := ctx.Value(admissionKey{}).(*admission); ok && a.known {
		return a.caller, a.err
	}
	return s.admit(ctx, presented(ctx), rule)
}

// admit returns who presents the credentials, the values of an Authorization header, with an error if rule does not admit it.
func (s *Server) admit(ctx context.Context, credentials []string, rule auth.Rule) (auth.Principal, error) {
	var token string
	if len(credentials) == 1 {
		scheme, rest, _ := strings.Cut(credentials[0], " ")
		if strings.EqualFold(scheme, "bearer") {
			token = strings.TrimSpace(rest)
		}
	}
	if token == "" {
		return auth.Principal{}, fault.New(fault.Unauthenticated, "TOKEN_MISSING", "send one header Authorization: Bearer TOKEN")
	}
	p, err := s.opts.Authenticator.Authenticate(ctx, token)
	if err != nil {
		return auth.Principal{}, err
	}
	return p, rule.Allow(p)
}

// Authenticated admits to next the callers that have one of roles, or any caller with a valid token when there are none,
// and puts the principal in the request's context. Others get 401 or 403.
func (s *Server) Authenticated(next http.Handler, roles ...auth.Role) http.Handler {
	rule := auth.Rule{Roles: roles}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, err := s.admit(r.Context(), r.Header.Values("Authorization"), rule)
		if err != nil {
			s.opts.Logger.WarnContext(r.Context(), "request refused", slog.String(telemetry.LogPath, r.URL.Path), slog.String(telemetry.LogPrincipal, p.Name),
				slog.String(telemetry.LogReason, fault.ReasonOf(err)))
			writeError(w, r, err)
			return
		}
		next.ServeHTTP(w, r.WithContext(auth.NewContext(r.Context(), p)))
	})
}

// Admit returns ctx with the caller whose credentials are in the headers of a request that stands for a call of a gRPC method, if the rule of the method
// admits it.
func (s *Server) Admit(ctx context.Context, h http.Header, method string) (context.Context, error) {
	rule, ok := s.opts.Rules[method]
	if !ok {
		return nil, fault.New(fault.PermissionDenied, "RPC_CLOSED", "nobody may call this method")
	}
	if rule.Public {
		return ctx, nil
	}
	p, err := s.admit(ctx, h.Values("Authorization"), rule)
	if err != nil {
		return nil, err
	}
	return auth.NewContext(ctx, p), nil
}

// WhileAdmitted returns a context for a stream that a call which Admit admitted, with ctx, is answered with. It ends when the server stops, and when the caller
// is not admitted any more; see WhyEnded. stop must be called when the stream is over.
func (s *Server) WhileAdmitted(ctx context.Context, h http.Header, method string) (_ context.Context, stop func()) {
	ctx, release := s.streams.track(ctx)
	ctx, end := s.whileAdmitted(ctx, h.Values("Authorization"), s.opts.Rules[method])
	return ctx, func() { end(); release() }
}
