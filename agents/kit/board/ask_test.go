package board_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/quorate/quorate/agents/kit/board"
	"github.com/quorate/quorate/platform/fault"
)

// ask asks for a name and greets it.
func ask(ctx context.Context, job *board.Job) error {
	reply, err := job.Ask(ctx, a2a.NewTextPart("who are you?"))
	if err != nil {
		return err
	}
	return job.AddArtifact(&a2a.Artifact{Parts: a2a.ContentParts{a2a.NewTextPart("hello " + reply.Parts[0].Text())}})
}

func replyTo(task *a2a.Task, text string) *a2a.SendMessageRequest {
	request := say(text)
	request.Message.TaskID = task.ID
	return request
}

func wantState(t *testing.T, b *board.Board, id a2a.TaskID, want a2a.TaskState) *a2a.Task {
	t.Helper()
	task, err := b.GetTask(t.Context(), &a2a.GetTaskRequest{ID: id})
	if err != nil || task.Status.State != want {
		t.Fatalf("GetTask() = %v, %v, want it %s", task, err, want)
	}
	return task
}

func TestAReplyGoesOnWithTheTask(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := board.New(board.Options{Work: ask})
		defer stop(t, b)
		waiting := send(t, b, say("hi"))
		if waiting.Status.State != a2a.TaskStateInputRequired || waiting.Status.Message.Parts[0].Text() != "who are you?" {
			t.Fatalf("SendMessage() = %v, want the task with its question", waiting.Status)
		}
		reply := replyTo(waiting, "Ada")
		done := send(t, b, reply)
		if done.ID != waiting.ID || done.Status.State != a2a.TaskStateCompleted || done.Artifacts[0].Parts[0].Text() != "hello Ada" {
			t.Errorf("SendMessage(reply) = %v, want the same task with the greeting", done)
		}
		var history []string
		for _, message := range done.History {
			history = append(history, message.Parts[0].Text())
		}
		if want := []string{"hi", "who are you?", "Ada"}; !slices.Equal(history, want) {
			t.Errorf("the history is %q, want %q", history, want)
		}
		if again := send(t, b, reply); again.ID != waiting.ID || len(again.History) != 3 {
			t.Errorf("the reply sent again = %v, want the task as it is", again)
		}
		synctest.Wait()
		if _, err := b.SendMessage(t.Context(), replyTo(waiting, "and Bob")); !errors.Is(err, a2a.ErrUnsupportedOperation) {
			t.Errorf("SendMessage() to a task that has ended = %v, want an unsupported operation", err)
		}
	})
}

// TestWhoRepliesMissesNothing has many jobs that go on at the moment at which they get their replies.
func TestWhoRepliesMissesNothing(t *testing.T) {
	t.Parallel()
	b := board.New(board.Options{Work: ask})
	defer stop(t, b)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 500 {
				waiting, err := b.SendMessage(t.Context(), say("hi"))
				if err != nil {
					t.Errorf("SendMessage() = %v, want no error", err)
					return
				}
				events := 0
				for _, err := range b.SendStreamingMessage(t.Context(), replyTo(waiting.(*a2a.Task), "Ada")) {
					if err != nil {
						t.Errorf("SendStreamingMessage(reply) yields %v, want events", err)
					}
					events++
				}
				if events != 3 {
					t.Errorf("SendStreamingMessage(reply) yields %d events, want the task, its artifact and its end", events)
					return
				}
			}
		})
	}
	all.Wait()
}

func TestOnlyWhoIsAskedMayReply(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := board.New(board.Options{Work: func(ctx context.Context, job *board.Job) error {
			if job.Request.Message.Parts[0].Text() == "hang" {
				return untilCanceled(ctx, job)
			}
			return ask(ctx, job)
		}})
		defer stop(t, b)
		busy, waiting := send(t, b, atOnce(say("hang"))), send(t, b, say("hi"))
		elsewhere := replyTo(waiting, "Ada")
		elsewhere.Message.ContextID = "another"
		for name, test := range map[string]struct {
			request *a2a.SendMessageRequest
			want    error
		}{
			"no such task":       {replyTo(&a2a.Task{ID: "none"}, "Ada"), a2a.ErrTaskNotFound},
			"a task that works":  {replyTo(busy, "Ada"), a2a.ErrUnsupportedOperation},
			"another context":    {elsewhere, a2a.ErrInvalidParams},
			"more than it holds": {&a2a.SendMessageRequest{Message: &a2a.Message{ID: "m", TaskID: waiting.ID, Role: a2a.MessageRoleUser, Parts: a2a.ContentParts{a2a.NewRawPart(make([]byte, board.MaxBytes-50))}}}, a2a.ErrUnsupportedOperation},
		} {
			if _, err := b.SendMessage(t.Context(), test.request); !errors.Is(err, test.want) {
				t.Errorf("SendMessage() with %s = %v, want %v", name, err, test.want)
			}
		}
		wantState(t, b, waiting.ID, a2a.TaskStateInputRequired)
	})
}

