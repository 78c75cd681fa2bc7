package engine_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/orchestrator/storetest"
	"github.com/quorate/quorate/platform/fault"
)

// TestACallerSeesWhatTheAgentDid compares what the caller of an agent sees with what the agent says of its task, which it does as the lot has it. Every other
// process dies once.
func TestACallerSeesWhatTheAgentDid(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		synctest.Test(t, func(t *testing.T) {
			lot, agent := rand.New(rand.NewPCG(seed, 1)), newWhim(rand.New(rand.NewPCG(seed, 2)))
			s := &simulation{t: t, store: &storetest.Memory{}, worker: newWorker(), client: agent, actors: map[string]*actor{"whim": {name: "whim", announces: lot.IntN(3) == 0}}}
			s.start()
			k := s.accept("whim", "r")
			watch, dies := look(t.Context(), k, s.use), lot.IntN(60)
			for second := 0; second < 3600 && !s.replyToWhim(k, lot); second++ {
				if <-time.After(time.Second); second == dies && seed%2 == 0 {
					s.kill()
				}
				s.restartIfDead()
			}
			<-time.After(2 * time.Minute) // who watched a dead process asks the next one
			when := fmt.Sprintf("seed %d", seed)
			watch.check(t, when, s.store, k)
			s.stop()
			compareWithWhim(t, when, s.store, k, agent)
		})
	}
}

// replyToWhim replies now and then if the agent asks its caller something, and reports whether the task has ended.
func (s *simulation) replyToWhim(k orchestrator.Key, lot *rand.Rand) (ended bool) {
	s.t.Helper()
	task, err := s.store.Task(s.t.Context(), k)
	if err == nil && task.State == a2apb.TaskState_TASK_STATE_INPUT_REQUIRED && lot.IntN(5) == 0 {
		_, err = s.engine.Reply(s.t.Context(), engine.Reply{Key: k, Caller: "tester", Message: text("on " + messageOf(task.StatusMessage))})
	}
	if err != nil && fault.ReasonOf(err) != "TASK_NOT_WAITING" {
		s.t.Errorf("Task() or Reply() = %v", err)
	}
	return task.Ended()
}

func compareWithWhim(t *testing.T, when string, store *storetest.Memory, k orchestrator.Key, agent *whim) {
	t.Helper()
	got, err := store.Task(t.Context(), k)
	want := agent.task
	if err != nil || got.State != want.GetStatus().GetState() || messageOf(got.StatusMessage) != messageOf(want.GetStatus().GetMessage()) {
		t.Errorf("%s: the task is in state %s (%+v) saying %v, %v, want %v", when, got.State, got.Error, got.StatusMessage, err, want.GetStatus())
	}
	if !slices.EqualFunc(got.Artifacts, want.GetArtifacts(), func(x, y *a2apb.Artifact) bool { return proto.Equal(x, y) }) {
		t.Errorf("%s: the artifacts are %v, want %v", when, got.Artifacts, want.GetArtifacts())
	}
	talk := []string{"do it"}
	for _, turn := range got.Turns {
		if words := messageOf(turn.Message); words != "to be authorized" { // it may have gone on before anybody heard that
			talk = append(talk, words)
		}
	}
	if !slices.Equal(talk, agent.talk) {
		t.Errorf("%s: the talk was %q, want %q", when, talk, agent.talk)
	}
}
