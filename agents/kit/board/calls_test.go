package board_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/quorate/quorate/agents/kit/board"
	"github.com/quorate/quorate/platform/fault"
)

func TestMessagesThatCannotBeWorkedOnAreRefused(t *testing.T) {
	t.Parallel()
	b := board.New(board.Options{Work: nothing})
	defer stop(t, b)
	named := func(id string) *a2a.SendMessageRequest {
		request := say("x")
		request.Message.ID = id
		return request
	}
	pushed, empty := say("x"), say("x")
	pushed.Config = &a2a.SendMessageConfig{PushConfig: &a2a.PushConfig{URL: "https://example.com"}}
	empty.Message.Parts = nil
	for name, test := range map[string]struct {
		request *a2a.SendMessageRequest
		want    error
	}{
		"without a message": {&a2a.SendMessageRequest{}, a2a.ErrInvalidParams},
		"without an id":     {named(""), a2a.ErrInvalidParams},
		"with a long id":    {named(string(make([]byte, 257))), a2a.ErrInvalidParams},
		"without parts":     {empty, a2a.ErrInvalidParams},
		"with a webhook":    {pushed, a2a.ErrPushNotificationNotSupported},
	} {
		if _, err := b.SendMessage(t.Context(), test.request); !errors.Is(err, test.want) {
			t.Errorf("SendMessage() %s = %v, want %v", name, err, test.want)
		}
	}
	send(t, b, named(string(make([]byte, 256))))
}

// TestMessagesThatShareAnIDAreToldApart has one id for all, as some clients have. Only the very same message is worked on once.
func TestMessagesThatShareAnIDAreToldApart(t *testing.T) {
	t.Parallel()
	b := board.New(board.Options{Work: nothing})
	defer stop(t, b)
	text := a2a.NewTextPart
	typed, named := text("ab"), text("ab")
	typed.MediaType, named.Filename = "c", "c"
	tasks := make(map[a2a.TaskID]string)
	for name, parts := range map[string][]*a2a.Part{
		"a text": {text("ab")}, "two texts": {text("a"), text("b")}, "two others": {text(""), text("ab")}, "bytes": {a2a.NewRawPart([]byte("ab"))},
		"a URL": {a2a.NewFileURLPart("ab", "")}, "a type": {typed}, "a file": {named}, "data": {a2a.NewDataPart("ab")},
	} {
		request := &a2a.SendMessageRequest{Message: &a2a.Message{ID: "1", Role: a2a.MessageRoleUser, Parts: parts}}
		task := send(t, b, request)
		if other, found := tasks[task.ID]; found {
			t.Errorf("SendMessage(%s) = the task of %s, want one of its own", name, other)
		}
		tasks[task.ID] = name
		if again := send(t, b, request); again.ID != task.ID {
			t.Errorf("SendMessage(%s) again = task %s, want %s", name, again.ID, task.ID)
		}
	}
}

func TestArtifactsThatCannotBeSentAreNotDelivered(t *testing.T) {
	t.Parallel()
	text, odd := a2a.NewTextPart("x"), map[string]any{"a": func() {}}
	describedOddly := a2a.NewTextPart("x")
	describedOddly.Metadata = odd
	for name, artifact := range map[string]*a2a.Artifact{
		"a part that is null":       {Parts: a2a.ContentParts{text, nil}},
		"a part without content":    {Parts: a2a.ContentParts{{}}},
		"data that is no JSON":      {Parts: a2a.ContentParts{a2a.NewDataPart(odd)}},
		"metadata that is no JSON":  {Parts: a2a.ContentParts{text}, Metadata: odd},
		"a part with such metadata": {Parts: a2a.ContentParts{describedOddly}},
	} {
		b := board.New(board.Options{Work: func(_ context.Context, job *board.Job) error {
			if err := job.AddArtifact(artifact); err == nil {
				t.Errorf("AddArtifact() of %s = nil, want an error", name)
			}
			return nil
		}})
		if task := send(t, b, say("x")); len(task.Artifacts) != 0 {
			t.Errorf("the task has an artifact of %s, want none", name)
		}
		stop(t, b)
	}
}

