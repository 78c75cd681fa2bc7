package a2aedge_test

import (
	"context"
	"fmt"
	"iter"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	a2agrpc "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"github.com/a2aproject/a2a-go/v2/a2asrv/push"
	"google.golang.org/grpc"
)

// asks is an executor of a2a-go's own server whose tasks wait for their caller, whatever comes.
type asks struct{}

func (asks) Execute(_ context.Context, x *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		if x.StoredTask == nil && !yield(a2a.NewSubmittedTask(x, x.Message), nil) {
			return
		}
		yield(a2a.NewStatusUpdateEvent(x, a2a.TaskStateInputRequired, nil), nil)
	}
}

func (asks) Cancel(_ context.Context, x *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		yield(a2a.NewStatusUpdateEvent(x, a2a.TaskStateCanceled, nil), nil)
	}
}

// addSDKAgent serves an agent of a2a-go's own server, without streams, over gRPC and JSON-RPC and registers it.
func (w *world) addSDKAgent(t *testing.T, name string, options ...a2asrv.RequestHandlerOption) {
	t.Helper()
	handler := a2asrv.NewHandler(asks{}, options...)
	overHTTP := httptest.NewServer(a2asrv.NewJSONRPCHandler(handler))
	t.Cleanup(overHTTP.Close)
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	a2agrpc.NewHandler(handler).RegisterWith(server)
	go func() { _ = server.Serve(l) }()
	t.Cleanup(server.Stop)
	card := fmt.Sprintf(`{"name":%q,"description":"d","version":"1.0.0","capabilities":{"pushNotifications":%t},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],
		"skills":[{"id":"s","name":"s","description":"s","tags":["t"]}],"supportedInterfaces":[
		{"url":%q,"protocolBinding":"GRPC","protocolVersion":"1.0"},{"url":%q,"protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`,
		name, len(options) > 0, l.Addr(), overHTTP.URL)
	if made := w.call(t, "POST", "/v1/agents:register", `{"card":`+card+`}`, nil); made.code != http.StatusOK {
		t.Fatalf("register = %d %s", made.code, made.body)
	}
}

// TestReceiversOfATaskThatPassedAreTheAgents manages the receivers of push notifications of a task that only its agent knows.
func TestReceiversOfATaskThatPassedAreTheAgents(t *testing.T) {
	w := newWorld(t, passAll)
	store := push.NewInMemoryStore()
	w.addSDKAgent(t, "pushing", a2asrv.WithPushNotifications(store, push.NewHTTPPushSender(nil)))
	for _, binding := range bindings {
		t.Run(string(binding), func(t *testing.T) {
			c := w.client(t, "/agents/pushing", binding)
			task := send(t, w, c, &a2a.SendMessageRequest{Message: text("hi", nil)})
			const url = "https://receiver.example/push"
			made, err := c.CreateTaskPushConfig(w.ctx, &a2a.PushConfig{TaskID: task.ID, ID: "mine", URL: url})
			if err != nil || made.ID != "mine" {
				t.Fatalf("CreateTaskPushConfig() = %+v, %v, want the agent's", made, err)
			}
			if kept, err := store.Get(w.ctx, task.ID, "mine"); err != nil || kept.URL != url {
				t.Errorf("the agent keeps %+v, %v, want the receiver", kept, err)
			}
			if got, err := c.GetTaskPushConfig(w.ctx, &a2a.GetTaskPushConfigRequest{TaskID: task.ID, ID: "mine"}); err != nil || got.URL != url {
				t.Errorf("GetTaskPushConfig() = %+v, %v, want the agent's", got, err)
			}
			if list, err := c.ListTaskPushConfigs(w.ctx, &a2a.ListTaskPushConfigRequest{TaskID: task.ID}); err != nil || len(list) != 1 {
				t.Errorf("ListTaskPushConfigs() = %+v, %v, want the agent's one", list, err)
			}
			if err := c.DeleteTaskPushConfig(w.ctx, &a2a.DeleteTaskPushConfigRequest{TaskID: task.ID, ID: "mine"}); err != nil {
				t.Errorf("DeleteTaskPushConfig() = %v", err)
			}
			if kept, err := store.Get(w.ctx, task.ID, "mine"); err == nil {
				t.Errorf("the agent keeps %+v, want it gone", kept)
			}
		})
	}
}

// TestACardPromisesWhatTheCallsComeTo reads the card of an agent that has neither streams nor push notifications, which Quorate has for tasks it
// tracks.
func TestACardPromisesWhatTheCallsComeTo(t *testing.T) {
	for pass, want := range map[bool]string{true: `"capabilities":{"streaming":false,"pushNotifications":false,`, false: `"capabilities":{"streaming":true,"pushNotifications":true,`} {
		t.Run(fmt.Sprintf("passing %t", pass), func(t *testing.T) {
			var w *world
			if pass {
				w = newWorld(t, passAll)
			} else {
				w = newWorld(t)
			}
			w.addSDKAgent(t, "poor")
			if got := w.call(t, "GET", "/agents/poor/.well-known/agent-card.json", "", nil); !strings.Contains(got.body, want) {
				t.Errorf("card = %s, want %s in it", got.body, want)
			}
		})
	}
}
