package grpcwire

import (
	"context"
	"log/slog"
	"net"
	"sync"
	"time"

	"golang.org/x/net/http2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/stats"

	"github.com/quorate/quorate/platform/share"
)

// Options are the settings of a Server. Those that may be nil say so; all others are required.
type Options struct {
	Logger *slog.Logger
	Unary  grpc.UnaryServerInterceptor  // for unary calls; may be nil
	Stream grpc.StreamServerInterceptor // for all other calls; may be nil
	Stats  stats.Handler                // is told when each call begins and ends; may be nil
	Other  grpc.ClientConnInterface     // gets calls of methods that are not registered; if nil, these are UNIMPLEMENTED
	Origin func(net.Addr) string        // tells who may be at an address, to share memory among; if nil, each connection counts by itself

	MaxRequest  int           // bytes of a request message
	MaxStreams  uint32        // calls per connection at a time
	Workers     int           // goroutines that are kept for further calls, so that their stacks need not grow again
	Connect     time.Duration // time for a connection to send its first call
	PingAfter   time.Duration // silence after which a client is pinged, or after twice that; a request may take twice as long to arrive, and at most three times
	PingTimeout time.Duration // time to answer a ping before the connection ends
}

// Server serves calls of registered methods. Register all services before accepting connections through Front.
type Server struct {
	opts    Options
	methods map[string]*method // by path
	work    chan func()
	held    *share.Bytes[string]      // incomplete requests and their headers on all connections, by where these come from
	unsent  *share.Bytes[*serverConn] // messages that wait for their clients to read

	mu       sync.Mutex
	ports    map[*serverConn]struct{} // guarded by mu
	stopping bool                     // guarded by mu
	empty    chan struct{}            // guarded by mu; closed when the last connection ends while stopping
	stop     sync.Once
	stopped  chan struct{}
}

// method is a registered method.
type method struct {
	path   string
	impl   any
	unary  grpc.MethodHandler // nil if the method has a stream of responses
	stream grpc.StreamHandler
}

// NewServer returns a server without methods.
func NewServer(o Options) *Server {
	return &Server{
		opts: o, held: share.NewBytes[string](maxHeld), unsent: share.NewBytes[*serverConn](maxUnsent * o.MaxRequest), methods: make(map[string]*method), work: make(chan func()), ports: make(map[*serverConn]struct{}),
		empty: make(chan struct{}), stopped: make(chan struct{}),
	}
}

// originOf returns who is at the other end of a connection.
func (s *Server) originOf(conn net.Conn) string {
	if s.opts.Origin == nil {
		return conn.RemoteAddr().String()
	}
	return s.opts.Origin(conn.RemoteAddr())
}

// RegisterService registers the methods of a service whose request is one message. Methods with a stream of requests are left to Options.Other.
func (s *Server) RegisterService(desc *grpc.ServiceDesc, impl any) {
	for _, m := range desc.Methods {
		path := "/" + desc.ServiceName + "/" + m.MethodName
		s.methods[path] = &method{path: path, impl: impl, unary: m.Handler}
	}
	for _, m := range desc.Streams {
		if path := "/" + desc.ServiceName + "/" + m.StreamName; !m.ClientStreams {
			s.methods[path] = &method{path: path, impl: impl, stream: m.Handler}
		}
	}
}

func (s *Server) worker() {
	for {
		select {
		case job := <-s.work:
			job()
		case <-s.stopped:
			return
		}
	}
}

// run runs a job in a free worker, or else in a new goroutine.
func (s *Server) run(job func()) {
	select {
	case s.work <- job:
	default:
		go job()
	}
}

// serve serves a connection until it ends.
func (s *Server) serve(conn net.Conn) {
	p := newServerConn(s, conn)
	if !s.add(p) {
		p.sendGoAway(http2.ErrCodeNo, errClosed) // the client will try elsewhere
		p.read()
		return
	}
	defer s.remove(p)
	go p.watch()
	p.read()
	close(p.over)
	p.waitForHandlers()
}

func (s *Server) add(p *serverConn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.stopping {
		s.ports[p] = struct{}{}
	}
	return !s.stopping
}

func (s *Server) remove(p *serverConn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.ports, p)
	s.checkEmpty()
}

// checkEmpty closes empty if the server is stopping and has no more connections; mu is held.
func (s *Server) checkEmpty() {
	if s.stopping && len(s.ports) == 0 {
		s.stop.Do(func() { close(s.empty); close(s.stopped) })
	}
}

// Shutdown accepts no more calls, lets those in progress finish until ctx is done, and ends all connections. It returns the error of ctx if calls were cut off.
func (s *Server) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	s.stopping = true
	for p := range s.ports {
		p.drain()
	}
	s.checkEmpty()
	s.mu.Unlock()
	select {
	case <-s.empty:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for p := range s.ports {
		p.close()
	}
	return ctx.Err()
}
