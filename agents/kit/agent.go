package kit

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/quorate/quorate/agents/kit/board"
	"github.com/quorate/quorate/platform/restclient"
	"github.com/quorate/quorate/platform/tasks"
)

const (
	defaultConcurrent = 64
	idleConnections   = 64 // to Quorate, so that concurrent consultations need no new connections
)

// Agent serves A2A, and is a member of Quorate while Run runs.
type Agent struct {
	config   Config
	url      *url.URL
	card     *a2a.AgentCard
	cardJSON []byte
	oldJSON  []byte // the card as A2A 0.3 has it
	made     time.Time
	board    *board.Board
	working  activeTasks
	web      *http.Transport    // connections to Quorate
	quorate  *restclient.Client // nil without a server
	verdicts *verdicts          // nil without a server
	tracer   trace.Tracer
}

// New returns an agent that is ready to Run. A wrong setting is an InvalidArgument fault with the reason AGENT_CONFIG_INVALID or, for what concerns the
// server, SERVER_URL_INVALID or TOKEN_INVALID.
func New(c Config) (*Agent, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	if c.MaxConcurrent <= 0 {
		c.MaxConcurrent = defaultConcurrent
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	c.Logger = c.Logger.With(slog.String("agent", c.Name))
	c.Server = strings.TrimRight(c.Server, "/")
	public, err := c.publicURL()
	if err != nil {
		return nil, err
	}
	a := &Agent{config: c, url: public, made: time.Now(), tracer: noop.NewTracerProvider().Tracer(scope)}
	if a.card, err = newCard(c, public); err != nil {
		return nil, err
	}
	if a.cardJSON, err = json.Marshal(a.card); err != nil {
		return nil, fmt.Errorf("encoding the card of %s: %w", c.Name, err)
	}
	if a.oldJSON, err = newLegacyCard(context.Background(), a.card, public.String()+"/"); err != nil {
		return nil, fmt.Errorf("encoding the card of %s for A2A 0.3: %w", c.Name, err)
	}
	a.board = board.New(board.Options{Work: a.work, MaxRunning: c.MaxConcurrent, Logger: c.Logger})
	if c.Server != "" {
		a.web = &http.Transport{MaxIdleConnsPerHost: idleConnections, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true, TLSClientConfig: c.TLS}
		if a.quorate, err = restclient.New(c.Server, c.Token, &http.Client{Transport: a.web}); err != nil {
			return nil, err
		}
		a.verdicts = newVerdicts(c, a.web)
	}
	return a, nil
}

// URL returns the agent's base URL without a trailing slash.
func (a *Agent) URL() string { return a.url.String() }

// CardURL returns the URL by which the agent registers.
func (a *Agent) CardURL() string { return a.URL() + wellKnownCard }

// Card returns a copy of the agent's card, which the caller may change.
func (a *Agent) Card() *a2a.AgentCard {
	var card a2a.AgentCard
	if err := json.NewDecoder(bytes.NewReader(a.cardJSON)).Decode(&card); err != nil {
		return nil // cannot happen: New has encoded it
	}
	return &card
}

// Run serves until ctx is done. With a server, it also registers with Quorate and stays a member. It returns within five seconds after ctx is done.
// An error means that the listener failed, that Quorate refused the agent for good, or that a handler did not return in time. Run may be called only
// once.
func (a *Agent) Run(ctx context.Context) error {
	if a.quorate != nil && a.quorate.TokenInClear() {
		a.config.Logger.WarnContext(ctx, "the agent's token goes to Quorate without encryption; use https", slog.String("server", a.config.Server))
	}
	stopTracing, err := a.startTracing(ctx)
	if err != nil {
		return fmt.Errorf("running agent %s: %w", a.config.Name, err)
	}
	list := []tasks.Task{{Name: "serve", Run: a.serve}}
	if a.quorate != nil {
		list = append(list, tasks.Task{Name: "join", Run: a.join})
		defer a.web.CloseIdleConnections()
	}
	defer stopTracing()
	if err := tasks.Run(ctx, a.config.Logger, list...); err != nil {
		return fmt.Errorf("running agent %s: %w", a.config.Name, err)
	}
	return nil
}