func TestAnAnswerHasAsMuchHistoryAsIsAskedFor(t *testing.T) {
	t.Parallel()
	b := board.New(board.Options{Work: ask})
	defer stop(t, b)
	task := send(t, b, replyTo(send(t, b, say("hi")), "Ada"))
	for length, want := range map[int][]string{0: nil, 1: {"Ada"}, 2: {"who are you?", "Ada"}, 3: {"hi", "who are you?", "Ada"}, 4: {"hi", "who are you?", "Ada"}} {
		short, err := b.GetTask(t.Context(), &a2a.GetTaskRequest{ID: task.ID, HistoryLength: &length})
		if err != nil {
			t.Fatalf("GetTask() = %v, want the task", err)
		}
		var got []string
		for _, message := range short.History {
			got = append(got, message.Parts[0].Text())
			if message.TaskID != task.ID || message.ContextID != task.ContextID {
				t.Errorf("message %q is of task %q in context %q, want %q in %q", got, message.TaskID, message.ContextID, task.ID, task.ContextID)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("GetTask() with %d messages has %q, want %q", length, got, want)
		}
	}
}

func TestAnAnswerWaitsForTheEndUnlessToldNotTo(t *testing.T) {
	t.Parallel()
	b := board.New(board.Options{Work: ask})
	defer stop(t, b)
	request := say("hi")
	request.Config = &a2a.SendMessageConfig{}
	if got := send(t, b, request).Status.State; got != a2a.TaskStateInputRequired {
		t.Errorf("SendMessage() = %s, want the task when it waits", got)
	}
	if got := send(t, b, request).Status.State; got != a2a.TaskStateInputRequired {
		t.Errorf("SendMessage() of the same message = %s, want the task that still waits", got)
	}
}

// TestAWatcherSeesEachEventOnce has a job that goes on only when its watcher has seen what it did before.
func TestAWatcherSeesEachEventOnce(t *testing.T) {
	t.Parallel()
	seen := make(chan struct{})
	b := board.New(board.Options{Work: func(ctx context.Context, job *board.Job) error {
		for i := range 3 {
			<-seen
			if err := job.Progress(strconv.Itoa(i)); err != nil {
				return err
			}
		}
		for range 2 {
			if _, err := job.Ask(ctx, a2a.NewTextPart("?")); err != nil {
				return err
			}
		}
		return nil
	}})
	defer stop(t, b)
	task := send(t, b, atOnce(say("x")))
	var got []string
	for event, err := range b.SubscribeToTask(t.Context(), &a2a.SubscribeToTaskRequest{ID: task.ID}) {
		if err != nil {
			t.Fatalf("SubscribeToTask() yields %v, want events", err)
		}
		if e, ok := event.(*a2a.TaskStatusUpdateEvent); ok {
			if e.TaskID != task.ID || e.ContextID != task.ContextID || e.Status.Timestamp == nil {
				t.Errorf("SubscribeToTask() yields %+v, want the task's ids and the time", e)
			}
			if e.Status.Message == nil {
				continue
			}
			got = append(got, e.Status.Message.Parts[0].Text())
		}
		switch {
		case len(got) < 3:
			seen <- struct{}{}
		case len(got) > 3:
			send(t, b, atOnce(replyTo(task, strconv.Itoa(len(got)))))
		}
	}
	if want := []string{"0", "1", "2", "?", "?"}; !slices.Equal(got, want) {
		t.Errorf("SubscribeToTask() yields %q, want %q", got, want)
	}
}

func TestAWatcherMayLeaveAtAnyEvent(t *testing.T) {
	t.Parallel()
	for leave := range 4 {
		b := board.New(board.Options{Work: func(_ context.Context, job *board.Job) error { return job.Progress("x") }})
		n := 0
		for _, err := range b.SendStreamingMessage(t.Context(), say("x")) {
			if err != nil || n == leave {
				break
			}
			n++
		}
		if n != leave {
			t.Errorf("SendStreamingMessage() yields %d events, want more than %d", n, leave)
		}
		stop(t, b)
	}
}

func TestQuestionsAreBoundedToo(t *testing.T) {
	t.Parallel()
	reasons := make(chan string, 1)
	b := board.New(board.Options{Work: func(ctx context.Context, job *board.Job) error {
		_, err := job.Ask(ctx, a2a.NewRawPart(make([]byte, board.MaxBytes)))
		reasons <- fault.ReasonOf(err)
		return nil
	}})
	defer stop(t, b)
	task := send(t, b, say("hi"))
	if got := <-reasons; got != "TASK_TOO_LARGE" || task.Status.State != a2a.TaskStateCompleted {
		t.Errorf("Ask() of too much = %s, and the task is %s, want TASK_TOO_LARGE and COMPLETED", got, task.Status.State)
	}
}

// TestAReplyDoesNotReviveATask has a job that goes on waiting for its reply when its task is canceled.
func TestAReplyDoesNotReviveATask(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release, let := context.WithCancel(context.WithoutCancel(t.Context()))
		b := board.New(board.Options{Work: func(_ context.Context, job *board.Job) error {
			_, err := job.Ask(release, a2a.NewTextPart("?"))
			return err
		}})
		defer stop(t, b)
		defer let()
		task := send(t, b, say("hi"))
		if _, err := b.CancelTask(t.Context(), &a2a.CancelTaskRequest{ID: task.ID}); err != nil {
			t.Fatalf("CancelTask() = %v, want nil", err)
		}
		if _, err := b.SendMessage(t.Context(), replyTo(task, "late")); !errors.Is(err, a2a.ErrUnsupportedOperation) {
			t.Errorf("SendMessage() to a canceled task = %v, want an unsupported operation", err)
		}
		wantState(t, b, task.ID, a2a.TaskStateCanceled)
	})
}

func TestAReplyIsForgottenWithItsTask(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := board.New(board.Options{Work: ask})
		defer stop(t, b)
		reply := replyTo(send(t, b, say("hi")), "Ada")
		send(t, b, reply)
		synctest.Wait()
		time.Sleep(time.Hour + 1) //nolint:forbidigo // inside a bubble it waits for nothing
		if _, err := b.SendMessage(t.Context(), reply); !errors.Is(err, a2a.ErrTaskNotFound) {
			t.Errorf("SendMessage() of an old reply again = %v, want that the task is not known", err)
		}
	})
}
