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
	checkGrace    = 100 * time.Millisecond // for a check that ends with its context, to say why
)

// check is one condition of readiness.
type check struct {
	name    string
	run     func(context.Context) error
	running chan error // gets the result of a run that was not over in time; nil if there is none
}

// ask runs the check, or, while the last run is stuck, waits for that: a disk that does not answer ends with no context, and would collect the runs.
func (c *check) ask(ctx context.Context) error {
	if len(c.running) > 0 {
		c.running = nil // it was stuck, perhaps until long ago
	}
	if c.running == nil {
		running := make(chan error, 1)
		c.running = running
		go func() { running <- c.run(ctx) }()
	}
	late := time.NewTimer(checkTimeout + checkGrace)
	defer late.Stop()
	select {
	case err := <-c.running:
		if c.running = nil; err == nil || fault.KindOf(err) != fault.DeadlineExceeded {
			return err
		}
	case <-late.C:
	}
	return fault.New(fault.DeadlineExceeded, "DEADLINE_EXCEEDED", "no answer within %v", checkTimeout)
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
	l := s.checkReady(r.Context())
	writeReadiness(w, l.code, l.answer)
}

// readyFor is how long the result of the checks counts: they read the store, and anybody may ask for them.
const readyFor = time.Second

// readyChecks is the latest result of the checks.
type readyChecks struct {
	latch chan struct{} // holds a token while somebody uses what follows, which may take checkTimeout; for synctest it is no mutex
	last  checked
}

func newReadyChecks() readyChecks { return readyChecks{latch: make(chan struct{}, 1)} }

// checked is what the checks said at a time; zero before they ran.
type checked struct {
	at     time.Time
	answer readiness
	code   int
}

// checkReady returns what the checks said less than readyFor ago, or runs them, for all who ask meanwhile.
func (s *Server) checkReady(ctx context.Context) checked {
	s.ready.latch <- struct{}{}
	defer func() { <-s.ready.latch }()
	if time.Since(s.ready.last.at) >= readyFor {
		s.ready.last = s.runChecks(context.WithoutCancel(ctx)) // for others, too
	}
	return s.ready.last
}

// runChecks runs all checks at once.
func (s *Server) runChecks(ctx context.Context) checked {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	results := make([]error, len(s.checks))
	var group sync.WaitGroup
	for i, c := range s.checks {
		group.Go(func() { results[i] = c.ask(ctx) })
	}
	group.Wait()
	l := checked{at: time.Now(), answer: readiness{Status: "ready", Checks: make(map[string]string)}, code: http.StatusOK}
	for i, c := range s.checks {
		l.answer.Checks[c.name] = "ok"
		if err := results[i]; err != nil {
			l.answer.Checks[c.name] = fault.From(err).Message // the cause is not for strangers
			l.answer.Status, l.code = "not ready", http.StatusServiceUnavailable
		}
	}
	return l
}

func writeReadiness(w http.ResponseWriter, code int, answer readiness) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(answer) // the client is gone when it fails
}
