package http1

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/quorate/quorate/platform/telemetry"
)

// Options are the settings of a Server. All are required.
type Options struct {
	Handler           http.Handler
	Logger            *slog.Logger
	ReadHeaderTimeout time.Duration // also for the first byte of a connection, and for a TLS handshake
	IdleTimeout       time.Duration // from a response to the next request
	MaxHeaderBytes    int           // of requests that net/http reads; more than plain requests may have
}

// Server serves HTTP on any number of listeners, like http.Server.
type Server struct {
	opts Options
	rest *http.Server // serves requests that are not plain
	open *conns       // connections that were not handed to rest
}

// New returns a server that has no listeners yet.
func New(o Options) *Server {
	return &Server{o, &http.Server{
		Handler: o.Handler, ReadHeaderTimeout: o.ReadHeaderTimeout, IdleTimeout: o.IdleTimeout, MaxHeaderBytes: o.MaxHeaderBytes,
		ErrorLog: slog.NewLogLogger(telemetry.Limited(o.Logger.Handler()), slog.LevelWarn), // it has a line for each TLS handshake that fails
	}, newConns()}
}

// Serve serves requests on l until Shutdown or Close, and then returns http.ErrServerClosed. It closes l.
func (s *Server) Serve(l net.Listener) error {
	d := newFallbackListener(l)
	var accepting sync.WaitGroup
	accepting.Go(func() { s.accept(d) })
	defer accepting.Wait()
	return s.rest.Serve(d)
}

// accept accepts and serves connections. Errors go to net/http, which decides how long to wait and when to give up.
func (s *Server) accept(d *fallbackListener) {
	ctx := context.WithValue(context.Background(), http.ServerContextKey, s.rest)
	for {
		accepted, err := d.listener.Accept()
		if err == nil {
			go s.serve(ctx, accepted, d)
		} else if !d.pass(nil, err) {
			return
		}
	}
}

// serve answers plain requests, and hands the connection to net/http at the first other one.
func (s *Server) serve(ctx context.Context, accepted net.Conn, d *fallbackListener) {
	c, passed := newConn(s, accepted), false
	defer s.open.remove(c)
	defer func() {
		if !passed { // also when the handler calls runtime.Goexit
			_ = c.Close() // all responses have been written
		}
	}()
	if s.open.add(c) {
		rest := c.serve(ctx)
		passed = rest != nil && c.begin() && d.pass(rest, nil)
	}
}

// Shutdown stops listening, closes idle connections, and waits until all requests in progress are answered. It returns the error of ctx if that ends first.
func (s *Server) Shutdown(ctx context.Context) error {
	ended := s.open.stop()
	err := s.rest.Shutdown(ctx)
	select {
	case <-ended:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close stops listening and closes all connections at once.
func (s *Server) Close() error {
	s.open.stop()
	s.open.closeAll()
	return s.rest.Close()
}
