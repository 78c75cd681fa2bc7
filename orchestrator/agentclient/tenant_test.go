package agentclient_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/registry/agentcard"
)

// tenants is an agent that keeps which tenant it was last called for, and does nothing.
type tenants struct {
	a2apb.UnimplementedA2AServiceServer
	last string
}

func (a *tenants) note(tenant string) error {
	a.last = tenant
	return status.Error(codes.Unimplemented, "no")
}

func (a *tenants) SendMessage(_ context.Context, r *a2apb.SendMessageRequest) (*a2apb.SendMessageResponse, error) {
	return nil, a.note(r.GetTenant())
}

func (a *tenants) SendStreamingMessage(r *a2apb.SendMessageRequest, _ grpc.ServerStreamingServer[a2apb.StreamResponse]) error {
	return a.note(r.GetTenant())
}

func (a *tenants) SubscribeToTask(r *a2apb.SubscribeToTaskRequest, _ grpc.ServerStreamingServer[a2apb.StreamResponse]) error {
	return a.note(r.GetTenant())
}

func (a *tenants) GetTask(_ context.Context, r *a2apb.GetTaskRequest) (*a2apb.Task, error) {
	return nil, a.note(r.GetTenant())
}

func (a *tenants) CancelTask(_ context.Context, r *a2apb.CancelTaskRequest) (*a2apb.Task, error) {
	return nil, a.note(r.GetTenant())
}

func (a *tenants) ListTasks(_ context.Context, r *a2apb.ListTasksRequest) (*a2apb.ListTasksResponse, error) {
	return nil, a.note(r.GetTenant())
}

func (a *tenants) CreateTaskPushNotificationConfig(_ context.Context, r *a2apb.TaskPushNotificationConfig) (*a2apb.TaskPushNotificationConfig, error) {
	return nil, a.note(r.GetTenant())
}

// ServeHTTP takes the tenant of JSON-RPC from the parameters and that of HTTP+JSON from the path.
func (a *tenants) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body struct{ Params struct{ Tenant string } }
	_ = json.NewDecoder(r.Body).Decode(&body) // a GET has none
	path, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	_ = a.note(path + body.Params.Tenant)
	w.WriteHeader(http.StatusNotImplemented)
}

// TestTheTenantOfAnInterfaceIsNamedInEveryCall has agents that serve several tenants at one URL: without its name a call is for another one.
func TestTheTenantOfAnInterfaceIsNamedInEveryCall(t *testing.T) {
	t.Parallel()
	ignore := func(*a2apb.StreamResponse) error { return nil }
	calls := map[string]func(agentclient.Client) error{
		"Send":         func(c agentclient.Client) error { return c.Send(t.Context(), message("m", "x"), false, ignore) },
		"Send(stream)": func(c agentclient.Client) error { return c.Send(t.Context(), message("m", "x"), true, ignore) },
		"Subscribe":    func(c agentclient.Client) error { return c.Subscribe(t.Context(), "t", ignore) },
		"Task":         func(c agentclient.Client) error { _, err := c.Task(t.Context(), "t", 0); return err },
		"Cancel":       func(c agentclient.Client) error { _, err := c.Cancel(t.Context(), "t", nil); return err },
		"Find": func(c agentclient.Client) error {
			_, err := c.(agentclient.Finder).Find(t.Context(), "m", time.Unix(1, 0))
			return err
		},
		"Announce": func(c agentclient.Client) error {
			return c.(agentclient.Announcer).Announce(t.Context(), "t", "https://example.com")
		},
	}
	for _, binding := range bindings {
		agent := &tenants{}
		server := httptest.NewServer(agent)
		t.Cleanup(server.Close)
		url := server.URL
		if binding == agentcard.BindingGRPC {
			url = serveGRPC(t, agent)
		}
		c, _, err := pool(t).Connect("agent", agentcard.Card{Interfaces: []agentcard.Interface{{URL: url, Binding: binding, ProtocolVersion: "1.0", Tenant: "acme"}}})
		if err != nil {
			t.Fatal(err)
		}
		for name, call := range calls {
			agent.last = ""
			if err := call(c); err == nil || agent.last != "acme" {
				t.Errorf("%s() over %s = %v for the tenant %q, want acme", name, binding, err, agent.last)
			}
		}
	}
}
