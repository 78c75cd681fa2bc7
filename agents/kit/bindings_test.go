package kit_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	a2apb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/quorate/quorate/agents/kit"
	"github.com/quorate/quorate/platform/fault"
)

var bindings = []a2a.TransportProtocol{a2a.TransportProtocolGRPC, a2a.TransportProtocolJSONRPC, a2a.TransportProtocolHTTPJSON}

// play does what the text says.
func play(ctx context.Context, t *kit.Task) error {
	switch text := t.Text(); text {
	case "hang":
		return hang(ctx, t)
	case "fault":
		return fault.New(fault.NotFound, "PAGE_NOT_FOUND", "there is no such page")
	case "error":
		return errors.New("the password is hunter2")
	case "panic":
		panic("the password is hunter2")
	case "progress":
		return t.Progress(ctx, "looked everywhere")
	case "bytes":
		return t.AddArtifact(ctx, kit.Artifact{Name: "b\xff", MediaType: "application/octet-stream", Raw: []byte{0, 0xff}})
	case "parts":
		report := struct {
			Z string `json:"z"`
			A []int  `json:"a"`
		}{"\xff", []int{1}}
		return t.AddArtifact(ctx, kit.Artifact{Name: "report", MediaType: "text/plain", Text: "not this", Parts: []*a2a.Part{
			a2a.NewDataPart(report), a2a.NewFileURLPart("https://example.com/r.pdf", "application/pdf"), a2a.NewTextPart("\xff"),
		}})
	case "metadata":
		part := a2a.NewTextPart("x")
		part.Metadata = map[string]any{"list": []string{"\xff"}}
		return t.AddArtifact(ctx, kit.Artifact{Parts: []*a2a.Part{part}, Metadata: map[string]any{"list": []string{"\xff"}}})
	case "odd metadata":
		return t.AddArtifact(ctx, kit.Artifact{Metadata: map[string]any{"f": func() {}}})
	case "odd fault":
		return fault.New(fault.NotFound, "PAGE_NOT_FOUND", "there is no page \xff")
	case "odd parts":
		return t.AddArtifact(ctx, kit.Artifact{Parts: []*a2a.Part{a2a.NewDataPart(func() {})}})
	default:
		if err := t.Progress(ctx, "half way \xff"); err != nil {
			return err
		}
		return echo(ctx, t)
	}
}

func onEachBinding(t *testing.T, test func(t *testing.T, c *a2aclient.Client)) {
	t.Helper()
	agent, _ := start(t, kit.Config{Handler: play})
	for _, binding := range bindings {
		t.Run(string(binding), func(t *testing.T) {
			t.Parallel()
			test(t, client(t, agent, binding))
		})
	}
}

func TestATaskEndsAsItsHandlerDoes(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text  string
		state a2a.TaskState
		tells string
	}{
		"an artifact completes":                     {"hello", a2a.TaskStateCompleted, ""},
		"bytes complete":                            {"bytes", a2a.TaskStateCompleted, ""},
		"progress alone completes with its text":    {"progress", a2a.TaskStateCompleted, "looked everywhere"},
		"a fault fails with its reason and message": {"fault", a2a.TaskStateFailed, "PAGE_NOT_FOUND: there is no such page"},
		"an error fails without its text":           {"error", a2a.TaskStateFailed, "INTERNAL: the agent met an internal error; its log tells more"},
		"a fault need not be UTF-8":                 {"odd fault", a2a.TaskStateFailed, "PAGE_NOT_FOUND: there is no page \uFFFD"},
		"a panic fails without its text":            {"panic", a2a.TaskStateFailed, "INTERNAL: the agent met an internal error; its log tells more"},
	}
	onEachBinding(t, func(t *testing.T, c *a2aclient.Client) {
		t.Helper()
		for name, test := range tests {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				task := send(t, c, say(test.text))
				if task.Status.State != test.state || statusText(task) != test.tells {
					t.Errorf("SendMessage(%q) = %s %q, want %s %q", test.text, task.Status.State, statusText(task), test.state, test.tells)
				}
			})
		}
	})
}

