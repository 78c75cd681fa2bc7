package engine

import (
	"log/slog"
	"time"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/lease"
	"github.com/quorate/quorate/orchestrator/push"
	"github.com/quorate/quorate/orchestrator/router"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

// Connector opens a client to an agent.
type Connector interface {
	Connect(name string, card agentcard.Card) (client agentclient.Client, binding string, err error)
}

// Config holds the dependencies and settings of an Engine. All fields are required except Now, Notifier, Receiver, Embedder, Signatures, Speaks, the limits
// and the durations.
type Config struct {
	Store     orchestrator.Store
	Leases    *lease.Manager
	Directory router.Directory // of agents
	Connect   Connector
	Ledger    *consultation.Ledger
	Logger    *slog.Logger
	Tracer    trace.Tracer
	Meter     metric.Meter
	Now       func() time.Time // nil is time.Now
	Notifier  push.Notifier    // sends push notifications; nil sends none

	// Receiver returns the URL to which the agent of an attempt may send push notifications. If it is nil or returns "", agents are polled.
	Receiver func(k orchestrator.Key, attempt int) string

	Rescan       time.Duration // how often to search for unfinished tasks; default 60 s
	RetryDelay   time.Duration // before an unreachable agent is tried again, doubled each time; default 500 ms
	BreakerDelay time.Duration // how long an agent is left alone that was unreachable five times in a row; default 15 s
	MaxRunning   int           // runners at a time, not counting those that talk to agents or to trace backends; further tasks wait; default 4,096
	MaxExchanges int           // tasks with agents at a time; further tasks queue, and the busiest agents leave room for the others, also for what they make (holdings); default 16,384

	Signatures registry.SignaturePolicy // which cards are trusted; empty is verify-if-present

	Speaks func(card *agentcard.Card) bool // whether tasks can be sent to the agent with a card; nil: Connect is asked only once an agent is chosen

	Embedder     router.Embedder // second stage of routing by text; nil: there is none
	EmbedTimeout time.Duration   // how long a decision waits for Embedder; default 150 ms
}

// DefaultExchanges is the default of Config.MaxExchanges.
const DefaultExchanges = 16_384

func (c Config) withDefaults() Config {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Rescan <= 0 {
		c.Rescan = time.Minute
	}
	if c.RetryDelay <= 0 {
		c.RetryDelay = 500 * time.Millisecond
	}
	if c.BreakerDelay <= 0 {
		c.BreakerDelay = 15 * time.Second
	}
	if c.MaxRunning <= 0 {
		c.MaxRunning = 4096
	}
	if c.MaxExchanges <= 0 {
		c.MaxExchanges = DefaultExchanges
	}
	return c
}