func TestTheSameReplyToTwoTasksReachesBoth(t *testing.T) {
	t.Parallel()
	b := board.New(board.Options{Work: ask})
	defer stop(t, b)
	for range 2 { // some clients use one id for many messages
		reply := replyTo(send(t, b, say("hi")), "yes")
		reply.Message.ID = "1"
		if got := send(t, b, reply); got.Status.State != a2a.TaskStateCompleted || got.ID != reply.Message.TaskID {
			t.Errorf("SendMessage(reply) = %v, want task %s completed", got, reply.Message.TaskID)
		}
	}
}

func TestAQuestionHoldsNoSlot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := board.New(board.Options{Work: ask, MaxRunning: 1})
		defer stop(t, b)
		first, second := send(t, b, say("a")), send(t, b, say("b")) // each waits for a reply
		for _, task := range []*a2a.Task{second, first} {
			if got := send(t, b, replyTo(task, "x")).Status.State; got != a2a.TaskStateCompleted {
				t.Errorf("a replied task is %s, want COMPLETED", got)
			}
		}
	})
}

func TestAQuestionEnds(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		end    func(t *testing.T, b *board.Board, id a2a.TaskID)
		reason string
		state  a2a.TaskState
	}{
		"when nobody replies": {func(*testing.T, *board.Board, a2a.TaskID) {
			time.Sleep(board.MaxWait) //nolint:forbidigo // inside a bubble it waits for nothing
		}, "NO_REPLY", a2a.TaskStateWorking},
		"when the task is canceled": {func(t *testing.T, b *board.Board, id a2a.TaskID) {
			t.Helper()
			if _, err := b.CancelTask(t.Context(), &a2a.CancelTaskRequest{ID: id}); err != nil {
				t.Errorf("CancelTask() = %v, want nil", err)
			}
		}, "CANCELED", a2a.TaskStateCanceled},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				told, release := make(chan string, 1), make(chan struct{})
				b := board.New(board.Options{Work: func(ctx context.Context, job *board.Job) error {
					_, err := job.Ask(ctx, a2a.NewTextPart("?"))
					told <- fault.ReasonOf(err)
					<-release
					return nil
				}})
				defer stop(t, b)
				defer close(release)
				task := send(t, b, say("hi"))
				test.end(t, b, task.ID)
				if got := <-told; got != test.reason {
					t.Errorf("Ask() = %s, want %s", got, test.reason)
				}
				wantState(t, b, task.ID, test.state)
				if _, err := b.SendMessage(t.Context(), replyTo(task, "late")); !errors.Is(err, a2a.ErrUnsupportedOperation) {
					t.Errorf("SendMessage() of a late reply = %v, want an unsupported operation", err)
				}
			})
		})
	}
}

func TestInvalidQuestionsAreRefused(t *testing.T) {
	t.Parallel()
	reasons, open := make(chan string, 3), make(chan struct{})
	b := board.New(board.Options{Work: func(ctx context.Context, job *board.Job) error {
		_, err := job.Ask(ctx)
		reasons <- fault.ReasonOf(err)
		_, err = job.Ask(ctx, nil)
		reasons <- fault.ReasonOf(err)
		first := make(chan error, 1)
		go func() {
			_, err := job.Ask(ctx, a2a.NewTextPart("first"))
			first <- err
		}()
		<-open
		_, err = job.Ask(ctx, a2a.NewTextPart("second"))
		reasons <- fault.ReasonOf(err)
		return <-first
	}})
	defer stop(t, b)
	task := send(t, b, say("hi")) // returns when the first question is open
	close(open)
	for _, want := range []string{"QUESTION_INVALID", "QUESTION_INVALID", "ALREADY_ASKING"} {
		if got := <-reasons; got != want {
			t.Errorf("Ask() = %s, want %s", got, want)
		}
	}
	send(t, b, replyTo(task, "x"))
}

func TestASubscriptionSeesTheReply(t *testing.T) {
	t.Parallel()
	b := board.New(board.Options{Work: ask})
	defer stop(t, b)
	task := send(t, b, say("hi"))
	var states []a2a.TaskState
	for event, err := range b.SubscribeToTask(t.Context(), &a2a.SubscribeToTaskRequest{ID: task.ID}) {
		if err != nil {
			t.Fatalf("SubscribeToTask() yields %v, want events", err)
		}
		switch e := event.(type) {
		case *a2a.Task:
			states = append(states, e.Status.State)
			send(t, b, replyTo(task, "Ada"))
		case *a2a.TaskStatusUpdateEvent:
			states = append(states, e.Status.State)
		}
	}
	if want := []a2a.TaskState{a2a.TaskStateInputRequired, a2a.TaskStateWorking, a2a.TaskStateCompleted}; !slices.Equal(states, want) {
		t.Errorf("SubscribeToTask() = %v, want %v", states, want)
	}
}
