package rpcserver

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"google.golang.org/grpc/health/grpc_health_v1"

	"github.com/quorate/quorate/platform/fault"
)

const (
	healthPath  = "/healthz"
	readyPath   = "/readyz"
	metricsPath = "/metrics"

	healthServing = grpc_health_v1.HealthCheckResponse_SERVING
	checkTimeout  = 2 * time.Second
)

// check is one condition of readiness.
type check struct {
	name string
	run  func(context.Context) error
}

type readiness struct {
	Status string            `json:"status"`
	Checks map[string]string `json:"checks,omitempty"`
}

func (s *Server) handleBuiltIn() {
	s.mux.HandleFunc("GET "+healthPath, func(w http.ResponseWriter, _ *http.Request) {
		writeReadiness(w, http.StatusOK, readiness{Status: "alive"})
	})
	s.mux.HandleFunc("GET "+readyPath, s.serveReady)
	s.mux.Handle("GET "+metricsPath, s.opts.Telemetry.MetricsHandler)
}

func (s *Server) serveReady(w http.ResponseWriter, r *http.Request) {
	if s.stopping.Load() {
		writeReadiness(w, http.StatusServiceUnavailable, readiness{Status: "stopping"})
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), checkTimeout)
	defer cancel()
	results := make([]error, len(s.checks))
	var group sync.WaitGroup
	for i, c := range s.checks {
		group.Go(func() { results[i] = c.run(ctx) })
	}
	group.Wait()
	answer, code := readiness{Status: "ready", Checks: make(map[string]string)}, http.StatusOK
	for i, c := range s.checks {
		answer.Checks[c.name] = "ok"
		if err := results[i]; err != nil {
			answer.Checks[c.name] = fault.From(err).Message // the cause is not for strangers
			answer.Status, code = "not ready", http.StatusServiceUnavailable
		}
	}
	writeReadiness(w, code, answer)
}

func writeReadiness(w http.ResponseWriter, code int, answer readiness) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(answer) // the client is gone when it fails
}