func TestBytesAreAFileWithTheNameOfTheirArtifact(t *testing.T) {
	t.Parallel()
	onEachBinding(t, func(t *testing.T, c *a2aclient.Client) {
		t.Helper()
		made := send(t, c, say("bytes")).Artifacts[0]
		file := made.Parts[0]
		if made.Name != "b\uFFFD" || file.Filename != made.Name || file.MediaType != "application/octet-stream" || !slices.Equal(file.Raw(), []byte{0, 0xff}) {
			t.Errorf("SendMessage(bytes) = artifact %q with %+v, want a file of that name", made.Name, file)
		}
	})
}

func TestAnArtifactHasThePartsThatItWasGiven(t *testing.T) {
	t.Parallel()
	onEachBinding(t, func(t *testing.T, c *a2aclient.Client) {
		t.Helper()
		want := a2a.ContentParts{
			a2a.NewDataPart(map[string]any{"z": "\uFFFD", "a": []any{1.0}}), a2a.NewFileURLPart("https://example.com/r.pdf", "application/pdf"), a2a.NewTextPart("\uFFFD"),
		}
		if got := send(t, c, say("parts")).Artifacts[0]; got.Name != "report" || !reflect.DeepEqual(got.Parts, want) {
			t.Errorf("SendMessage(parts) = artifact %+v, want one with %+v", got, want)
		}
		if got := send(t, c, say("odd parts")); got.Status.State != a2a.TaskStateFailed || len(got.Artifacts) > 0 {
			t.Errorf("SendMessage(odd parts) = %s with %d artifacts, want FAILED: a function is no JSON", got.Status.State, len(got.Artifacts))
		}
	})
}

func TestMetadataIsReadAsJSON(t *testing.T) {
	t.Parallel()
	onEachBinding(t, func(t *testing.T, c *a2aclient.Client) {
		t.Helper()
		want := map[string]any{"list": []any{"\uFFFD"}}
		if got := send(t, c, say("metadata")).Artifacts[0]; !reflect.DeepEqual(got.Metadata, want) || !reflect.DeepEqual(got.Parts[0].Metadata, want) {
			t.Errorf("SendMessage(metadata) = metadata %v and %v of the part, want %v", got.Metadata, got.Parts[0].Metadata, want)
		}
		if got := send(t, c, say("odd metadata")); got.Status.State != a2a.TaskStateFailed || len(got.Artifacts) > 0 {
			t.Errorf("SendMessage(odd metadata) = %s with %d artifacts, want FAILED: a function is no JSON", got.Status.State, len(got.Artifacts))
		}
	})
}

func TestAStreamTellsTheTaskAndEachEventToTheEnd(t *testing.T) {
	t.Parallel()
	onEachBinding(t, func(t *testing.T, c *a2aclient.Client) {
		t.Helper()
		var got []string
		for event, err := range c.SendStreamingMessage(t.Context(), request(say("hello"))) {
			if err != nil {
				t.Fatalf("SendStreamingMessage() yields %v, want events", err)
			}
			got = append(got, describe(event))
		}
		want := []string{"task", "TASK_STATE_WORKING ", "TASK_STATE_WORKING half way \uFFFD", "artifact hello", "TASK_STATE_COMPLETED "}
		if !slices.Equal(got, want) {
			t.Errorf("SendStreamingMessage() = %q, want %q", got, want)
		}
	})
}

func describe(event a2a.Event) string {
	switch e := event.(type) {
	case *a2a.Task:
		return "task"
	case *a2a.TaskArtifactUpdateEvent:
		return "artifact " + e.Artifact.Parts[0].Text()
	case *a2a.TaskStatusUpdateEvent:
		return e.Status.State.String() + " " + statusText(&a2a.Task{Status: e.Status})
	}
	return fmt.Sprintf("%T", event)
}

