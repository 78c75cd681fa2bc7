package rpcserver_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/rpcserver"
)

const echoMethod = "/test.v1.Echo/Say"

// echoing runs a server with a service of one method.
func echoing(t *testing.T, say func(ctx context.Context, request *wrapperspb.StringValue) (*wrapperspb.StringValue, error)) *running {
	t.Helper()
	return start(t, func(o *rpcserver.Options, later prepared) {
		o.Rules[echoMethod] = auth.Rule{Roles: []auth.Role{auth.RoleViewer}}
		later(func(s *rpcserver.Server) {
			s.GRPC().RegisterService(&grpc.ServiceDesc{ServiceName: "test.v1.Echo", Methods: []grpc.MethodDesc{{
				MethodName: "Say",
				Handler: func(srv any, ctx context.Context, decode func(any) error, intercept grpc.UnaryServerInterceptor) (any, error) {
					request := &wrapperspb.StringValue{}
					if err := decode(request); err != nil {
						return nil, err
					}
					return intercept(ctx, request, &grpc.UnaryServerInfo{Server: srv, FullMethod: echoMethod}, func(ctx context.Context, _ any) (any, error) {
						return say(ctx, request)
					})
				},
			}}}, nil)
		})
	})
}

func TestACallFromInsideIsLikeOneFromOutside(t *testing.T) {
	t.Parallel()
	r := echoing(t, func(ctx context.Context, request *wrapperspb.StringValue) (*wrapperspb.StringValue, error) {
		if request.GetValue() == "panic" {
			panic("on request")
		}
		p, _ := auth.FromContext(ctx)
		_ = grpc.SetHeader(ctx, metadata.Pairs("said-by", p.Name))
		_ = grpc.SetTrailer(ctx, metadata.Pairs("said", "all"))
		request.Value += "!" // which is the handler's own
		return request, nil
	})
	for from, conn := range map[string]grpc.ClientConnInterface{"inside": r.Conn(), "outside": r.conn} {
		var header, trailer metadata.MD
		request, answer := wrapperspb.String("hello"), &wrapperspb.StringValue{}
		if err := conn.Invoke(as(t, readerToken), echoMethod, request, answer, grpc.Header(&header), grpc.Trailer(&trailer)); err != nil {
			t.Fatalf("%s: Say(hello) = %v, want no error", from, err)
		}
		if diff := cmp.Diff([]any{"hello", "hello!", []string{"ann"}, []string{"all"}}, []any{request.GetValue(), answer.GetValue(), header.Get("said-by"), trailer.Get("said")}); diff != "" {
			t.Errorf("%s: request, answer, header and trailer differ (-want +got):\n%s", from, diff)
		}
		for what, test := range map[string]struct {
			ctx    context.Context //nolint:containedctx // the case
			method string
			say    string
			want   codes.Code
		}{
			"a panic":           {as(t, readerToken), echoMethod, "panic", codes.Internal},
			"nobody":            {t.Context(), echoMethod, "hello", codes.Unauthenticated},
			"somebody else":     {as(t, agentToken), echoMethod, "hello", codes.PermissionDenied},
			"an unknown method": {as(t, readerToken), "/test.v1.Echo/Shout", "hello", codes.Unimplemented},
		} {
			if err := conn.Invoke(test.ctx, test.method, wrapperspb.String(test.say), &wrapperspb.StringValue{}); status.Code(err) != test.want {
				t.Errorf("%s: %s = %v, want %s", from, what, err, test.want)
			}
		}
		unlike := &emptypb.Empty{}
		unlike.ProtoReflect().SetUnknown([]byte("\x0a\x02hi"))
		if err := conn.Invoke(as(t, readerToken), echoMethod, unlike, answer); err != nil || answer.GetValue() != "hi!" {
			t.Errorf("%s: Say(hi), of another type, = %q, %v, want hi!", from, answer.GetValue(), err)
		}
	}
}

// TestACallFromInsideHasNothingOfItsCallerButTheEnd has a handler wait until its caller, whose context has a value, has left.
func TestACallFromInsideHasNothingOfItsCallerButTheEnd(t *testing.T) {
	t.Parallel()
	type key struct{}
	ctx, leave := context.WithCancel(context.WithValue(as(t, readerToken), key{}, "a value"))
	defer leave()
	r := echoing(t, func(ctx context.Context, _ *wrapperspb.StringValue) (*wrapperspb.StringValue, error) {
		if v := ctx.Value(key{}); v != nil {
			t.Errorf("the handler sees %v of its caller's context, want nothing", v)
		}
		if md, ok := metadata.FromOutgoingContext(ctx); ok {
			t.Errorf("the handler would send on %v, want nothing", md)
		}
		leave()
		<-ctx.Done()
		return nil, ctx.Err()
	})
	if err := r.Conn().Invoke(ctx, echoMethod, &wrapperspb.StringValue{}, &wrapperspb.StringValue{}); status.Code(err) != codes.Canceled {
		t.Errorf("Say() = %v, want Canceled", err)
	}
}
