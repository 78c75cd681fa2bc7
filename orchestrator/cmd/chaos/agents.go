package main

import (
	"context"
	"fmt"
	"maps"
	"net"
	"sync"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/quorate/quorate/agents/echo"
	"github.com/quorate/quorate/agents/kit"
	"github.com/quorate/quorate/agents/reviewer"
	"github.com/quorate/quorate/platform/auth"
	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
)

// Names of agents besides those of their packages.
const (
	guarded  = "guarded"  // echo, whose work the reviewer has to approve
	asker    = "asker"    // asks its caller, and delivers the reply
	drafter  = "drafter"  // makes a draft of an idea
	finisher = "finisher" // makes a paper of a draft
)

// review is the id of the guarded agent's rule.
const review = "review"

// agents do the work, in this process, which nobody disturbs. What they note is the truth about what was done.
type agents struct {
	mu       sync.Mutex
	begun    map[string]int      // guarded by mu; how often work on a message began, by its id
	verdicts map[string][]string // guarded by mu; the reviewer's, by task
}

func newAgents() *agents {
	return &agents{begun: make(map[string]int), verdicts: make(map[string][]string)}
}

// configs returns what the agents are, by their names.
func (a *agents) configs() map[string]kit.Config {
	yes := true
	plain, judge := echo.New().Config(), reviewer.Config()
	held := plain
	held.Metadata = &registryv1.AgentMetadata{ConsultationRequirements: []*registryv1.ConsultationRequirement{
		{Id: review, TargetAgent: reviewer.Name, Phase: "pre-completion", Mandatory: &yes},
	}}
	decide := judge.Reviewer
	judge.Reviewer = func(ctx context.Context, r kit.Review) (kit.Outcome, error) {
		outcome, err := decide(ctx, r)
		a.mu.Lock()
		defer a.mu.Unlock()
		a.verdicts[r.TaskID] = append(a.verdicts[r.TaskID], outcome.Verdict)
		return outcome, err
	}
	return map[string]kit.Config{
		echo.Name: plain, guarded: held, reviewer.Name: judge,
		asker:    {Description: "Asks, and delivers the reply.", Version: "0.1.0", Handler: ask},
		drafter:  maker("idea", "comment", "draft", "reference"),
		finisher: maker("draft", "reference", "paper", "document"),
	}
}

func ask(ctx context.Context, t *kit.Task) error {
	reply, err := t.Ask(ctx, a2a.NewTextPart("what shall I say?"))
	if err != nil {
		return err
	}
	return t.AddArtifact(ctx, kit.Artifact{Name: "reply", MediaType: "text/plain", Text: reply.Parts[0].Text()})
}

// maker is an agent that makes one thing of another.
func maker(input, inputType, output, outputType string) kit.Config {
	yes := true
	return kit.Config{
		Description: fmt.Sprintf("Makes a %s of a %s.", output, input), Version: "0.1.0",
		Metadata: &registryv1.AgentMetadata{
			InputSchemas:  []*registryv1.InputSchema{{Name: input, SemanticType: inputType, Required: &yes}},
			OutputSchemas: []*registryv1.OutputSchema{{Name: output, SemanticType: outputType, Guaranteed: &yes}},
		},
		Handler: func(ctx context.Context, t *kit.Task) error {
			return t.AddArtifact(ctx, kit.Artifact{Name: output, MediaType: "text/plain", Text: output + " of " + t.Text()})
		},
	}
}

// noted has next do the work, and notes that it begins.
func (a *agents) noted(next kit.Handler) kit.Handler {
	return func(ctx context.Context, t *kit.Task) error {
		a.mu.Lock()
		a.begun[t.Message.ID]++
		a.mu.Unlock()
		return next(ctx, t)
	}
}

// serve starts the agents, which join the server and serve until ctx ends. An agent that ends before is an error of the second result.
func (a *agents) serve(ctx context.Context, server string, tokens map[string]auth.Secret) (ended <-chan error, err error) {
	ends := make(chan error, len(tokens))
	for name, config := range a.configs() {
		config.Name, config.Server, config.Token, config.Handler = name, server, tokens[name], a.noted(config.Handler)
		if config.Listener, err = new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0"); err != nil {
			return nil, err
		}
		agent, err := kit.New(config) //nolint:contextcheck // the card is encoded without one
		if err != nil {
			return nil, err
		}
		go func() { ends <- agent.Run(ctx) }()
	}
	return ends, nil
}

// notes returns what the agents have noted so far.
func (a *agents) notes() (begun map[string]int, verdicts map[string][]string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return maps.Clone(a.begun), maps.Clone(a.verdicts)
}
