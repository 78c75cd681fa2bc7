package rpcserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"time"

	"google.golang.org/grpc"

	"github.com/quorate/quorate/platform/http1"
	"github.com/quorate/quorate/platform/tasks"
	"github.com/quorate/quorate/platform/telemetry"
)

const (
	stopTimeout       = 10 * time.Second
	answerTimeout     = 2 * time.Second // before that, calls that wait are told to answer
	abandonTimeout    = time.Second
	readHeaderTimeout = 10 * time.Second
	idleTimeout       = 2 * time.Minute
)

// Run serves until ctx is done. Then it ends streams at once, lets calls finish for up to ten seconds and cuts off the rest. It does not start when a
// registered method has no rule.
func (s *Server) Run(ctx context.Context) error {
	if err := s.checkRules(); err != nil {
		return err
	}
	for service := range s.grpc.GetServiceInfo() {
		s.health.SetServingStatus(service, healthServing)
	}
	server := http1.New(http1.Options{
		Handler:           s.handler(),
		Logger:            s.opts.Logger,
		ReadHeaderTimeout: readHeaderTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
	}) // no WriteTimeout: a stream lives as long as its task; see response for the bound on each write
	list := []tasks.Task{
		{Name: "pipe", Run: func(ctx context.Context) error { return s.serveGRPC(ctx, s.pipe) }},
		{Name: "stop", Run: func(ctx context.Context) error {
			<-ctx.Done()
			s.shutdown(context.WithoutCancel(ctx), server)
			return nil
		}},
	}
	if l := s.opts.GRPCListener; l != nil {
		front := s.direct.Front(tellingHandshakes(l, s.opts.Logger))
		list = append(list, tasks.Task{Name: "grpc", Run: func(ctx context.Context) error { return s.serveGRPC(ctx, front) }})
		s.logServing(ctx, "grpc", l)
	}
	if l := s.opts.HTTPListener; l != nil {
		list = append(list, tasks.Task{Name: "http", Run: func(context.Context) error { return serveHTTP(server, l) }}) //nolint:contextcheck // requests go on; stop lets them end
		s.logServing(ctx, "http", l)
	}
	return tasks.Run(ctx, s.opts.Logger, list...)
}

// serveGRPC serves until the server is stopped, which may happen before it has begun, or until calls that do not end are abandoned, for which Serve would wait.
func (s *Server) serveGRPC(ctx context.Context, l net.Listener) error {
	served := make(chan error, 1)
	go func() { served <- s.grpc.Serve(l) }()
	select {
	case err := <-served:
		if !errors.Is(err, grpc.ErrServerStopped) || ctx.Err() == nil {
			return err
		}
	case <-s.abandoned:
	}
	return nil
}

func serveHTTP(server *http1.Server, l net.Listener) error {
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func (s *Server) logServing(ctx context.Context, protocol string, l net.Listener) {
	s.opts.Logger.InfoContext(ctx, "serving", slog.String("protocol", protocol), slog.String(telemetry.LogAddress, l.Addr().String()))
}

func (s *Server) checkRules() error {
	var open []string
	for service, info := range s.grpc.GetServiceInfo() {
		for _, m := range info.Methods {
			full := "/" + service + "/" + m.Name
			if _, ok := s.opts.Rules[full]; !ok {
				open = append(open, full)
			}
		}
	}
	if len(open) == 0 {
		return nil
	}
	slices.Sort(open)
	return fmt.Errorf("no rule says who may call %v", open)
}

func (s *Server) shutdown(ctx context.Context, server *http1.Server) {
	ctx, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	s.stopping.Store(true)
	s.health.Shutdown()
	s.streams.endAll()
	defer time.AfterFunc(stopTimeout-answerTimeout, s.waits.endAll).Stop()
	// REST and the direct connections stop first, because their calls still need gRPC.
	direct := s.stopDirect(ctx)
	if err := server.Shutdown(ctx); err != nil {
		s.opts.Logger.WarnContext(ctx, "cutting off HTTP requests", slog.Any(telemetry.LogError, errors.Join(err, server.Close())))
	}
	<-direct
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		s.grpc.GracefulStop()
	}()
	select {
	case <-stopped:
	case <-ctx.Done():
		go s.grpc.Stop() // it may wait for handlers, too, after GracefulStop has taken its lock
		select {
		case <-stopped:
		case <-time.After(abandonTimeout): // a handler that ignores its context must not keep the process alive
			s.opts.Logger.WarnContext(ctx, "abandoning calls that do not end")
			close(s.abandoned)
		}
	}
	if err := errors.Join(s.conn.overPipe.Close(), s.plain.Close()); err != nil {
		s.opts.Logger.WarnContext(ctx, "closing the REST connection", slog.Any(telemetry.LogError, err))
	}
}
