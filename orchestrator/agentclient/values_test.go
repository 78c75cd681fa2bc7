package agentclient_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"

	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/agentcard"
)

// answers is an agent over gRPC that has one task.
type answers struct {
	a2apb.UnimplementedA2AServiceServer

	task *a2apb.Task
}

func (a answers) GetTask(context.Context, *a2apb.GetTaskRequest) (*a2apb.Task, error) {
	return a.task, nil
}

// serveGRPC serves an agent over gRPC and returns its host and port.
func serveGRPC(t *testing.T, a a2apb.A2AServiceServer, opts ...grpc.ServerOption) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer(opts...)
	a2apb.RegisterA2AServiceServer(server, a)
	go func() { _ = server.Serve(listener) }() // Stop ends it
	t.Cleanup(server.Stop)
	return listener.Addr().String()
}

// serveJSON serves the same answer to every request and returns its URL.
func serveJSON(t *testing.T, answer string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(answer))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// asked returns what came of asking an agent for its task.
func asked(t *testing.T, at agentcard.Interface) error {
	t.Helper()
	c, _, err := pool(t).Connect("agent", agentcard.Card{Interfaces: []agentcard.Interface{at}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Task(t.Context(), "r", 0)
	return err
}

// TestAnAnswerHasNoMoreValuesThanMemoryIsGoodFor has agents answer with parts of a few bytes, each of which takes a hundred in memory.
func TestAnAnswerHasNoMoreValuesThanMemoryIsGoodFor(t *testing.T) {
	t.Parallel()
	const parts = 300_000
	task := &a2apb.Task{Id: "r", Artifacts: []*a2apb.Artifact{{Parts: slices.Repeat([]*a2apb.Part{{}}, parts)}}}
	said := `{"id":"r","kind":"task","artifacts":[{"artifactId":"a","parts":[{}` + strings.Repeat(",{}", parts) + `]}]}`
	for name, at := range map[string]agentcard.Interface{
		"gRPC":         {URL: "http://" + serveGRPC(t, answers{task: task}), Binding: agentcard.BindingGRPC},
		"JSON-RPC":     {URL: serveJSON(t, `{"jsonrpc":"2.0","id":"1","result":`+said+`}`), Binding: agentcard.BindingJSONRPC},
		"HTTP+JSON":    {URL: serveJSON(t, said), Binding: agentcard.BindingHTTPJSON},
		"JSON-RPC 0.3": {URL: serveJSON(t, `{"jsonrpc":"2.0","id":"1","result":`+said+`}`), Binding: agentcard.BindingJSONRPC, ProtocolVersion: "0.3.0"},
	} {
		if err := asked(t, at); err == nil || !strings.Contains(err.Error(), "more than 262144 values") || agentclient.Retryable(err) {
			t.Errorf("Task() over %s = %v, want an error that says how many values there are at most", name, err)
		}
	}
}

// TestAnAnswerThatIsTooLargeIsNotTakenForAnAgentThatIsAway asks for tasks that are larger than answers may be.
func TestAnAnswerThatIsTooLargeIsNotTakenForAnAgentThatIsAway(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("x", 9<<20)
	task := &a2apb.Task{Id: "r", Artifacts: []*a2apb.Artifact{{Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: large}}}}}}
	for name, at := range map[string]agentcard.Interface{
		"gRPC":      {URL: "http://" + serveGRPC(t, answers{task: task}), Binding: agentcard.BindingGRPC},
		"JSON-RPC":  {URL: serveJSON(t, large), Binding: agentcard.BindingJSONRPC},
		"HTTP+JSON": {URL: serveJSON(t, large), Binding: agentcard.BindingHTTPJSON},
	} {
		limit := "more than 8 MiB"
		if at.Binding == agentcard.BindingGRPC {
			limit = "larger than 8388608 bytes"
		}
		if err := asked(t, at); fault.ReasonOf(err) != agentclient.ReasonAnswerInvalid || !strings.Contains(err.Error(), limit) {
			t.Errorf("Task() over %s = %v, want %s with the limit", name, err, agentclient.ReasonAnswerInvalid)
		}
	}
}