func TestATaskCanBeReadWatchedAndCanceled(t *testing.T) {
	t.Parallel()
	onEachBinding(t, func(t *testing.T, c *a2aclient.Client) {
		t.Helper()
		ctx := t.Context()
		result, err := c.SendMessage(ctx, &a2a.SendMessageRequest{Message: say("hang"), Config: &a2a.SendMessageConfig{ReturnImmediately: true}})
		if err != nil {
			t.Fatalf("SendMessage(hang) = %v, want a task", err)
		}
		id := result.TaskInfo().TaskID
		states := make(chan a2a.TaskState, 1)
		subscribed := make(chan struct{})
		go func() {
			var last a2a.TaskState
			for event, err := range c.SubscribeToTask(ctx, &a2a.SubscribeToTaskRequest{ID: id}) {
				if err != nil {
					break
				}
				switch e := event.(type) {
				case *a2a.Task:
					close(subscribed)
				case *a2a.TaskStatusUpdateEvent:
					last = e.Status.State
				}
			}
			states <- last
		}()
		<-subscribed
		task, err := c.CancelTask(ctx, &a2a.CancelTaskRequest{ID: id})
		if err != nil || task.Status.State != a2a.TaskStateCanceled {
			t.Fatalf("CancelTask() = %v, %v, want a canceled task", task, err)
		}
		if got := <-states; got != a2a.TaskStateCanceled {
			t.Errorf("SubscribeToTask() ends with %q, want %q", got, a2a.TaskStateCanceled)
		}
		none := 0
		task, err = c.GetTask(ctx, &a2a.GetTaskRequest{ID: id, HistoryLength: &none})
		if err != nil || task.Status.State != a2a.TaskStateCanceled || len(task.History) != 0 {
			t.Errorf("GetTask() = %v, %v, want it canceled and without history", task, err)
		}
		if _, err = c.CancelTask(ctx, &a2a.CancelTaskRequest{ID: id}); err != nil {
			t.Errorf("CancelTask() again = %v, want the same task", err)
		}
	})
}

func TestAStreamBeginsWithAsMuchHistoryAsIsAskedFor(t *testing.T) {
	t.Parallel()
	onEachBinding(t, func(t *testing.T, c *a2aclient.Client) {
		t.Helper()
		none := 0
		for length, want := range map[*int]int{nil: 1, &none: 0} {
			sent := request(say("hello"))
			sent.Config = &a2a.SendMessageConfig{HistoryLength: length}
			for event, err := range c.SendStreamingMessage(t.Context(), sent) {
				if begun, ok := event.(*a2a.Task); err != nil || !ok || len(begun.History) != want {
					t.Errorf("SendStreamingMessage() begins with %+v, %v, want a task with %d messages", event, err, want)
				}
				break
			}
		}
	})
}

func TestWrongCallsAreRefusedWithTheSpecifiedErrors(t *testing.T) {
	t.Parallel()
	onEachBinding(t, func(t *testing.T, c *a2aclient.Client) {
		t.Helper()
		ctx := t.Context()
		ended := send(t, c, say("hello"))
		followUp := say("and then?")
		followUp.TaskID, followUp.ContextID = ended.ID, ended.ContextID
		tests := map[string]struct {
			call func() error
			want error
		}{
			"an unknown task":                 {func() error { _, err := c.GetTask(ctx, &a2a.GetTaskRequest{ID: "none"}); return err }, a2a.ErrTaskNotFound},
			"canceling an unknown task":       {func() error { _, err := c.CancelTask(ctx, &a2a.CancelTaskRequest{ID: "none"}); return err }, a2a.ErrTaskNotFound},
			"canceling a task that has ended": {func() error { _, err := c.CancelTask(ctx, &a2a.CancelTaskRequest{ID: ended.ID}); return err }, a2a.ErrTaskNotCancelable},
			"a second message for a task":     {func() error { _, err := c.SendMessage(ctx, request(followUp)); return err }, a2a.ErrUnsupportedOperation},
			"a message without parts":         {func() error { _, err := c.SendMessage(ctx, request(a2a.NewMessage(a2a.MessageRoleUser))); return err }, a2a.ErrInvalidParams},
			"a message of the agent itself": {func() error {
				_, err := c.SendMessage(ctx, request(a2a.NewMessage(a2a.MessageRoleAgent, a2a.NewTextPart("x"))))
				return err
			}, a2a.ErrInvalidParams},
			"a message of nobody": {func() error {
				_, err := c.SendMessage(ctx, request(a2a.NewMessage("", a2a.NewTextPart("x"))))
				return err
			}, a2a.ErrInvalidParams},
			"watching a task that has ended": {func() error {
				for _, err := range c.SubscribeToTask(ctx, &a2a.SubscribeToTaskRequest{ID: ended.ID}) {
					return err
				}
				return nil
			}, a2a.ErrUnsupportedOperation},
		}
		for name, test := range tests {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				if err := test.call(); !errors.Is(err, test.want) {
					t.Errorf("call = %v, want %v", err, test.want)
				}
			})
		}
	})
}

