package rpcserver_test

import (
	"context"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/fault/rpcfault"
	"github.com/quorate/quorate/platform/logtest"
	"github.com/quorate/quorate/platform/rpcserver"
)

func TestAnRPCAnswersWithACodeAndAReason(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	tests := map[string]struct {
		metadata []string // pairs
		name     string
		want     codes.Code
		why      string
	}{
		"a good call":                        {bearer(readerToken), "dune", codes.OK, ""},
		"no token":                           {nil, "dune", codes.Unauthenticated, "TOKEN_MISSING"},
		"a wrong token":                      {bearer("x"), "dune", codes.Unauthenticated, "TOKEN_INVALID"},
		"two tokens":                         {append(bearer(readerToken), bearer(agentToken)...), "dune", codes.Unauthenticated, "TOKEN_MISSING"},
		"another scheme":                     {[]string{"authorization", "Basic " + readerToken}, "dune", codes.Unauthenticated, "TOKEN_MISSING"},
		"the wrong role":                     {bearer(agentToken), "dune", codes.PermissionDenied, "ROLE_MISSING"},
		"a request against its rules":        {bearer(readerToken), "Not A Name", codes.InvalidArgument, "VALIDATION_FAILED"},
		"a fault of the service":             {bearer(readerToken), "missing", codes.NotFound, "BOOK_NOT_FOUND"},
		"an unknown error is hidden":         {bearer(readerToken), "broken", codes.Internal, "INTERNAL"},
		"a panic is hidden":                  {bearer(readerToken), "panic", codes.Internal, "INTERNAL"},
		"validation comes after the token":   {nil, "Not A Name", codes.Unauthenticated, "TOKEN_MISSING"},
		"validation comes after permission":  {bearer(agentToken), "Not A Name", codes.PermissionDenied, "ROLE_MISSING"},
		"an identity in metadata is ignored": {[]string{"x-quorate-principal", "admin"}, "dune", codes.Unauthenticated, "TOKEN_MISSING"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := r.conn.Invoke(metadata.AppendToOutgoingContext(t.Context(), test.metadata...), getBook, newMessage("GetBookRequest", "name", test.name), newMessage("Book"))
			if got := status.Code(err); got != test.want {
				t.Fatalf("GetBook(%q) = %v, want %v", test.name, err, test.want)
			}
			if got := fault.ReasonOf(rpcfault.FromStatus(err)); got != test.why {
				t.Errorf("GetBook(%q) reason = %q, want %q", test.name, got, test.why)
			}
			if err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Errorf("GetBook(%q) = %v, which shows what is ours", test.name, err)
			}
		})
	}
}

func TestValidationNamesTheField(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	err := r.conn.Invoke(as(t, readerToken), getBook, newMessage("GetBookRequest", "name", "A B"), newMessage("Book"))
	e := fault.From(rpcfault.FromStatus(err))
	if len(e.Violations) != 1 || e.Violations[0].Field != "name" || !strings.Contains(e.Violations[0].Description, "pattern") {
		t.Errorf("GetBook(A B) violations = %v, want one of name about the pattern", e.Violations)
	}
	if !strings.HasPrefix(e.Message, "name: ") {
		t.Errorf("GetBook(A B) message = %q, want it to name the field", e.Message)
	}
}

func TestEachCallIsLoggedOnceWithItsCauseAndTrace(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	for name, wants := range map[string][]string{
		"panic":   {`"level":"ERROR"`, `"error":"panic: hunter2"`, `"stack":"goroutine`, `"trace_id":"`, `"principal":"ann"`},
		"broken":  {`"level":"ERROR"`, `"error":"hunter2"`, `"code":"Internal"`, `"tenant":"default"`},
		"away":    {`"level":"WARN"`, `"code":"Unavailable"`, `"reason":"AUTHOR_AWAY"`},
		"burnt":   {`"level":"ERROR"`, `"code":"Unavailable"`, `"reason":"STORE_UNREACHABLE"`},
		"lent":    {`"level":"WARN"`, `"code":"FailedPrecondition"`, `"reason":"FAILED_PRECONDITION"`},
		"lost":    {`"level":"ERROR"`, `"code":"DataLoss"`},
		"foreign": {`"level":"WARN"`, `"code":"Internal"`, `"error":"another library answered: rpc error: code = Internal desc = hunter2"`},
		"missing": {`"level":"INFO"`, `"reason":"BOOK_NOT_FOUND"`},
		"dune":    {`"level":"DEBUG"`, `"method":"/test.v1.Library/GetBook"`, `"code":"OK"`, `"duration":`},
	} {
		before := r.log.String()
		_ = r.conn.Invoke(as(t, readerToken), getBook, newMessage("GetBookRequest", "name", name), newMessage("Book")) // the log is what counts
		line := strings.TrimPrefix(r.log.String(), before)
		if strings.Count(line, `"msg":"rpc"`) != 1 {
			t.Errorf("GetBook(%q) logged %q, want one line", name, line)
		}
		for _, want := range wants {
			if !strings.Contains(line, want) {
				t.Errorf("GetBook(%q) logged %q, want %s in it", name, line, want)
			}
		}
	}
}

