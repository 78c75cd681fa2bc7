package a2aedge_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/quorate/quorate/agents/kit"
)

// TestEveryOperationLooksAtTheVersion calls each operation in a version that is not spoken here, over each binding.
func TestEveryOperationLooksAtTheVersion(t *testing.T) {
	w := newWorld(t)
	operations := map[string]struct{ verb, path, body string }{
		"SendMessage":                      {"POST", "/message:send", `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}`},
		"SendStreamingMessage":             {"POST", "/message:stream", `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}`},
		"GetTask":                          {"GET", "/tasks/x", `{"id":"x"}`},
		"ListTasks":                        {"GET", "/tasks", `{}`},
		"CancelTask":                       {"POST", "/tasks/x:cancel", `{"id":"x"}`},
		"SubscribeToTask":                  {"GET", "/tasks/x:subscribe", `{"id":"x"}`},
		"CreateTaskPushNotificationConfig": {"POST", "/tasks/x/pushNotificationConfigs", `{"taskId":"x","url":"https://example.com"}`},
		"GetTaskPushNotificationConfig":    {"GET", "/tasks/x/pushNotificationConfigs/y", `{"taskId":"x","id":"y"}`},
		"ListTaskPushNotificationConfigs":  {"GET", "/tasks/x/pushNotificationConfigs", `{"taskId":"x"}`},
		"DeleteTaskPushNotificationConfig": {"DELETE", "/tasks/x/pushNotificationConfigs/y", `{"taskId":"x","id":"y"}`},
		"GetExtendedAgentCard":             {"GET", "/extendedAgentCard", `{}`},
	}
	if all := len(a2apb.A2AService_ServiceDesc.Methods) + len(a2apb.A2AService_ServiceDesc.Streams); len(operations) != all {
		t.Errorf("this test knows %d operations of %d", len(operations), all)
	}
	for name, op := range operations {
		for _, version := range []string{"", "0.3", "99.0"} {
			headers := map[string]string{"A2A-Version": version}
			rpc := w.call(t, "POST", "/a2a", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, name, op.body), headers)
			if !strings.Contains(rpc.body, `"code":-32009`) || rpc.header.Get("Content-Type") != "application/json" {
				t.Errorf("%s in version %q over JSON-RPC = %d %s, want -32009 as plain JSON", name, version, rpc.code, rpc.body)
			}
			body := op.body
			if op.verb != "POST" {
				body = ""
			}
			if rest := w.call(t, op.verb, "/a2a"+op.path, body, headers); rest.code != 400 || !strings.Contains(rest.body, "VERSION_NOT_SUPPORTED") || !strings.Contains(rest.body, "send A2A-Version: 1.0") {
				t.Errorf("%s in version %q over HTTP+JSON = %d %s, want 400 VERSION_NOT_SUPPORTED that names the version to send", name, version, rest.code, rest.body)
			}
			if got := w.status(name, version); got.Code() != codes.FailedPrecondition || !strings.Contains(fmt.Sprint(got.Details()), "VERSION_NOT_SUPPORTED") {
				t.Errorf("%s in version %q over gRPC = %v, want FAILED_PRECONDITION with VERSION_NOT_SUPPORTED", name, version, got)
			}
		}
	}
}

// status calls an operation with an empty request in a version.
func (w *world) status(operation, version string) *status.Status {
	ctx := metadata.AppendToOutgoingContext(w.ctx, "a2a-version", version)
	s, err := w.conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, "/lf.a2a.v1.A2AService/"+operation)
	if err == nil {
		err = s.SendMsg(&emptypb.Empty{})
	}
	if err == nil {
		err = s.CloseSend()
	}
	if err == nil {
		err = s.RecvMsg(&emptypb.Empty{})
	}
	return status.Convert(err)
}

