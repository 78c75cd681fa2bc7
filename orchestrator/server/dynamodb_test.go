package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/orchestrator/server"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/platform/dynamotest"
	"github.com/quorate/quorate/platform/netguard"
	"github.com/quorate/quorate/platform/tasks"
	"github.com/quorate/quorate/platform/telemetry"
	"github.com/quorate/quorate/registry"
)

func TestMain(m *testing.M) { os.Exit(dynamotest.Main(m)) }

// writes counts the items that are written to each table.
type writes struct {
	mu    sync.Mutex
	items map[string]int // guarded by mu
	bytes map[string]int // guarded by mu; of the requests
}

func (w *writes) RoundTrip(r *http.Request) (*http.Response, error) {
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var request struct {
		TableName    string
		RequestItems map[string][]json.RawMessage
	}
	switch operation {
	case "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems":
		if err := json.Unmarshal(body, &request); err != nil {
			return nil, err
		}
		w.mu.Lock()
		if request.TableName != "" {
			w.items[request.TableName]++
			w.bytes[request.TableName] += len(body)
		}
		for table, list := range request.RequestItems {
			w.items[table] += len(list)
		}
		w.mu.Unlock()
	}
	return http.DefaultTransport.RoundTrip(r)
}

// of returns how many items were written to the tables of tasks, and how large the requests were.
func (w *writes) of(db *ddb.Client) (states, records, size int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	tasksTable, blobs := *db.Table("Tasks"), *db.Table("TaskBlobs")
	return w.items[tasksTable], w.items[blobs], w.bytes[tasksTable] + w.bytes[blobs]
}

// A small task to an agent without rules: accepted with the intent to send, and ended with what the agent said.
func TestASmallTaskTakesAtMostFourWrites(t *testing.T) {
	t.Parallel()
	counted := &writes{items: make(map[string]int), bytes: make(map[string]int)}
	db := dynamotest.Open(t, nil)
	if err := db.Apply(t.Context(), server.Tables(), nil); err != nil {
		t.Fatalf("Apply() = %v, want no error", err)
	}
	s := startServer(t, ddb.Config{
		Endpoint: dynamotest.Endpoint(t), TablePrefix: strings.TrimSuffix(*db.Table("Tasks"), "Tasks"), Transport: counted,
	})
	if _, _, err := s.Registry.Register(t.Context(), auth.DefaultTenant, registry.Registration{RawCard: startPrompt(t)}); err != nil {
		t.Fatalf("Register() = %v, want no error", err)
	}
	run(t, s) // enters the day, which is one write more for each process and day
	const n = 10
	states, records, size := counted.of(db)
	for range n {
		run(t, s)
	}
	moreStates, moreRecords, moreSize := counted.of(db)
	t.Logf("a small task takes %.1f writes of its item and %.1f of records, %d bytes of requests",
		float64(moreStates-states)/n, float64(moreRecords-records)/n, (moreSize-size)/n)
	if total := moreStates - states + moreRecords - records; total > 4*n {
		t.Errorf("%d small tasks took %d writes, want at most %d", n, total, 4*n)
	}
}

// run has one task done.
func run(t *testing.T, s *server.Server) {
	t.Helper()
	task, err := s.Engine.Submit(t.Context(), engine.Submission{
		Tenant: auth.DefaultTenant, Caller: "tester", Route: orchestrator.Route{Agent: "prompt"},
		Message: &a2apb.Message{Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: "hello"}}}},
	})
	if err != nil {
		t.Fatalf("Submit() = %v, want no error", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	end, err := s.Engine.Watch(ctx, task.Key(), 0, false, func(orchestrator.Event) error { return nil })
	if err != nil || end.State != a2apb.TaskState_TASK_STATE_COMPLETED {
		t.Fatalf("Watch() = %s, %v, want it completed", end.State, err)
	}
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// startServer runs a server over DynamoDB until the test ends.
func startServer(t *testing.T, c ddb.Config) *server.Server {
	t.Helper()
	stores, err := server.OpenDynamoDB(t.Context(), server.DynamoDB{
		Config: c, PageKey: make([]byte, server.PageKeyBytes),
		Lease: time.Hour, // a busy machine may be late with its signs of life: what it accepts meanwhile is written once more
	})
	if err != nil {
		t.Fatalf("OpenDynamoDB() = %v, want no error", err)
	}
	return startOn(t, stores, listen(t))
}

func startOn(t *testing.T, stores *server.Stores, overHTTP net.Listener) *server.Server {
	t.Helper()
	tel, err := telemetry.Setup(t.Context(), telemetry.Config{LogWriter: t.Output(), LogLevel: "warn"})
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(t.Context(), server.Options{
		Stores: stores, Telemetry: tel, Authenticator: auth.NewKeyring(), Policy: &netguard.Policy{AllowLoopback: true}, Receivers: &netguard.Policy{},
		HTTPListener: overHTTP, GRPCListener: listen(t),
	})
	if err != nil {
		t.Fatalf("New() = %v, want no error", err)
	}
	background(t, func(ctx context.Context) error { return tasks.Run(ctx, tel.Logger, s.Tasks()...) }, s.Close, stores.Close)
	return s
}

// background runs something until the test ends, and closes what it needs after it.
func background(t *testing.T, run func(context.Context) error, closers ...func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run() = %v, want no error", err)
		}
		for _, c := range closers {
			if err := c(); err != nil {
				t.Errorf("Close() = %v, want no error", err)
			}
		}
	})
}

// startPrompt runs an agent that says all it has to say at once, and returns its card. What an agent says bit by bit is written together only if it comes
// soon, which a busy machine does not promise.
func startPrompt(t *testing.T) []byte {
	t.Helper()
	agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":"1","result":{"task":{"id":"remote","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"},
			"artifacts":[{"artifactId":"a","parts":[{"text":"hello"}]}]}}}`)
	}))
	t.Cleanup(agent.Close)
	return []byte(`{"name":"prompt","description":"d","version":"1.0.0","capabilities":{},"defaultInputModes":["text/plain"],
		"defaultOutputModes":["text/plain"],"skills":[{"id":"s","name":"s","description":"s","tags":["t"]}],
		"supportedInterfaces":[{"url":"` + agent.URL + `","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`)
}