// TestANegativeHistoryLengthIsRefused calls over JSON-RPC, in both versions; the SDK reads a negative length from gRPC as none.
func TestANegativeHistoryLengthIsRefused(t *testing.T) {
	t.Parallel()
	agent, _ := start(t, kit.Config{Handler: echo})
	id := send(t, client(t, agent, a2a.TransportProtocolJSONRPC), say("hello")).ID
	message := `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]},"configuration":{"historyLength":-1}}`
	for method, params := range map[string]string{
		"GetTask":     fmt.Sprintf(`{"id":%q,"historyLength":-1}`, id),
		"tasks/get":   fmt.Sprintf(`{"id":%q,"historyLength":-1}`, id),
		"ListTasks":   `{"historyLength":-1}`,
		"SendMessage": message,
	} {
		call := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params)
		got := fetch(t, http.MethodPost, agent.URL()+"/", nil, strings.NewReader(call))
		if !strings.Contains(got.body, "-32602") || !strings.Contains(got.body, "the history length -1 is negative") {
			t.Errorf("%s = %s, want error -32602 that says why", method, got.body)
		}
	}
}

func TestAnotherProtocolVersionIsRefused(t *testing.T) {
	t.Parallel()
	agent, _ := start(t, kit.Config{Handler: echo})
	header := http.Header{a2a.SvcParamVersion: {"99.0"}}
	call := `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"x"}}`
	if got := fetch(t, http.MethodPost, agent.URL()+"/", header, strings.NewReader(call)); !strings.Contains(got.body, "-32009") {
		t.Errorf("GetTask by JSON-RPC in version 99.0 = %s, want error -32009", got.body)
	}
	if got := fetch(t, http.MethodGet, agent.URL()+"/rest/tasks/x", header, nil); got.code != http.StatusBadRequest || !strings.Contains(got.body, "VERSION_NOT_SUPPORTED") {
		t.Errorf("GetTask by HTTP+JSON in version 99.0 = %d %s, want 400 VERSION_NOT_SUPPORTED", got.code, got.body)
	}
	conn := dial(t, agent)
	ctx := metadata.AppendToOutgoingContext(t.Context(), a2a.SvcParamVersion, "99.0")
	if _, err := a2apb.NewA2AServiceClient(conn).GetTask(ctx, &a2apb.GetTaskRequest{Id: "x"}); status.Code(err) != codes.FailedPrecondition {
		t.Errorf("GetTask by gRPC in version 99.0 = %v, want FAILED_PRECONDITION", err)
	}
}

// TestThePatchOfAVersionDoesNotMatter has callers name a patch version, which A2A §3.6 does not let servers consider.
func TestThePatchOfAVersionDoesNotMatter(t *testing.T) {
	t.Parallel()
	agent, _ := start(t, kit.Config{Handler: echo})
	for version, want := range map[string]string{"1.0.1": "-32001", "1.0": "-32001", "1.01": "-32009", "1.1.0": "-32009"} {
		header := http.Header{a2a.SvcParamVersion: {version}}
		call := `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"x"}}`
		if got := fetch(t, http.MethodPost, agent.URL()+"/", header, strings.NewReader(call)); !strings.Contains(got.body, want) {
			t.Errorf("GetTask(an unknown task) in version %s = %s, want error %s", version, got.body, want)
		}
	}
}

