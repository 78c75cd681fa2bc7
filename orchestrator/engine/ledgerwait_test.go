package engine_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/registry/agentcard"
)

// doubts plays a reviewer that asks in a state before it approves.
func doubts(w **world, state a2apb.TaskState, question string) *actor {
	judge := reviews(w, "approved", "now I know", true)
	a := &actor{name: "reviewer"}
	a.play = func(ctx context.Context, m *a2apb.Message, say agentclient.Each) error {
		if m.GetTaskId() == "" {
			a.remember(remoteTask("c1", state, question))
			return say(snapshot("c1", state, question))
		}
		a.remember(remoteTask("c1", a2apb.TaskState_TASK_STATE_COMPLETED, "", "approved"))
		return judge.play(ctx, m, say)
	}
	return a
}

// doubted returns a world with a task whose reviewer asks something, and the consultation.
func doubted(t *testing.T, state a2apb.TaskState, question string) (*world, orchestrator.Task, consultation.Consultation) {
	t.Helper()
	var w *world
	w = newWorld(t, &actor{name: "web", play: delivers("the page"), requirements: requirement("pre-completion")}, doubts(&w, state, question))
	task, _ := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: sensitive}).ID)
	c, err := w.engine.Consult(t.Context(), tenant, task.ID, "r", nil, consultation.Request{})
	if err != nil {
		t.Fatalf("Consult() = %v", err)
	}
	return w, task, c
}

