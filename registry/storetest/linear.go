package storetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

const (
	linearClients = 8
	linearOps     = 40 // of each client
	linearAgents  = 2
	linearTime    = time.Minute
)

// RunLinearizable has many callers register, update, send heartbeats for, read and delete the same few agents at once, and checks that all results
// are consistent with one order of the calls: no update is lost, and none is made twice. A call that reports an unknown outcome may have happened or
// not, at any time since. The same seed makes callers choose the same calls.
func RunLinearizable(t *testing.T, s registry.Store, seed uint64) {
	r := registry.New(s, registry.Options{LeaseDuration: time.Hour})
	tenant := fmt.Sprintf("linear-%d", seed)
	begin := time.Now()
	var mu sync.Mutex
	var history []porcupine.Operation // guarded by mu
	unknown := 0                      // guarded by mu
	var group sync.WaitGroup
	for client := range linearClients {
		random := rand.New(rand.NewPCG(seed, uint64(client))) //nolint:gosec // tests repeat it
		group.Go(func() {
			for range linearOps {
				in := linearInput{agent: fmt.Sprintf("agent-%d", random.IntN(linearAgents)), op: linearOp(random.IntN(int(linearOpCount)))}
				call := time.Since(begin)
				out := in.do(t.Context(), r, tenant)
				operation := porcupine.Operation{ClientId: client, Input: in, Call: int64(call), Output: out, Return: int64(time.Since(begin))}
				mu.Lock()
				if out.unknown {
					unknown++
					operation.Return = int64(time.Hour) // a porcupine client makes one call at a time
					operation.ClientId = linearClients + unknown
				}
				history = append(history, operation)
				mu.Unlock()
				if out.err != nil {
					t.Errorf("%v = %v, want no such error", in, out.err)
				}
			}
		})
	}
	group.Wait()
	t.Logf("%d operations, %d of unknown outcome", len(history), unknown)
	if result := porcupine.CheckOperationsTimeout(linearModel().ToModel(), history, linearTime); result != porcupine.Ok {
		for _, o := range history {
			t.Logf("%v %v-%v %v = %v", o.ClientId, time.Duration(o.Call), time.Duration(o.Return), o.Input, o.Output)
		}
		t.Errorf("CheckOperations() = %v, want %v", result, porcupine.Ok)
	}
}

type linearOp int

const (
	linearRegister linearOp = iota
	linearUpdate
	linearBeat
	linearRead
	linearDelete
	linearOpCount
)

type linearInput struct {
	agent string
	op    linearOp
}

// String returns the call.
func (in linearInput) String() string {
	return []string{"Register", "UpdateMetadata", "Heartbeat", "Agent", "Delete"}[in.op] + "(" + in.agent + ")"
}

type linearOutput struct {
	exists  bool  // whether the agent existed, according to the answer
	number  int64 // the revision, or the epoch of a beat
	unknown bool
	err     error // an error that must not happen
}

func (in linearInput) do(ctx context.Context, r *registry.Registry, tenant string) (out linearOutput) {
	var err error
	var agent registry.Agent
	switch in.op {
	case linearRegister:
		card := fmt.Appendf(nil, `{"name":%q,"version":"1.0.0","url":"https://x.example/","skills":[{"id":"fetch"}]}`, in.agent)
		agent, _, err = r.Register(ctx, tenant, registry.Registration{RawCard: card})
		out.number = agent.Revision
	case linearUpdate:
		agent, _, err = r.Once(registry.Retry{}).UpdateMetadata(ctx, tenant, in.agent, "", nil, agentcard.Metadata{})
		out.number = agent.Revision
	case linearBeat:
		var lease registry.Lease
		lease, err = r.Heartbeat(ctx, tenant, registry.Beat{Agent: in.agent, Status: registry.StatusAvailable})
		out.number = lease.Epoch
	case linearRead:
		agent, err = r.Agent(ctx, tenant, in.agent)
		out.number = agent.Revision
	default: // linearDelete
		err = r.Once(registry.Retry{}).Delete(ctx, tenant, in.agent, "")
	}
	switch reason := fault.ReasonOf(err); {
	case err == nil:
		out.exists = in.op != linearRegister
	case reason == "AGENT_EXISTS":
		out.exists, out.number = true, 0
	case reason == "AGENT_NOT_FOUND":
		out.exists = false
	case reason == "WRITE_OUTCOME_UNKNOWN":
		out.unknown = true
	default:
		out.err = err
	}
	return out
}

// linearState is one agent.
type linearState struct {
	exists          bool
	revision, epoch int64
}

// linearModel says what each operation does and returns, for each agent.
func linearModel() *porcupine.NondeterministicModel {
	return &porcupine.NondeterministicModel{
		Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
			parts := make(map[string][]porcupine.Operation)
			for _, o := range history {
				in, _ := o.Input.(linearInput)
				parts[in.agent] = append(parts[in.agent], o)
			}
			var list [][]porcupine.Operation
			for _, part := range parts {
				list = append(list, part)
			}
			return list
		},
		Init: func() []any { return []any{linearState{}} },
		Step: func(state, input, output any) []any {
			was, _ := state.(linearState)
			in, _ := input.(linearInput)
			out, _ := output.(linearOutput)
			next, answer := was.after(in.op)
			switch {
			case out.unknown:
				return []any{was, next}
			case out.exists == answer.exists && out.number == answer.number:
				return []any{next}
			}
			return nil
		},
	}
}

// after returns the state of an agent after the operation, and the answer.
func (s linearState) after(op linearOp) (next linearState, answer linearOutput) {
	answer.exists = s.exists
	switch {
	case op == linearRegister && !s.exists:
		answer.number = 1
		return linearState{exists: true, revision: 1}, answer
	case op == linearRegister || !s.exists:
		return s, answer
	case op == linearUpdate:
		s.revision++
		answer.number = s.revision
	case op == linearBeat:
		s.epoch++
		answer.number = s.epoch
	case op == linearRead:
		answer.number = s.revision
	case op == linearDelete:
		return linearState{}, answer
	}
	return s, answer
}