// TestAPanicInAStreamEndsOnlyTheStream has a handler of a stream panic, which would end the process.
func TestAPanicInAStreamEndsOnlyTheStream(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	stream := watch(as(t, readerToken), t, r.conn, newMessage("WatchBooksRequest", "then", "panic"))
	if err := stream.RecvMsg(newMessage("Book")); status.Code(err) != codes.Internal || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("WatchBooks() = %v, want an internal error that shows nothing of ours", err)
	}
	for _, want := range []string{`"level":"ERROR"`, `"method":"/test.v1.Library/WatchBooks"`, `"error":"panic: hunter2"`, `"stack":"goroutine`} {
		if !strings.Contains(r.log.String(), want) {
			t.Errorf("log = %s, want %s in it", r.log, want)
		}
	}
}

// panicking is an authenticator that panics for one token.
type panicking struct{ auth.Authenticator }

func (p panicking) Authenticate(ctx context.Context, token string) (auth.Principal, error) {
	if token == "panic" {
		panic("hunter2")
	}
	return p.Authenticator.Authenticate(ctx, token)
}

// TestAPanicOfTheAuthenticatorEndsOnlyTheCall has one before the request is read, outside the interceptors, which would end the process.
func TestAPanicOfTheAuthenticatorEndsOnlyTheCall(t *testing.T) {
	t.Parallel()
	r := start(t, func(o *rpcserver.Options, _ func(func(*rpcserver.Server))) {
		o.Authenticator = panicking{o.Authenticator}
	})
	for token, want := range map[string]codes.Code{"panic": codes.Internal, readerToken: codes.OK} {
		err := r.conn.Invoke(as(t, token), getBook, newMessage("GetBookRequest", "name", "dune"), newMessage("Book"))
		if status.Code(err) != want || err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("GetBook() with the token %s = %v, want %v, which shows nothing of ours", token, err, want)
		}
	}
}

// TestACallerThatLeavesIsNoTrouble has one disconnect while its call is under way.
func TestACallerThatLeavesIsNoTrouble(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	ctx, leave := context.WithCancel(as(t, readerToken))
	request := newMessage("WatchBooksRequest", "then", "slow")
	request.Set(request.Descriptor().Fields().ByName("count"), protoreflect.ValueOfInt64(1))
	if err := watch(ctx, t, r.conn, request).RecvMsg(newMessage("Book")); err != nil {
		t.Fatalf("WatchBooks() = %v, want a book", err)
	}
	leave()
	r.stop(t) // when the call is over
	if line := r.log.String(); !strings.Contains(line, `"level":"DEBUG","msg":"rpc","method":"/test.v1.Library/WatchBooks"`) {
		t.Errorf("log = %s, want a line at debug level about the stream", line)
	}
}

func TestHealthIsPublicAndReflectionIsNot(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	for _, service := range []string{"", "test.v1.Library"} {
		resp, err := grpc_health_v1.NewHealthClient(r.conn).Check(t.Context(), &grpc_health_v1.HealthCheckRequest{Service: service})
		if err != nil || resp.GetStatus() != grpc_health_v1.HealthCheckResponse_SERVING {
			t.Errorf("Check(%q) = %v, %v, want SERVING", service, resp, err)
		}
	}
	for token, want := range map[string]codes.Code{agentToken: codes.OK, "": codes.Unauthenticated} {
		stream, err := grpc_reflection_v1.NewServerReflectionClient(r.conn).ServerReflectionInfo(as(t, token))
		if err != nil {
			t.Fatal(err)
		}
		request := &grpc_reflection_v1.ServerReflectionRequest{MessageRequest: &grpc_reflection_v1.ServerReflectionRequest_ListServices{}}
		_ = stream.Send(request) // Recv tells the status
		if _, err := stream.Recv(); status.Code(err) != want {
			t.Errorf("ServerReflectionInfo(token %q) = %v, want %v", token, err, want)
		}
	}
}