// TestTwoFollowATaskThatWaits has two clients subscribe to a task that waits for its caller: both see how it goes on, and its end.
func TestTwoFollowATaskThatWaits(t *testing.T) {
	w := newWorld(t)
	w.addAsker(t, "asker", nil)
	for _, binding := range bindings {
		t.Run(string(binding), func(t *testing.T) {
			c := w.client(t, "/agents/asker", binding)
			task := send(t, w, c, &a2a.SendMessageRequest{Message: text("a hat", nil)})
			send(t, w, c, &a2a.SendMessageRequest{Message: follow(task, "green", nil)})
			var followers, began sync.WaitGroup
			ends := make(chan a2a.TaskState, 2)
			for range 2 {
				began.Add(1)
				followers.Go(func() {
					first := sync.OnceFunc(began.Done)
					defer first()
					var last a2a.TaskState
					for e, err := range c.SubscribeToTask(w.ctx, &a2a.SubscribeToTaskRequest{ID: task.ID}) {
						if err != nil {
							t.Errorf("SubscribeToTask() broke: %v", err)
							return
						}
						first()
						if u, ok := e.(*a2a.TaskStatusUpdateEvent); ok {
							last = u.Status.State
						}
					}
					ends <- last
				})
			}
			began.Wait()
			send(t, w, c, &a2a.SendMessageRequest{Message: follow(task, "two", nil)})
			followers.Wait()
			close(ends)
			for state := range ends {
				if state != a2a.TaskStateCompleted {
					t.Errorf("a follower last saw state %s, want completed", state)
				}
			}
		})
	}
}

// TestATaskThatWaitsCanBeCanceled cancels one whose agent asks.
func TestATaskThatWaitsCanBeCanceled(t *testing.T) {
	w := newWorld(t)
	w.addAsker(t, "asker", nil)
	for _, binding := range bindings {
		c := w.client(t, "/agents/asker", binding)
		task := send(t, w, c, &a2a.SendMessageRequest{Message: text("a hat", nil)})
		got, err := c.CancelTask(w.ctx, &a2a.CancelTaskRequest{ID: task.ID})
		if err != nil || got.Status.State != a2a.TaskStateCanceled {
			t.Errorf("%s: CancelTask() of a task that waits = %+v, %v, want canceled", binding, got, err)
		}
		if _, err := c.SendMessage(w.ctx, &a2a.SendMessageRequest{Message: follow(task, "late", nil)}); !errors.Is(err, a2a.ErrUnsupportedOperation) {
			t.Errorf("%s: SendMessage() to a canceled task = %v, want ErrUnsupportedOperation", binding, err)
		}
	}
}

// TestTheTenantCountsInEveryOperation asks for a task of one agent behind the door of another.
func TestTheTenantCountsInEveryOperation(t *testing.T) {
	w := newWorld(t)
	task := send(t, w, w.client(t, "/agents/echo", a2a.TransportProtocolGRPC), &a2a.SendMessageRequest{
		Message: text("hang", nil), Config: &a2a.SendMessageConfig{ReturnImmediately: true},
	})
	ctx := metadata.AppendToOutgoingContext(w.ctx, "a2a-version", "1.0")
	stub := a2apb.NewA2AServiceClient(w.conn)
	id, other := string(task.ID), "careful"
	_, err1 := stub.GetTask(ctx, &a2apb.GetTaskRequest{Tenant: other, Id: id})
	_, err2 := stub.CancelTask(ctx, &a2apb.CancelTaskRequest{Tenant: other, Id: id})
	s, err3 := stub.SubscribeToTask(ctx, &a2apb.SubscribeToTaskRequest{Tenant: other, Id: id})
	if err3 == nil {
		_, err3 = s.Recv()
	}
	_, err4 := stub.CreateTaskPushNotificationConfig(ctx, &a2apb.TaskPushNotificationConfig{Tenant: other, TaskId: id, Url: "https://example.com"})
	_, err5 := stub.SendMessage(ctx, &a2apb.SendMessageRequest{Tenant: other, Message: &a2apb.Message{
		MessageId: "m", TaskId: id, Role: a2apb.Role_ROLE_USER, Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: "x"}}},
	}})
	for operation, err := range map[string]error{"GetTask": err1, "CancelTask": err2, "SubscribeToTask": err3, "CreateTaskPushNotificationConfig": err4, "SendMessage": err5} {
		if status.Code(err) != codes.NotFound {
			t.Errorf("%s behind another agent's door = %v, want NOT_FOUND", operation, err)
		}
	}
	for path, want := range map[string]int{
		"/a2a/tasks/" + id + "?tenant=careful": 404, "/a2a/tasks/" + id + "?tenant=echo": 200, "/a2a/careful/tasks/" + id: 404, "/a2a/echo/tasks/" + id: 200,
	} {
		if got := w.call(t, "GET", path, "", nil); got.code != want {
			t.Errorf("GET %s = %d %s, want %d", path, got.code, got.body, want)
		}
	}
	if got := w.call(t, "GET", "/a2a/tasks?contextId=none", "", nil); !strings.Contains(got.body, `"tasks":[]`) || !strings.Contains(got.body, `"nextPageToken":""`) {
		t.Errorf("an empty list = %s, want all its fields", got.body)
	}
	if _, err := stub.CancelTask(ctx, &a2apb.CancelTaskRequest{Id: id}); err != nil {
		t.Errorf("CancelTask() = %v", err)
	}
}

