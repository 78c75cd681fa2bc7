package rpcserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"buf.build/go/protovalidate"
	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/test/bufconn"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/grpcwire"
	"github.com/quorate/quorate/platform/rpcserver/instrument"
	"github.com/quorate/quorate/platform/share"
	"github.com/quorate/quorate/platform/telemetry"
)

const (
	defaultMaxBody = 4 << 20
	defaultReadmit = 30 * time.Second
	maxAnswer      = 64 << 20 // bytes of a message over the in-memory connection: an answer may exceed what a request may have
	maxStreams     = 4096     // per connection; for grpc-go, in addition to the calls that Limits allow, so that a refusal always finds room
	workers        = 128      // goroutines kept for the next call, whose stacks have grown already; calls beyond that number get a goroutine of their own
	maxHeaderBytes = 64 << 10
	pipeBuffer     = 256 << 10
	connectTimeout = 20 * time.Second
	minPing        = 5 * time.Second  // clients that ping more often are cut off; most ping every 10 s, some a little early
	pingAfter      = 25 * time.Second // so that something is sent every 50 s, while calls are silent: nginx cuts them off after 60
	pingTimeout    = 20 * time.Second
)

// Options are what New needs. Telemetry, Authenticator and at least one listener are required.
type Options struct {
	Logger        *slog.Logger // nil takes the one of Telemetry
	Telemetry     *telemetry.Telemetry
	Authenticator auth.Authenticator
	Rules         auth.Rules   // one row for each method; those of health and reflection have defaults
	MaxBodyBytes  int64        // of a gRPC message and of an HTTP body; zero is 4 MiB
	Limits        Limits       // of what one caller can have the server do
	GRPCListener  net.Listener // Run closes it
	HTTPListener  net.Listener // Run closes it
	AllowedHosts  []string     // names that a Host header may have besides localhost and the addresses of the listener

	// ReadmitEvery is the interval at which the credentials behind an open stream are checked again, since a stream may outlive them by days; zero is 30 s.
	ReadmitEvery time.Duration
}

// Server is one gRPC server with an HTTP server in front of it. Register everything, then call Run once.
type Server struct {
	opts       Options
	validator  protovalidate.Validator
	grpc       *grpc.Server
	direct     *grpcwire.Server
	health     *health.Server
	pipe       *bufconn.Listener
	conn       *inside
	plain      *grpc.ClientConn // to gRPC's transport, for what comes directly and is not for direct services
	gateway    *runtime.ServeMux
	mux        *http.ServeMux
	hasRoot    bool     // somebody handles "/"
	discarding []string // patterns of HandleDiscarding
	checks     []*check
	ready      readyChecks
	streams    *openStreams
	waits      *openStreams // of calls that are no streams
	callers    *callers
	strangers  strangers
	intake     *intake              // of requests
	talks      *intake              // of messages of streams in both directions
	unread     *share.Bytes[caller] // of answers
	refusals   *telemetry.Lines     // in the log, of those without a caller
	hosts      hostGuard
	turns      *turns
	requests   *instrument.Requests
	stopping   atomic.Bool
	abandoned  chan struct{} // closed when calls that do not end are no longer waited for
}

// New returns a server with only the health and reflection services. It accepts no connection before Run.
func New(opts Options) (*Server, error) {
	switch {
	case opts.Telemetry == nil:
		return nil, errors.New("rpc server needs telemetry")
	case opts.Authenticator == nil:
		return nil, errors.New("rpc server needs an authenticator")
	case opts.GRPCListener == nil && opts.HTTPListener == nil:
		return nil, errors.New("rpc server needs a listener")
	}
	if opts.Logger == nil {
		opts.Logger = opts.Telemetry.Logger
	}
	if opts.MaxBodyBytes == 0 {
		opts.MaxBodyBytes = defaultMaxBody
	}
	if opts.ReadmitEvery == 0 {
		opts.ReadmitEvery = defaultReadmit
	}
	rules := defaultRules()
	maps.Copy(rules, opts.Rules)
	opts.Rules = rules
	validator, err := protovalidate.New()
	if err != nil {
		return nil, fmt.Errorf("creating the request validator: %w", err)
	}
	s := &Server{
		opts: opts, validator: validator, health: health.NewServer(), pipe: bufconn.Listen(pipeBuffer),
		mux: http.NewServeMux(), streams: newOpenStreams(errStopping), waits: newOpenStreams(errCutOff), callers: newCallers(opts.Limits), strangers: newStrangers(),
		intake: newIntake(maxReceived, bodyTimeout), talks: newIntake(maxReceived, talkWait),
		unread: share.NewBytes[caller](maxUnread * int(opts.MaxBodyBytes)), refusals: telemetry.NewLines(refusalsAtOnce, refusalsEvery),
		hosts: newHostGuard(opts.AllowedHosts, opts.HTTPListener),
		ready: newReadyChecks(), turns: newTurns(maxInLine * int(opts.MaxBodyBytes)), abandoned: make(chan struct{}),
	}
	if s.requests, err = instrument.NewRequests(opts.Telemetry); err != nil {
		return nil, err
	}
	s.gateway = newGateway(s.turns)
	calls, err := instrument.NewServerCalls(s.opts.Telemetry, s.opts.Rules)
	if err != nil {
		return nil, err
	}
	s.grpc = s.newGRPC(calls)
	if s.conn, err = s.newInside(calls); err != nil {
		return nil, fmt.Errorf("connecting REST to gRPC: %w", err)
	}
	grpc_health_v1.RegisterHealthServer(s.GRPC(), s.health)
	reflection.RegisterV1(s.grpc)
	if s.direct, s.plain, err = s.newDirect(calls); err != nil {
		return nil, err
	}
	s.handleBuiltIn()
	return s, nil
}