func TestATooLargeMessageIsRefused(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	err := r.conn.Invoke(as(t, readerToken), getBook, newMessage("GetBookRequest", "name", strings.Repeat("a", 65<<10)), newMessage("Book"))
	if status.Code(err) != codes.ResourceExhausted {
		t.Errorf("GetBook(65 KiB) = %v, want %v", err, codes.ResourceExhausted)
	}
}

func TestAServerWithAnOpenMethodDoesNotStart(t *testing.T) {
	t.Parallel()
	opts := options(t, new(logtest.Buffer))
	delete(opts.Rules, createBook)
	s, err := rpcserver.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	s.GRPC().RegisterService(&libraryService, nil)
	if err := s.Run(t.Context()); err == nil || !strings.Contains(err.Error(), createBook) {
		t.Errorf("Run() = %v, want an error that names %s", err, createBook)
	}
}

func TestNewRefusesMissingOptions(t *testing.T) {
	t.Parallel()
	for name, strip := range map[string]func(*rpcserver.Options){
		"no telemetry":     func(o *rpcserver.Options) { o.Telemetry = nil },
		"no authenticator": func(o *rpcserver.Options) { o.Authenticator = nil },
		"no listener":      func(o *rpcserver.Options) { o.GRPCListener, o.HTTPListener = nil, nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opts := options(t, new(logtest.Buffer))
			strip(&opts)
			if _, err := rpcserver.New(opts); err == nil {
				t.Error("New() = nil, want an error")
			}
		})
	}
}

func TestAPublicMethodNeedsNoToken(t *testing.T) {
	t.Parallel()
	r := start(t, func(o *rpcserver.Options, _ func(func(*rpcserver.Server))) {
		o.Rules[getBook] = auth.Rule{Public: true}
	})
	if err := r.conn.Invoke(t.Context(), getBook, newMessage("GetBookRequest", "name", "dune"), newMessage("Book")); err != nil {
		t.Errorf("GetBook() without a token = %v, want no error", err)
	}
}

// TestTheRequestOfNobodyIsNotDecoded sends what is no message at all: nobody is told so.
func TestTheRequestOfNobodyIsNotDecoded(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	broken := &emptypb.Empty{}
	broken.ProtoReflect().SetUnknown(protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), []byte("\xff"))) // a name that is no text
	for name, test := range map[string]struct {
		ctx  context.Context //nolint:containedctx // the caller's identity goes with it
		want codes.Code
	}{
		"without a token":           {t.Context(), codes.Unauthenticated},
		"with a token that is none": {as(t, "x"), codes.Unauthenticated},
		"with all that it takes":    {as(t, readerToken), codes.InvalidArgument},
	} {
		if err := r.conn.Invoke(test.ctx, getBook, broken, &emptypb.Empty{}); status.Code(err) != test.want {
			t.Errorf("GetBook() %s = %v, want %s", name, err, test.want)
		}
	}
}

// TestTheRequestOfNobodyIsNotDecompressed sends what is larger than a request may be once it is decompressed: nobody is told so.
func TestTheRequestOfNobodyIsNotDecompressed(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	large := newMessage("GetBookRequest", "name", strings.Repeat("x", 256<<10))
	for name, test := range map[string]struct {
		ctx  context.Context //nolint:containedctx // the caller's identity goes with it
		want codes.Code
	}{
		"without a token":        {t.Context(), codes.Unauthenticated},
		"with all that it takes": {as(t, readerToken), codes.ResourceExhausted},
	} {
		_ = r.conn.Invoke(test.ctx, getBook, newMessage("GetBookRequest", "name", "dune"), newMessage("Book")) // the first call of a connection decides who serves it
		if err := r.conn.Invoke(test.ctx, getBook, large, newMessage("Book"), grpc.UseCompressor(gzip.Name)); status.Code(err) != test.want {
			t.Errorf("GetBook() %s = %v, want %s", name, err, test.want)
		}
	}
}

// TestAFieldOfANewerVersionIsIgnoredOverGRPC is docs/adr/0025: over REST such a field is an error.
func TestAFieldOfANewerVersionIsIgnoredOverGRPC(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	req := newMessage("GetBookRequest", "name", "dune")
	req.ProtoReflect().SetUnknown(protowire.AppendVarint(protowire.AppendTag(nil, 1000, protowire.VarintType), 1))
	if err := r.conn.Invoke(metadata.AppendToOutgoingContext(t.Context(), bearer(readerToken)...), getBook, req, newMessage("Book")); err != nil {
		t.Errorf("GetBook() with a field that this version does not have = %v, want it ignored", err)
	}
}
