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
)

// Options are what a Server needs. Those without a default are required.
type Options struct {
	Logger *slog.Logger
	Unary  grpc.UnaryServerInterceptor  // of every unary call; nil: none
	Stream grpc.StreamServerInterceptor // of every other call; nil: none
	Stats  stats.Handler                // learns of the begin and the end of every call; nil: nobody
	Other  grpc.ClientConnInterface     // takes calls of methods that are not registered; nil: they are not implemented

	MaxRequest  int           // bytes of a message
	MaxStreams  uint32        // calls of one connection at a time
	Workers     int           // goroutines that stay for the next call, with a stack that has grown
	Connect     time.Duration // for a connection to say its first words
	PingAfter   time.Duration // silence
	PingTimeout time.Duration // for an answer, before the connection ends
}

// Server serves calls of what is registered. Register everything, then let connections come through Front.
type Server struct {
	opts    Options
	methods map[string]*method // by their paths
	work    chan func()

	mu       sync.Mutex
	ports    map[*port]struct{} // guarded by mu
	stopping bool               // guarded by mu
	empty    chan struct{}      // guarded by mu; closed when the last connection has ended while stopping
	stop     sync.Once
	stopped  chan struct{}
}

// method is one that is registered.
type method struct {
	path   string
	impl   any
	unary  grpc.MethodHandler // nil: it has a stream of answers
	stream grpc.StreamHandler
}

// NewServer returns a server without methods.
func NewServer(o Options) *Server {
	return &Server{
		opts: o, methods: make(map[string]*method), work: make(chan func()), ports: make(map[*port]struct{}),
		empty: make(chan struct{}), stopped: make(chan struct{}),
	}
}

// RegisterService registers the methods of a service that take one message; those that take a stream of them are left to Options.Other.
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

// run has a job done, by a worker if one is free.
func (s *Server) run(job func()) {
	select {
	case s.work <- job:
	default:
		go job()
	}
}

// serve serves a connection until it ends.
func (s *Server) serve(conn net.Conn) {
	p := newPort(s, conn)
	if !s.add(p) {
		p.goodbye(http2.ErrCodeNo, errClosed) // the client tries elsewhere
		p.read()
		return
	}
	defer s.remove(p)
	go p.watch()
	p.read()
	close(p.over)
	p.drained()
}

func (s *Server) add(p *port) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.stopping {
		s.ports[p] = struct{}{}
	}
	return !s.stopping
}

func (s *Server) remove(p *port) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.ports, p)
	s.look()
}

// look sees whether all is over; mu is held.
func (s *Server) look() {
	if s.stopping && len(s.ports) == 0 {
		s.stop.Do(func() { close(s.empty); close(s.stopped) })
	}
}

// Shutdown takes no more calls, lets those that run end until ctx is done, and ends all connections. It returns the error of ctx if calls were cut off.
func (s *Server) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	s.stopping = true
	for p := range s.ports {
		p.leave()
	}
	s.look()
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
