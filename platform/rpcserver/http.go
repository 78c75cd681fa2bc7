package rpcserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/rpcserver/instrument"
	"github.com/quorate/quorate/platform/telemetry"
)

const apiPath = "/v1/"

// handler returns the mux behind the checks that apply to every request.
func (s *Server) handler() http.Handler {
	api := s.beforeREST(s.gateway)
	s.mux.Handle(apiPath, api)
	s.mux.Handle(strings.TrimSuffix(apiPath, "/"), api) // which the mux would redirect to nothing
	if !s.hasRoot {
		s.mux.Handle("/", s.unregistered(api))
	}
	origins := http.NewCrossOriginProtection()
	origins.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.refuse(w, r, http.StatusForbidden, fault.New(fault.PermissionDenied, "ORIGIN_DENIED", "cross-origin requests are refused"))
	}))
	guarded := s.guard(s.limitBody(s.checkHost(origins.Handler(s.dotted(api)))))
	return http.HandlerFunc(func(under http.ResponseWriter, r *http.Request) {
		w := newResponse(under)
		defer w.extend() // what is still buffered is written after the handler
		switch r.URL.Path {
		case healthPath, readyPath, metricsPath: // asked for every few seconds, by machines
			guarded(w, r)
		default:
			s.requests.Observe(r, func(r *http.Request) instrument.Answer {
				guarded(w, r)
				w.begin(http.StatusOK)
				return instrument.Answer{Status: w.status, Bytes: w.written}
			})
		}
	})
}

// dotted returns the mux, except that it does not redirect a path of the API with a segment that is empty, . or .., which is a name like any other there:
// the client would get the answer to another call.
func (s *Server) dotted(api http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, apiPath) && (strings.Contains(r.URL.Path, "/.") || strings.Contains(r.URL.Path, "//")) {
			r.Pattern = apiPath // as the mux notes it
			api.ServeHTTP(w, r)
			return
		}
		s.mux.ServeHTTP(w, r)
	})
}

// SetAllow sets the header that names the methods of a path to a caller that used another: HEAD beside GET, since a Server answers it wherever GET is answered.
func SetAllow(h http.Header, methods ...string) {
	h.Set("Allow", strings.Replace(strings.Join(methods, ", "), http.MethodGet, "GET, HEAD", 1))
}

// unregistered answers requests that no pattern matches: 405 if one would match with GET, otherwise 404 as for a path of the API.
func (s *Server) unregistered(api http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		get := *r
		get.Method = http.MethodGet
		if _, pattern := s.mux.Handler(&get); strings.HasPrefix(pattern, http.MethodGet+" ") {
			SetAllow(w.Header(), http.MethodGet)
			writeErrorCode(w, r, http.StatusMethodNotAllowed, fault.New(fault.InvalidArgument, "METHOD_NOT_ALLOWED", "%s is not allowed here; use GET", r.Method))
			return
		}
		api.ServeHTTP(w, r)
	})
}

// guard recovers panics.
func (s *Server) guard(next http.Handler) func(*response, *http.Request) {
	return func(w *response, r *http.Request) {
		defer func() {
			if v := recover(); v != nil {
				s.recovered(w, r, v)
			}
		}()
		if r.Method == http.MethodHead { // HEAD is answered wherever GET is (RFC 9110, section 9.3.2); net/http leaves the content out
			ctx, cancel := context.WithCancel(r.Context())
			defer cancel()
			w.headed = cancel // a stream would hold up the next request, and nobody hears it
			r = r.WithContext(ctx)
			r.Method = http.MethodGet
		}
		next.ServeHTTP(w, r)
	}
}

// recovered answers 500 after a panic if nothing was answered yet, and cuts the connection otherwise.
func (s *Server) recovered(w *response, r *http.Request, v any) {
	if err, ok := v.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(http.ErrAbortHandler)
	}
	err := newPanicError(v)
	s.opts.Logger.ErrorContext(r.Context(), "http handler panicked", slog.String(telemetry.LogMethod, r.Method),
		slog.String(telemetry.LogPath, r.URL.Path), slog.Any(telemetry.LogError, err), slog.String(telemetry.LogStack, err.stack))
	if w.status != 0 {
		panic(http.ErrAbortHandler)
	}
	s.refuse(w, r, http.StatusInternalServerError, fmt.Errorf("handling %s: %w", r.URL.Path, err))
}