func TestAReviewersQuestionIsShownAtTheGateAndItsReplyLeadsToTheVerdict(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		state           a2apb.TaskState
		question, shown string
	}{
		"a question":               {a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, "which policy?", `asks "which policy?"`},
		"one without words":        {a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, "", "for something, without words"},
		"a wish for authorization": {a2apb.TaskState_TASK_STATE_AUTH_REQUIRED, "log in", `asks "log in"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, task, c := doubted(t, test.state, test.question)
			w.blockedWith(task.ID, "deferred", test.shown)
			if held := w.task(task.ID).Error.Message; !strings.Contains(held, "quorate tasks reply "+c.CarrierTaskID) {
				t.Errorf("the task says %q, want how to answer", held)
			}
			if again, err := w.engine.Consult(t.Context(), tenant, task.ID, "r", nil, consultation.Request{}); err != nil || again.ID != c.ID || again.State != consultation.StateAsking {
				t.Errorf("Consult() = %+v, %v, want the one that asks", again, err)
			}
			if reason := w.reply(c.CarrierTaskID, "the usual one", "1"); reason != "" {
				t.Fatalf("Reply() = %s", reason)
			}
			if done, _ := w.awaitEnd(task.ID); done.State != a2apb.TaskState_TASK_STATE_COMPLETED {
				t.Errorf("state = %s, error %+v, want completed", done.State, done.Error)
			}
		})
	}
}

// TestAReviewerThatThinksAboutAReplyIsWaitedFor has the task work again as soon as the reviewer has its answer.
func TestAReviewerThatThinksAboutAReplyIsWaitedFor(t *testing.T) {
	t.Parallel()
	w, task, c := doubted(t, a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, "which policy?")
	w.blockedWith(task.ID, "deferred", "which policy?")
	think, judge := make(chan struct{}), w.agents.actor("reviewer").play
	w.agents.actor("reviewer").play = func(ctx context.Context, m *a2apb.Message, say agentclient.Each) error {
		<-think
		return judge(ctx, m, say)
	}
	if reason := w.reply(c.CarrierTaskID, "the usual one", "1"); reason != "" {
		t.Fatalf("Reply() = %s", reason)
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	deferred, waits := false, errors.New("it waits for the reviewer")
	_, err := w.engine.Watch(ctx, orchestrator.Key{Tenant: tenant, ID: task.ID}, 0, true, func(e orchestrator.Event) error {
		deferred = deferred || strings.Contains(e.Detail, "r: deferred")
		if deferred && strings.Contains(e.Detail, "r: pending") {
			return waits
		}
		return nil
	})
	if !errors.Is(err, waits) {
		t.Errorf("Watch() = %v, want the requirement pending after it was deferred", err)
	}
	close(think)
	if done, _ := w.awaitEnd(task.ID); done.State != a2apb.TaskState_TASK_STATE_COMPLETED {
		t.Errorf("state = %s, error %+v, want completed", done.State, done.Error)
	}
}

func TestAQuestionOfAReviewerOutlivesARestart(t *testing.T) {
	t.Parallel()
	w, task, c := doubted(t, a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, "which policy?")
	w.await(c.CarrierTaskID)
	w.restart()
	w.blockedWith(task.ID, "deferred", "which policy?")
}

func TestACanceledQuestionOfAReviewerCanBeAskedAnew(t *testing.T) {
	t.Parallel()
	w, task, c := doubted(t, a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, "which policy?")
	w.blockedWith(task.ID, "deferred", "which policy?")
	if _, err := w.engine.Cancel(t.Context(), engine.Cancellation{Key: orchestrator.Key{Tenant: tenant, ID: c.CarrierTaskID}, Caller: "tester"}); err != nil {
		t.Fatalf("Cancel() = %v", err)
	}
	w.blockedWith(task.ID, "missing", "CANCELED")
	if again, err := w.engine.Consult(t.Context(), tenant, task.ID, "r", nil, consultation.Request{}); err != nil || again.Attempt != 2 {
		t.Errorf("Consult() = %+v, %v, want a second attempt", again, err)
	}
}

// TestAReviewersQuestionEndsAlsoWhenItsConsultationIsLost has the file of evidence be lost, which is not that of the tasks.
func TestAReviewersQuestionEndsAlsoWhenItsConsultationIsLost(t *testing.T) {
	t.Parallel()
	w, task, c := doubted(t, a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, "which policy?")
	w.blockedWith(task.ID, "deferred", "which policy?")
	w.stop()
	if err := os.Remove(filepath.Join(w.dir, "spans.db")); err != nil {
		t.Fatal(err)
	}
	w.start()
	if _, err := w.engine.Cancel(t.Context(), engine.Cancellation{Key: orchestrator.Key{Tenant: tenant, ID: c.CarrierTaskID}, Caller: "tester"}); err != nil {
		t.Fatalf("Cancel() = %v", err)
	}
	if carrier, _ := w.awaitEnd(c.CarrierTaskID); carrier.State != a2apb.TaskState_TASK_STATE_CANCELED {
		t.Errorf("the carrier is %s, want it canceled", carrier.State)
	}
}

// TestAReviewerThatIsHeldItselfIsSeenAtTheGate has the reviewer's own work wait for a review that nobody has asked for.
func TestAReviewerThatIsHeldItselfIsSeenAtTheGate(t *testing.T) {
	t.Parallel()
	var w *world
	reviewer := reviews(&w, "approved", "fine", true)
	reviewer.requirements = []agentcard.ConsultationRequirement{{ID: "four-eyes", TargetAgent: "second", Phase: "pre-execution", Mandatory: true}}
	w = newWorld(t, &actor{name: "web", play: delivers("the page"), requirements: requirement("pre-completion")}, reviewer)
	task, _ := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: sensitive}).ID)
	if _, err := w.engine.Consult(t.Context(), tenant, task.ID, "r", nil, consultation.Request{}); err != nil {
		t.Fatalf("Consult() = %v", err)
	}
	w.blockedWith(task.ID, "deferred", `asks "for a consultation of its own: CONSULTATION_MISSING: Requirement \"four-eyes\"`)
}

// TestTheEndOfATaskEndsItsConsultations has a task come to nothing while its reviewer is at work, and while it waits for an answer.
func TestTheEndOfATaskEndsItsConsultations(t *testing.T) {
	t.Parallel()
	for name, reviewer := range map[string]func(context.Context, *a2apb.Message, agentclient.Each) error{
		"at work": func(ctx context.Context, _ *a2apb.Message, say agentclient.Each) error {
			if err := say(snapshot("c1", a2apb.TaskState_TASK_STATE_WORKING, "")); err != nil {
				return err
			}
			<-ctx.Done()
			return ctx.Err()
		},
		"with a question": func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
			return say(snapshot("c1", a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, "which policy?"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, &actor{name: "web", play: delivers("the page"), requirements: requirement("pre-completion")}, &actor{name: "reviewer", play: reviewer})
			task, _ := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: sensitive}).ID)
			c, err := w.engine.Consult(t.Context(), tenant, task.ID, "r", nil, consultation.Request{})
			if err != nil {
				t.Fatalf("Consult() = %v", err)
			}
			if _, err := w.engine.Cancel(t.Context(), engine.Cancellation{Key: orchestrator.Key{Tenant: tenant, ID: task.ID}, Caller: "tester"}); err != nil {
				t.Fatalf("Cancel() = %v", err)
			}
			w.awaitEnd(task.ID)
			if carrier, _ := w.awaitEnd(c.CarrierTaskID); carrier.State != a2apb.TaskState_TASK_STATE_CANCELED {
				t.Errorf("the consultation's task is in state %s, want canceled", carrier.State)
			}
		})
	}
}
