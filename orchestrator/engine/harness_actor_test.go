package engine_test

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

// actor plays an agent: it deduplicates by message id and keeps count of what it executed.
type actor struct {
	name         string
	skill        string
	at, room     string // address on the card, and tenant there
	status       string
	load         int  // tasks that it says it works on, of the ten that it can; others that are alike are chosen before it
	announces    bool // instead of streaming
	requirements []agentcard.ConsultationRequirement
	inputs       []agentcard.InputSchema
	outputs      []agentcard.OutputSchema
	once         bool // its work must not be done twice
	forgets      bool // it keeps no count, for benchmarks
	play         func(ctx context.Context, m *a2apb.Message, say agentclient.Each) error
	follow       func(say agentclient.Each) error // streams a task that it has; nil: it does not

	mu       sync.Mutex
	version  string         // guarded by mu
	revoked  bool           // guarded by mu; the key of its card was unpinned
	down     int            // guarded by mu; sends that are refused before they arrive
	silent   bool           // guarded by mu; it cannot be asked for its tasks
	heard    time.Time      // guarded by mu; when it was heard of for the last time; zero: it is heard of
	executed map[string]int // guarded by mu; executions by message id
	messages []*a2apb.Message
	canceled []string
	told     []*structpb.Struct     // guarded by mu; what came with each request to cancel
	tasks    map[string]*a2apb.Task // guarded by mu; what it remembers of its tasks
}

func (a *actor) agent() registry.Agent {
	a.mu.Lock()
	defer a.mu.Unlock()
	status := a.status
	if status == "" {
		status = "available"
	}
	agent := registry.Agent{
		Tenant: tenant, Name: a.name, Card: agentcard.Card{Name: a.name, Version: a.version, Streaming: !a.announces, PushNotifications: a.announces}, Status: registry.Status{Status: status},
		Metadata: agentcard.Metadata{ConsultationRequirements: a.requirements, InputSchemas: a.inputs, OutputSchemas: a.outputs},
	}
	if !a.heard.IsZero() {
		agent.Status = registry.Status{Status: registry.StatusUnavailable, Silent: true, LastHeartbeat: a.heard}
	}
	if a.load > 0 {
		agent.Status.InFlight, agent.Status.Capacity = a.load, 10
	}
	if a.skill != "" {
		agent.Card.Skills = []agentcard.Skill{{ID: a.skill}}
	}
	if a.at != "" {
		agent.Card.Interfaces = []agentcard.Interface{{URL: a.at, Tenant: a.room}}
	}
	if a.revoked {
		agent.Verification = registry.Verification{State: registry.VerificationUntrusted, Required: true, Reason: "no pinned key has signed it"}
	}
	if a.once {
		agent.Metadata.AtMostOnceSkills = []string{"*"}
	}
	return agent
}

func (a *actor) Send(ctx context.Context, m *a2apb.Message, _ bool, each agentclient.Each) error {
	a.mu.Lock()
	if a.down > 0 {
		a.down--
		a.mu.Unlock()
		return fault.New(fault.Unavailable, agentclient.ReasonUnreachable, "agent %q is down", a.name)
	}
	if a.executed == nil {
		a.executed, a.tasks = make(map[string]int), make(map[string]*a2apb.Task)
	}
	if !a.forgets {
		a.executed[m.GetMessageId()]++
		a.messages = append(a.messages, m)
	}
	a.mu.Unlock()
	return a.play(ctx, m, each)
}

func (a *actor) Subscribe(_ context.Context, _ string, say agentclient.Each) error {
	if a.follow != nil {
		return a.follow(say)
	}
	return fault.New(fault.FailedPrecondition, agentclient.ReasonRefused, "no streams")
}

func (a *actor) Task(_ context.Context, id string, _ int32) (*a2apb.Task, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.silent {
		return nil, errAway
	}
	if t := a.tasks[id]; t != nil {
		return t, nil
	}
	return nil, fault.New(fault.NotFound, agentclient.ReasonTaskNotFound, "agent %q does not know task %q", a.name, id)
}

func (a *actor) Cancel(_ context.Context, id string, with *structpb.Struct) (*a2apb.Task, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.canceled, a.told = append(a.canceled, id), append(a.told, with)
	if t := a.tasks[id]; t != nil {
		return t, nil
	}
	return remoteTask(id, a2apb.TaskState_TASK_STATE_CANCELED, ""), nil
}

func (a *actor) remember(t *a2apb.Task) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tasks[t.GetId()] = t
}

// confuse has the agent answer with another task when it is asked for one.
func (a *actor) confuse(id string, with *a2apb.Task) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tasks[id] = with
}

// goAway has the agent refuse the next sends.
func (a *actor) goAway(sends int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.down = sends
}

// fallSilent has the agent not say any more how its tasks are.
func (a *actor) fallSilent() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.silent = true
}

// vanish has nobody hear of the agent any more since a time.
func (a *actor) vanish(since time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.heard = since
}

// renew has the agent come out in another version.
func (a *actor) renew(version string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.version = version
}

// revoke has the key of the agent's card be unpinned.
func (a *actor) revoke() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.revoked = true
}

func (a *actor) executions() map[string]int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return maps.Clone(a.executed)
}

func (a *actor) sends() []*a2apb.Message {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.messages
}

// delivers is the play of an agent that does its work at once.
func delivers(content string) func(context.Context, *a2apb.Message, agentclient.Each) error {
	return func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
		return say(snapshot("r1", a2apb.TaskState_TASK_STATE_COMPLETED, "", content))
	}
}

func fails(why string) func(context.Context, *a2apb.Message, agentclient.Each) error {
	return func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
		return say(snapshot("r1", a2apb.TaskState_TASK_STATE_FAILED, why))
	}
}

// snapshot is a task of an agent as a stream carries it.
func snapshot(id string, state a2apb.TaskState, said string, contents ...string) *a2apb.StreamResponse {
	return &a2apb.StreamResponse{Payload: &a2apb.StreamResponse_Task{Task: remoteTask(id, state, said, contents...)}}
}

func remoteTask(id string, state a2apb.TaskState, said string, contents ...string) *a2apb.Task {
	t := &a2apb.Task{Id: id, Status: &a2apb.TaskStatus{State: state}}
	if said != "" {
		t.Status.Message = text(said)
	}
	for _, c := range contents {
		t.Artifacts = append(t.Artifacts, &a2apb.Artifact{ArtifactId: "a", Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: c}}}})
	}
	return t
}

// chunks is an artifact in parts.
func chunks(texts ...string) *a2apb.Artifact {
	a := &a2apb.Artifact{ArtifactId: "a"}
	for _, s := range texts {
		a.Parts = append(a.Parts, text(s).GetParts()...)
	}
	return a
}

func withArtifacts(t *a2apb.Task, list ...*a2apb.Artifact) *a2apb.Task {
	t.Artifacts = list
	return t
}

func snapshotOf(t *a2apb.Task) *a2apb.StreamResponse {
	return &a2apb.StreamResponse{Payload: &a2apb.StreamResponse_Task{Task: t}}
}
