package http1

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// Options are what New needs; all are required.
type Options struct {
	Handler           http.Handler
	Logger            *slog.Logger
	ReadHeaderTimeout time.Duration // also until the first byte of a connection, and of a handshake
	IdleTimeout       time.Duration // from an answer to the next request
	MaxHeaderBytes    int           // of a request that net/http reads; larger than those of plain ones
}

// Server serves HTTP on any number of listeners, like http.Server.
type Server struct {
	opts Options
	rest *http.Server // answers what is not plain
	open *conns       // those that are not with rest
}

// New returns a server that serves nothing yet.
func New(o Options) *Server {
	return &Server{o, &http.Server{
		Handler: o.Handler, ReadHeaderTimeout: o.ReadHeaderTimeout, IdleTimeout: o.IdleTimeout, MaxHeaderBytes: o.MaxHeaderBytes,
		ErrorLog: slog.NewLogLogger(o.Logger.Handler(), slog.LevelWarn),
	}, newConns()}
}

// Serve answers the requests on l until Shutdown or Close, and returns http.ErrServerClosed then. It closes l.
func (s *Server) Serve(l net.Listener) error {
	d := newDoor(l)
	var accepting sync.WaitGroup
	accepting.Go(func() { s.accept(d) })
	defer accepting.Wait()
	return s.rest.Serve(d)
}

// accept serves each connection that comes. Errors go to net/http, which knows how long to wait and which to give up on.
func (s *Server) accept(d *door) {
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

// serve answers plain requests and gives the connection to net/http at the first other one.
func (s *Server) serve(ctx context.Context, accepted net.Conn, d *door) {
	c, passed := newConn(s, accepted), false
	defer s.open.remove(c)
	defer func() {
		if !passed { // also when the handler ends the goroutine
			_ = c.Close() // all that was answered has been written
		}
	}()
	if s.open.add(c) {
		rest := c.serve(ctx)
		passed = rest != nil && c.begin() && d.pass(rest, nil)
	}
}

// Shutdown stops listening, closes the connections without a request, and waits until the others have their answer. It returns the error of ctx when that ends first.
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

// Close stops listening and cuts off all connections.
func (s *Server) Close() error {
	s.open.stop()
	s.open.cut()
	return s.rest.Close()
}
