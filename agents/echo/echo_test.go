package echo_test

import (
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"

	"github.com/quorate/quorate/agents/echo"
	"github.com/quorate/quorate/agents/kit/kittest"
)

func TestEchoDoesWhatTheTextSays(t *testing.T) {
	t.Parallel()
	agent := echo.New()
	c := kittest.Run(t, agent.Config())
	tests := map[string]struct {
		text  string
		state a2a.TaskState
		want  string // artifact or status text
	}{
		"text":                       {"hello world", a2a.TaskStateCompleted, "hello world"},
		"a sleep":                    {"sleep 10ms hello world", a2a.TaskStateCompleted, "hello world"},
		"a sleep that is too long":   {"sleep 11m x", a2a.TaskStateFailed, "ECHO_SLEEP_INVALID: "},
		"a sleep that is no time":    {"sleep well", a2a.TaskStateFailed, "ECHO_SLEEP_INVALID: "},
		"a failure":                  {"fail on purpose", a2a.TaskStateFailed, "ECHO_FAILED: asked to fail: on purpose"},
		"a word that is no command ": {"failure", a2a.TaskStateCompleted, "failure"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			message := a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart(test.text))
			for range 2 {
				task := send(t, c, &a2a.SendMessageRequest{Message: message})
				got := ""
				if len(task.Artifacts) > 0 {
					got = task.Artifacts[0].Parts[0].Text()
				} else if task.Status.Message != nil {
					got = task.Status.Message.Parts[0].Text()
				}
				if task.Status.State != test.state || !strings.HasPrefix(got, test.want) {
					t.Errorf("SendMessage(%q) = %s %q, want %s %q", test.text, task.Status.State, got, test.state, test.want)
				}
			}
			if n := agent.Executions()[message.ID]; n != 1 {
				t.Errorf("Executions() of a message that was sent twice = %d, want 1", n)
			}
		})
	}
}

func TestAHangEndsWhenItIsCanceled(t *testing.T) {
	t.Parallel()
	c := kittest.Run(t, echo.New().Config())
	task := send(t, c, &a2a.SendMessageRequest{
		Message: a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart("hang")), Config: &a2a.SendMessageConfig{ReturnImmediately: true},
	})
	got, err := c.CancelTask(t.Context(), &a2a.CancelTaskRequest{ID: task.ID})
	if err != nil || got.Status.State != a2a.TaskStateCanceled {
		t.Errorf("CancelTask() = %v, %v, want it canceled", got, err)
	}
}

func send(t *testing.T, c *a2aclient.Client, request *a2a.SendMessageRequest) *a2a.Task {
	t.Helper()
	result, err := c.SendMessage(t.Context(), request)
	if err != nil {
		t.Fatalf("SendMessage() = %v, want a task", err)
	}
	task, ok := result.(*a2a.Task)
	if !ok {
		t.Fatalf("SendMessage() = %T, want a task", result)
	}
	return task
}