func defaultRules() auth.Rules {
	return auth.Rules{
		grpc_health_v1.Health_Check_FullMethodName:                              {Public: true},
		grpc_health_v1.Health_List_FullMethodName:                               {Public: true},
		grpc_health_v1.Health_Watch_FullMethodName:                              {Public: true},
		grpc_reflection_v1.ServerReflection_ServerReflectionInfo_FullMethodName: {},
	}
}

func (s *Server) newGRPC(calls *instrument.ServerCalls) *grpc.Server {
	return grpc.NewServer(
		grpc.StatsHandler(calls),
		grpc.UnaryInterceptor(s.countAnswers),
		grpc.StreamInterceptor(streams{s, s.receiving}.intercept),
		grpc.ForceServerCodecV2(newCodec()),
		grpc.MaxRecvMsgSize(int(s.opts.MaxBodyBytes)),
		grpc.MaxConcurrentStreams(uint32(s.callers.limits.MaxCalls+maxStreams)), //nolint:gosec // far below 2^32; all REST calls share one connection
		grpc.NumStreamWorkers(workers),
		grpc.StaticStreamWindowSize(streamWindow), // otherwise a client can make it grow to 16 MiB
		grpc.StaticConnWindowSize(connWindow),
		grpc.MaxHeaderListSize(maxHeaderBytes),
		grpc.ConnectionTimeout(connectTimeout),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: minPing, PermitWithoutStream: true}),
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: pingAfter, Timeout: pingTimeout}),
	)
}

func (s *Server) newInside(service *instrument.ServerCalls) (*inside, error) {
	client, err := instrument.NewClientCalls(s.opts.Telemetry, s.opts.Rules, s.pipe.Addr())
	if err != nil {
		return nil, err
	}
	overPipe, err := s.dial(grpc.WithStatsHandler(client), grpc.WithStreamInterceptor(restStream))
	if err != nil {
		return nil, err
	}
	return &inside{Server: s, methods: make(map[string]insideMethod), client: client, service: service, overPipe: overPipe}, nil
}

func (s *Server) dial(options ...grpc.DialOption) (*grpc.ClientConn, error) {
	return grpc.NewClient("passthrough:///quorate", append(options,
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return s.pipe.DialContext(ctx) }),
		grpc.WithTransportCredentials(insecure.NewCredentials()), // it never leaves the process
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxAnswer)),
	)...)
}

// GRPC returns the registrar for services.
func (s *Server) GRPC() grpc.ServiceRegistrar { return registrar{s} }

// Conn returns the connection to the services from inside the process. A call over it passes the same interceptors as a call from outside. A stream waits until Run
// serves.
func (s *Server) Conn() grpc.ClientConnInterface { return s.conn }

// REST registers the REST handlers of a service, whose calls go over conn.
type REST func(ctx context.Context, mux *runtime.ServeMux, conn grpc.ClientConnInterface) error

// NewREST returns the REST of a service by what is generated for it: RegisterXHandlerClient of grpc-gateway and NewXClient of gRPC. RegisterXHandlerServer would bypass
// the interceptors.
func NewREST[Client any](register func(context.Context, *runtime.ServeMux, Client) error, client func(grpc.ClientConnInterface) Client) REST {
	return func(ctx context.Context, mux *runtime.ServeMux, conn grpc.ClientConnInterface) error {
		return register(ctx, mux, client(conn))
	}
}

// Gateway registers REST handlers.
func (s *Server) Gateway(ctx context.Context, register ...REST) error {
	for _, r := range register {
		if err := r(ctx, s.gateway, s.conn); err != nil {
			return fmt.Errorf("registering a REST service: %w", err)
		}
	}
	return nil
}

// Handle serves h at pattern, which has the form of http.ServeMux; it panics when two patterns conflict. The limits on body, host and origin apply to
// h. It is not authenticated: wrap it in Authenticated.
func (s *Server) Handle(pattern string, h http.Handler) {
	s.hasRoot = s.hasRoot || pattern == "/"
	s.mux.Handle(pattern, h)
}

// HandleDiscarding is Handle for a handler that throws away what it reads of a body, which may have up to 64 MiB then.
func (s *Server) HandleDiscarding(pattern string, h http.Handler) {
	s.discarding = append(s.discarding, pattern)
	s.Handle(pattern, h)
}

// OnReady adds a check to /readyz under name. It has two seconds; of its error only the message of a fault is shown. It runs once a second at most, and not again
// while it is stuck.
func (s *Server) OnReady(name string, run func(context.Context) error) {
	s.checks = append(s.checks, &check{name: name, run: run})
}