// authorizer is a hand-made agent that asks for authorization, and goes on by itself when it has it.
type authorizer struct {
	a2apb.UnimplementedA2AServiceServer
	granted chan struct{}
}

func (a *authorizer) SendStreamingMessage(_ *a2apb.SendMessageRequest, s grpc.ServerStreamingServer[a2apb.StreamResponse]) error {
	say := func(state a2apb.TaskState, words string) error {
		return s.Send(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_Task{Task: &a2apb.Task{Id: "remote", ContextId: "c", Status: &a2apb.TaskStatus{
			State: state,
			Message: &a2apb.Message{MessageId: words, Role: a2apb.Role_ROLE_AGENT, Parts: []*a2apb.Part{
				{Content: &a2apb.Part_Url{Url: "https://login.example/" + words}}, {Content: &a2apb.Part_Text{Text: words}},
			}},
		}}}})
	}
	if err := say(a2apb.TaskState_TASK_STATE_AUTH_REQUIRED, "sign-in"); err != nil {
		return err
	}
	select {
	case <-a.granted:
		return say(a2apb.TaskState_TASK_STATE_COMPLETED, "thanks")
	case <-s.Context().Done():
		return s.Context().Err()
	}
}

// TestAuthorizationIsAskedForAllTheWayUp has an agent ask for it in the middle of a stream, which stays open until the agent goes on by itself.
func TestAuthorizationIsAskedForAllTheWayUp(t *testing.T) {
	w := newWorld(t)
	agent := &authorizer{granted: make(chan struct{})}
	w.addHandMade(t, "authorizer", agent)
	c := w.client(t, "/agents/authorizer", a2a.TransportProtocolHTTPJSON)
	var states []a2a.TaskState // from the first that waits
	for e, err := range c.SendStreamingMessage(w.ctx, &a2a.SendMessageRequest{Message: text("x", nil)}) {
		if err != nil {
			t.Fatalf("the stream broke after %v: %v", states, err)
		}
		u, ok := e.(*a2a.TaskStatusUpdateEvent)
		if !ok || len(states) == 0 && u.Status.State != a2a.TaskStateAuthRequired {
			continue
		}
		states = append(states, u.Status.State)
		if u.Status.State == a2a.TaskStateAuthRequired {
			if len(states) > 1 {
				t.Errorf("the stream showed %v, want AUTH_REQUIRED once", states)
				break
			}
			if u.Status.Message == nil || u.Status.Message.Parts[0].URL() != "https://login.example/sign-in" {
				t.Errorf("the update is %+v, want the agent's link", u.Status.Message)
			}
			close(agent.granted)
		}
	}
	if n := len(states); n < 2 || states[n-1] != a2a.TaskStateCompleted {
		t.Errorf("the stream showed %v, want the end behind AUTH_REQUIRED", states)
	}
}

