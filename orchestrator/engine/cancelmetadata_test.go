package engine_test

import (
	"context"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/embedded"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/fault"
)

// works is the play of an agent that names its task and then works until it is told to stop.
func works(id string, begun chan<- struct{}) func(context.Context, *a2apb.Message, agentclient.Each) error {
	return func(ctx context.Context, _ *a2apb.Message, say agentclient.Each) error {
		if err := say(snapshot(id, a2apb.TaskState_TASK_STATE_WORKING, "")); err != nil {
			return err
		}
		begun <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	}
}

// saysWhy returns metadata of a request to cancel, with a key that only Quorate may set.
func saysWhy() *structpb.Struct {
	with := beside("reason", "too late")
	with.Fields[consultation.ExtensionURI] = structpb.NewBoolValue(true)
	return with
}

func (a *actor) wasToldWhy() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, with := range a.told {
		if len(with.GetFields()) != 1 || with.GetFields()["reason"].GetStringValue() != "too late" {
			return false
		}
	}
	return len(a.told) > 0
}

func TestACanceledTaskWaitsForNobody(t *testing.T) {
	a := asks(a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, "which?")
	w := newWorld(t, a)
	task, _ := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: a.name}}).ID)
	a.mu.Lock() // it is slow to stop
	if _, err := w.engine.Cancel(t.Context(), engine.Cancellation{Key: task.Key(), Caller: "tester"}); err != nil {
		t.Fatal(err)
	}
	task, err := w.engine.Watch(t.Context(), task.Key(), 0, false, func(e orchestrator.Event) error {
		if e.Type == orchestrator.EventCanceling {
			a.mu.Unlock()
		}
		return nil
	})
	if err != nil || task.State != a2apb.TaskState_TASK_STATE_CANCELED {
		t.Errorf("Watch() = a task in state %s, %v, want that it is canceled", task.State, err)
	}
}

// TestTheAgentHearsWhatACancellationSays has the process stop, or not, between the request and the word to the agent.
func TestTheAgentHearsWhatACancellationSays(t *testing.T) {
	for name, crash := range map[string]bool{"at once": false, "after a crash": true} {
		t.Run(name, func(t *testing.T) {
			begun := make(chan struct{}, 2)
			slow := &actor{name: "slow", play: works("r1", begun)}
			w := newWorld(t, slow)
			k := orchestrator.Key{Tenant: tenant, ID: w.submit(engine.Submission{Route: orchestrator.Route{Agent: "slow"}}).ID}
			<-begun
			if crash {
				w.stop()
				w.writeCancellation(k)
				w.start()
			} else if _, err := w.engine.Cancel(t.Context(), engine.Cancellation{Key: k, Caller: "tester", With: saysWhy()}); err != nil {
				t.Fatalf("Cancel() = %v", err)
			}
			if task, _ := w.awaitEnd(k.ID); task.State != a2apb.TaskState_TASK_STATE_CANCELED || task.CancelWith != "" || !slow.wasToldWhy() {
				t.Errorf("the task is %s with %q, and its agent was told %v, want it canceled with nothing left, and the agent told why", task.State, task.CancelWith, slow.told)
			}
		})
	}
}

// writeCancellation writes down that a task is to be canceled, as a process does that dies before it does more.
func (w *world) writeCancellation(k orchestrator.Key) {
	w.t.Helper()
	db, err := boltdb.Open(filepath.Join(w.dir, "quorate.db"), boltdb.Options{})
	if err != nil {
		w.t.Fatal(err)
	}
	store, err := embedded.New(w.t.Context(), db)
	if err != nil {
		w.t.Fatal(err)
	}
	with, err := orchestrator.NewCancelMetadata(saysWhy())
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := store.Update(w.t.Context(), k, func(t *orchestrator.Task) ([]orchestrator.Event, error) {
		t.CancelAsked, t.CancelWith = true, with
		return nil, nil
	}); err != nil {
		w.t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		w.t.Fatal(err)
	}
}

func TestTheAgentsOfStepsHearWhatACancellationSays(t *testing.T) {
	list := threeInAChain()
	begun := make(chan struct{}, 1)
	list[1].play = works("r2", begun)
	w := newWorld(t, list...)
	id := w.submit(chained()).ID
	<-begun
	whole := w.task(id)
	step := orchestrator.TaskID(tenant, "quorate:plan", whole.StepRequestID(2))
	if _, err := w.engine.Cancel(t.Context(), engine.Cancellation{Key: orchestrator.Key{Tenant: tenant, ID: id}, Caller: "tester", With: saysWhy()}); err != nil {
		t.Fatal(err)
	}
	w.awaitEnd(id)
	if task, _ := w.awaitEnd(step); task.State != a2apb.TaskState_TASK_STATE_CANCELED || !list[1].wasToldWhy() {
		t.Errorf("the step's task is %s, and its agent was told %v, want it canceled and the agent told why", task.State, list[1].told)
	}
}

func TestACancellationThatSaysTooMuchIsRefused(t *testing.T) {
	begun := make(chan struct{}, 1)
	w := newWorld(t, &actor{name: "slow", play: works("r1", begun)})
	k := orchestrator.Key{Tenant: tenant, ID: w.submit(engine.Submission{Route: orchestrator.Route{Agent: "slow"}}).ID}
	<-begun
	for name, with := range map[string]*structpb.Struct{
		"too large":             beside("reason", strings.Repeat("x", orchestrator.MaxCancelMetadata)),
		"with a value not JSON": {Fields: map[string]*structpb.Value{"n": structpb.NewNumberValue(math.NaN())}},
	} {
		if _, err := w.engine.Cancel(t.Context(), engine.Cancellation{Key: k, Caller: "tester", With: with}); fault.ReasonOf(err) != "CANCEL_METADATA_INVALID" {
			t.Errorf("Cancel(%s) = %v, want CANCEL_METADATA_INVALID", name, err)
		}
	}
	if w.task(k.ID).CancelAsked {
		t.Error("the task is to be canceled, want it left alone")
	}
}
