package rpcserver

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/telemetry"
)

// writeTimeout bounds one write, not the answer: a client that does not read for so long is cut off.
const writeTimeout = 30 * time.Second

// handler returns the mux behind the guards that apply to every request.
func (s *Server) handler() http.Handler {
	s.mux.Handle("/v1/", s.gateway)
	if !s.hasRoot {
		s.mux.Handle("/", s.gateway) // answers 404 as JSON
	}
	origins := http.NewCrossOriginProtection()
	origins.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		writeError(w, r, fault.New(fault.PermissionDenied, "ORIGIN_DENIED", "a page of another origin may not call this"))
	}))
	hosts := newHostGuard(s.opts.AllowedHosts, s.opts.HTTPListener)
	t := s.opts.Telemetry
	return otelhttp.NewHandler(s.guard(hosts.wrap(origins.Handler(s.limitBody(s.mux)))), "http",
		otelhttp.WithTracerProvider(t.TracerProvider), otelhttp.WithMeterProvider(t.MeterProvider), otelhttp.WithPropagators(t.Propagator),
		otelhttp.WithFilter(func(r *http.Request) bool {
			return r.URL.Path != healthPath && r.URL.Path != readyPath && r.URL.Path != metricsPath
		}))
}

// guard recovers panics, bounds each write and lets a stopping server end event streams.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(under http.ResponseWriter, r *http.Request) {
		w := &response{ResponseWriter: under, control: http.NewResponseController(under)}
		defer w.extend() // what is still buffered is written after the handler
		defer func() {
			if v := recover(); v != nil {
				s.recovered(w, r, v)
			}
		}()
		if r.Method == http.MethodHead { // is answered wherever GET is (RFC 9110, section 9.3.2); net/http leaves the content out
			r = r.WithContext(r.Context())
			r.Method = http.MethodGet
		}
		if acceptsEvents(r) {
			ctx, release := s.streams.track(r.Context())
			defer release()
			r = r.WithContext(ctx)
		}
		next.ServeHTTP(w, r)
	})
}

// recovered answers a panic if nothing was answered yet, and cuts the connection otherwise.
func (s *Server) recovered(w *response, r *http.Request, v any) {
	if err, ok := v.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(http.ErrAbortHandler)
	}
	err := newPanicError(v)
	s.opts.Logger.ErrorContext(r.Context(), "http handler panicked", slog.String(telemetry.LogMethod, r.Method),
		slog.String(telemetry.LogPath, r.URL.Path), slog.Any(telemetry.LogError, err), slog.String(telemetry.LogStack, err.stack))
	if w.started {
		panic(http.ErrAbortHandler)
	}
	writeError(w, r, fmt.Errorf("handling %s: %w", r.URL.Path, err))
}

// response extends the write deadline with each write and knows whether the answer has begun.
type response struct {
	http.ResponseWriter
	control *http.ResponseController
	started bool
}

// WriteHeader begins the answer, unless code is informational.
func (w *response) WriteHeader(code int) {
	w.started = w.started || code >= http.StatusOK
	w.ResponseWriter.WriteHeader(code)
}

// Write writes data within writeTimeout.
func (w *response) Write(data []byte) (int, error) {
	w.started = true
	w.extend()
	return w.ResponseWriter.Write(data)
}

// Flush sends what is buffered, for handlers that ask for an http.Flusher.
func (w *response) Flush() {
	_ = w.FlushError() // http.Flusher has no way to tell
}

// FlushError sends what is buffered within writeTimeout.
func (w *response) FlushError() error {
	w.started = true
	w.extend()
	return w.control.Flush()
}

// Unwrap gives http.ResponseController the connection.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *response) extend() {
	_ = w.control.SetWriteDeadline(time.Now().Add(writeTimeout)) // a recorder in a test has no deadline
}