// addHandMade serves an A2A service over gRPC and registers it as an agent that streams.
func (w *world) addHandMade(t *testing.T, name string, impl a2apb.A2AServiceServer) {
	t.Helper()
	server := grpc.NewServer()
	a2apb.RegisterA2AServiceServer(server, impl)
	l := httptest.NewUnstartedServer(http.NotFoundHandler()).Listener
	var running sync.WaitGroup
	running.Go(func() {
		if err := server.Serve(l); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() { server.Stop(); running.Wait() })
	card := `{"name":"` + name + `","description":"d","version":"1.0.0","capabilities":{"streaming":true},"defaultInputModes":["text/plain"],
		"defaultOutputModes":["text/plain"],"skills":[{"id":"s","name":"s","description":"s","tags":["t"]}],
		"supportedInterfaces":[{"url":"` + l.Addr().String() + `","protocolBinding":"GRPC","protocolVersion":"1.0"}]}`
	if made := w.call(t, "POST", "/v1/agents:register", `{"card":`+card+`}`, nil); made.code != 200 {
		t.Fatalf("register = %d %s", made.code, made.body)
	}
}

// TestASlowFollowerSlowsNobody has one that reads nothing, until its stream is full, while another one hears each word that the agent says before the
// agent says the next.
func TestASlowFollowerSlowsNobody(t *testing.T) {
	const words = 10
	w := newWorld(t)
	speak := make(chan struct{}, words)
	w.addSpeaker(t, "speaker", speak)
	c := w.client(t, "/agents/speaker", a2a.TransportProtocolGRPC)
	long := strings.Repeat("x", 4*narrow) // comes first to each follower, so that behind it nothing goes to one that does not read
	task := send(t, w, c, &a2a.SendMessageRequest{Message: text(long, nil), Config: &a2a.SendMessageConfig{ReturnImmediately: true}})
	conn := w.dial(t, grpc.WithInitialWindowSize(narrow), grpc.WithInitialConnWindowSize(narrow)) // grpc makes no given window wider by itself
	slow, err := a2apb.NewA2AServiceClient(conn).SubscribeToTask(metadata.AppendToOutgoingContext(w.ctx, "a2a-version", "1.0"), &a2apb.SubscribeToTaskRequest{Id: string(task.ID)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := slow.Header(); err != nil { // it follows before the agent speaks
		t.Fatal(err)
	}
	var fast []string
	speak <- struct{}{}
	for e, err := range c.SubscribeToTask(w.ctx, &a2a.SubscribeToTaskRequest{ID: task.ID}) {
		if err != nil {
			t.Fatalf("the other one heard %q, then its stream broke: %v", fast, err)
		}
		if u, ok := e.(*a2a.TaskStatusUpdateEvent); ok && u.Status.State == a2a.TaskStateWorking && u.Status.Message != nil {
			fast = append(fast, u.Status.Message.Parts[0].Text())
			speak <- struct{}{}
		}
	}
	if len(fast) != words {
		t.Fatalf("the other one heard %q, want %d words", fast, words)
	}
	if heard := wordsOf(t, slow); !slices.Equal(heard, fast) { // and the slow one misses nothing
		t.Errorf("the slow one heard %q, want %q", heard, fast)
	}
}

// narrow is the least window that gRPC takes.
const narrow = 64 << 10

// addSpeaker serves an agent that says a word for each that it takes from speak, until speak is full of words.
func (w *world) addSpeaker(t *testing.T, name string, speak <-chan struct{}) {
	t.Helper()
	w.addAgent(t, kit.Config{
		Name: name, Description: "Speaks when it is told to.", Version: "1.0.0",
		Skills: []kit.Skill{{ID: "speak", Name: "Speak", Description: "Speaks.", Tags: []string{"test"}}},
		Handler: func(ctx context.Context, task *kit.Task) error {
			for i := range cap(speak) {
				select {
				case <-speak:
				case <-ctx.Done():
					return context.Cause(ctx)
				}
				if err := task.Progress(ctx, fmt.Sprintf("word %d", i)); err != nil {
					return err
				}
			}
			return nil
		},
	}, nil)
}

// wordsOf reads a stream to the end of its task and returns what the agent said.
func wordsOf(t *testing.T, stream grpc.ServerStreamingClient[a2apb.StreamResponse]) []string {
	t.Helper()
	var heard []string
	for {
		r, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return heard
		}
		if err != nil {
			t.Fatalf("the stream broke after %q: %v", heard, err)
		}
		if s := r.GetStatusUpdate().GetStatus(); s.GetState() == a2apb.TaskState_TASK_STATE_WORKING && s.GetMessage() != nil {
			heard = append(heard, s.GetMessage().GetParts()[0].GetText())
		}
	}
}
