package router

import (
	"math"
	"sync"
	"time"

	"github.com/quorate/quorate/registry"
)

const (
	latencyMemory = 30 * time.Second // time after which an observation of latency has lost two thirds of its weight
	latencyTrust  = 10 * time.Minute // time after which two thirds of a difference in latency are forgotten without a new task, for the same reason as errors
	errorMemory   = time.Minute      // time after which two thirds of an error rate are forgotten without a new task, so that an agent gets another chance
	minWeight     = 0.2              // minimum weight of a new observation
	maxSignals    = 20_000           // agents that are tracked; beyond that, those without tasks are dropped
)

type signalKey struct{ tenant, agent string }

// signal is what this process has observed of an agent.
type signal struct {
	inFlight  int
	latency   time.Duration // moving average of tasks that ended well; 0 before the first
	errorRate float64       // moving average, 0 to 1
	last      time.Time     // when the latest outcome was observed
	heard     time.Time     // when the agent sent the load that was last seen
	ownThen   int           // inFlight when that load was first seen: it has these tasks, too
}

// signals holds what this process has observed of all agents.
type signals struct {
	now     func() time.Time
	mu      sync.Mutex
	byAgent map[signalKey]*signal // guarded by mu
}

func newSignals(now func() time.Time) *signals {
	return &signals{now: now, byAgent: make(map[signalKey]*signal)}
}

// Outcome says how an agent's work on a task ended.
type Outcome int

// Outcomes of a task.
const (
	Inconclusive Outcome = iota // says nothing about the agent: the task was canceled, or goes on later
	Succeeded                   // the agent delivered
	Failed                      // the agent failed, or refused the task
	Unreached                   // the agent could not be reached, or did not answer in time: the task is tried again, or goes to another
)

// Begin counts a task as in progress with an agent until the returned function is called, once, with its outcome.
func (r *Router) Begin(tenant, agent string) (end func(Outcome)) {
	s, begin := r.signals, r.signals.now()
	k := signalKey{tenant, agent}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.get(k).inFlight++
	return func(o Outcome) {
		now := s.now()
		s.mu.Lock()
		defer s.mu.Unlock()
		g := s.get(k)
		g.inFlight = max(g.inFlight-1, 0)
		g.observe(now, now.Sub(begin), o)
	}
}

// get returns an agent's signal. The caller holds mu.
func (s *signals) get(k signalKey) *signal {
	g, ok := s.byAgent[k]
	if !ok {
		if len(s.byAgent) >= maxSignals {
			for old, g := range s.byAgent {
				if g.inFlight == 0 {
					delete(s.byAgent, old)
				}
			}
		}
		g = &signal{}
		s.byAgent[k] = g
	}
	return g
}

func (g *signal) observe(now time.Time, took time.Duration, o Outcome) {
	if o == Inconclusive {
		return
	}
	rate := g.errorRateAt(now)
	var toward float64
	switch o {
	case Failed:
		toward = 1
	case Unreached: // it may have been restarted, and is left alone by its breaker when it has not: that alone does not make it one that fails
		toward = max(rate, failingRate)
	default:
		toward = 0
	}
	g.errorRate = rate + (toward-rate)*minWeight
	if o == Succeeded {
		if g.latency > 0 {
			weight := max(minWeight, 1-math.Exp(-float64(now.Sub(g.last))/float64(latencyMemory)))
			took = g.latency + time.Duration(float64(took-g.latency)*weight)
		}
		g.latency = max(took, 1)
	}
	g.last = now
}

// errorRateAt returns the error rate, less what is forgotten by now.
func (g *signal) errorRateAt(now time.Time) float64 {
	return g.errorRate * math.Exp(-float64(now.Sub(g.last))/float64(errorMemory))
}

// latencyWeightAt returns how much the latency still counts, 0 to 1.
func (g *signal) latencyWeightAt(now time.Time) float64 {
	return math.Exp(-float64(now.Sub(g.last)) / float64(latencyTrust))
}

// hear notes how many tasks of this process are in the load that an agent has sent.
func (g *signal) hear(s *registry.Status) {
	if !g.heard.Equal(s.LastHeartbeat) {
		g.heard, g.ownThen = s.LastHeartbeat, g.inFlight
	}
}

// annotate gives candidates copies of their signals, with their current error rates and weights of latency.
func (s *signals) annotate(tenant string, list []*candidate) {
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range list {
		k := signalKey{tenant, c.agent.Name}
		g, ok := s.byAgent[k]
		if !ok && c.status.InFlight > 0 {
			g, ok = s.get(k), true
		}
		if !ok {
			continue
		}
		g.hear(&c.status)
		c.signal = *g
		c.signal.errorRate = g.errorRateAt(now)
		c.latencyWeight = g.latencyWeightAt(now)
	}
}