func TestEmptyAndOddMessagesAreRefusedByGRPC(t *testing.T) {
	t.Parallel()
	agent, _ := start(t, kit.Config{Handler: echo})
	service := a2apb.NewA2AServiceClient(dial(t, agent))
	tests := map[string]*a2apb.SendMessageRequest{
		"nothing":                {},
		"no message id":          {Message: &a2apb.Message{Role: a2apb.Role_ROLE_USER, Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: "x"}}}}},
		"no parts":               {Message: &a2apb.Message{MessageId: "m", Role: a2apb.Role_ROLE_USER}},
		"a part without content": {Message: &a2apb.Message{MessageId: "m", Role: a2apb.Role_ROLE_USER, Parts: []*a2apb.Part{{}}}},
		"text that is too long":  {Message: &a2apb.Message{MessageId: "m", Role: a2apb.Role_ROLE_USER, Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: strings.Repeat("x", 8<<20)}}}}},
	}
	for name, message := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := service.SendMessage(t.Context(), message); status.Code(err) != codes.InvalidArgument {
				t.Errorf("SendMessage(%.100v) = %v, want INVALID_ARGUMENT", message, err)
			}
		})
	}
}

func dial(t *testing.T, agent *kit.Agent) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient(strings.TrimPrefix(agent.URL(), "http://"), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatalf("NewClient(%s) = %v, want a connection", agent.URL(), err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func TestTheSameMessageIsWorkedOnOnce(t *testing.T) {
	t.Parallel()
	worked := make(chan string, 10)
	agent, _ := start(t, kit.Config{Handler: func(ctx context.Context, task *kit.Task) error {
		worked <- task.Text()
		return echo(ctx, task)
	}})
	message := say("once")
	var ids []a2a.TaskID
	for _, binding := range bindings {
		message.Metadata = map[string]any{"traceparent": strings.Repeat("0", len(ids))} // another attempt, another trace
		ids = append(ids, send(t, client(t, agent, binding), message).ID)
	}
	if ids[0] != ids[1] || ids[1] != ids[2] || len(worked) != 1 {
		t.Errorf("the same message sent over each binding made tasks %v and was worked on %d times, want one task and once", ids, len(worked))
	}
	other := *message
	other.Parts = a2a.ContentParts{a2a.NewTextPart("another text under the same id")}
	if id := send(t, client(t, agent, bindings[0]), &other).ID; id == ids[0] {
		t.Errorf("another content under the same message id found task %s, want a new one", id)
	}
}

// A fault is in the log, too: where a review stands before the task's end, Quorate shows its words to nobody.
func TestTheLogSaysWhyATaskFailed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"error": {"level=ERROR", "hunter2"},
		"panic": {"level=ERROR", "hunter2", "kit_test.play"},
		"fault": {"level=INFO", "PAGE_NOT_FOUND", "there is no such page"},
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer // read after the agent has stopped
			agent, stop := start(t, kit.Config{Handler: play, Logger: slog.New(slog.NewTextHandler(&log, nil))})
			message := say(text)
			message.Metadata = map[string]any{kit.ConsultationExtension: map[string]any{"taskId": "quorates-task"}}
			send(t, client(t, agent, a2a.TransportProtocolGRPC), message)
			if err := stop(); err != nil {
				t.Fatalf("Run() = %v, want nil", err)
			}
			for _, want := range append(want, "job failed", "quorates-task") {
				if !strings.Contains(log.String(), want) {
					t.Errorf("the log says %q, want %q in it", log.String(), want)
				}
			}
		})
	}
}

func TestTheLogHasNoFailureOfATaskThatWasCanceled(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer // read after the agent has stopped
	agent, stop := start(t, kit.Config{Handler: hang, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	c := client(t, agent, a2a.TransportProtocolGRPC)
	result, err := c.SendMessage(t.Context(), &a2a.SendMessageRequest{Message: say("x"), Config: &a2a.SendMessageConfig{ReturnImmediately: true}})
	if err != nil {
		t.Fatalf("SendMessage() = %v, want a task", err)
	}
	if _, err := c.CancelTask(t.Context(), &a2a.CancelTaskRequest{ID: result.TaskInfo().TaskID}); err != nil {
		t.Fatalf("CancelTask() = %v, want no error", err)
	}
	if err := stop(); err != nil {
		t.Fatalf("Run() = %v, want nil", err)
	}
	if strings.Contains(log.String(), "job failed") {
		t.Errorf("the log says %q, want no failure in it", log.String())
	}
}
