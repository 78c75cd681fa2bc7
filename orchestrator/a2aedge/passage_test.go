package a2aedge_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/agents/echo"
	"github.com/quorate/quorate/agents/kit/kittest"
	"github.com/quorate/quorate/orchestrator/dev"
	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
)

func passAll(cfg *dev.Config) { cfg.Agents.PassThrough = []string{"*"} }

// TestCallsThatNothingAppliesToPass sends to an agent without rules over every binding: the agent answers as if it were asked directly, and Quorate
// keeps nothing.
func TestCallsThatNothingAppliesToPass(t *testing.T) {
	w := newWorld(t, passAll)
	for _, binding := range bindings {
		t.Run(string(binding), func(t *testing.T) {
			c := w.client(t, "/agents/echo", binding)
			task := send(t, w, c, &a2a.SendMessageRequest{Message: text("hello", nil)})
			if artifactText(task) != "hello" || task.Metadata[taskExtension] != nil {
				t.Errorf("SendMessage() = %+v, want the agent's own task", task)
			}
			got, err := c.GetTask(w.ctx, &a2a.GetTaskRequest{ID: task.ID})
			if err != nil || artifactText(got) != "hello" {
				t.Errorf("GetTask() = %+v, %v, want the agent's own task", got, err)
			}
			if got := w.call(t, "GET", "/v1/tasks/"+string(task.ID), "", nil); got.code != 404 {
				t.Errorf("Quorate keeps the task: %d %s", got.code, got.body)
			}
			events := collect(t, c.SendStreamingMessage(w.ctx, &a2a.SendMessageRequest{Message: text("sleep 60ms streamed", nil)}))
			wantStream(t, events, a2a.TaskStateCompleted, "streamed")
			hung := send(t, w, c, &a2a.SendMessageRequest{Message: text("hang", nil), Config: &a2a.SendMessageConfig{ReturnImmediately: true}})
			if got, err := c.CancelTask(w.ctx, &a2a.CancelTaskRequest{ID: hung.ID}); err != nil || got.Status.State != a2a.TaskStateCanceled {
				t.Errorf("CancelTask() = %+v, %v, want canceled", got, err)
			}
			if _, err := c.GetTask(w.ctx, &a2a.GetTaskRequest{ID: "absent"}); err == nil {
				t.Error("GetTask(absent) = nil, want the agent's own error")
			}
		})
	}
}

// TestWhatHasToBeTrackedIsTracked has everything pass that may, and looks at what may not.
func TestWhatHasToBeTrackedIsTracked(t *testing.T) {
	w := newWorld(t, passAll)
	recommended := &registryv1.AgentMetadata{ConsultationRequirements: []*registryv1.ConsultationRequirement{{Id: "r", TargetAgent: "reviewer", Phase: "pre-completion"}}}
	w.addEcho(t, "advised", recommended)
	w.addEcho(t, "asked", nil)
	w.addEcho(t, "asking", &registryv1.AgentMetadata{ConsultationRequirements: []*registryv1.ConsultationRequirement{{Id: "r", TargetAgent: "asked", Phase: "pre-completion"}}})
	w.addEcho(t, "strict", &registryv1.AgentMetadata{InputSchemas: []*registryv1.InputSchema{{
		Name: "topic", SemanticType: "reference", ValidationRules: []*registryv1.ValidationRule{{Type: "length", Value: structpb.NewNumberValue(500), Message: "too long"}},
	}}})
	schema, err := structpb.NewStruct(map[string]any{"maxLength": 500})
	if err != nil {
		t.Fatal(err)
	}
	w.addEcho(t, "formal", &registryv1.AgentMetadata{InputSchemas: []*registryv1.InputSchema{{Name: "topic", SemanticType: "reference", JsonSchema: schema}}})
	w.addEcho(t, "demanding", &registryv1.AgentMetadata{InputSchemas: []*registryv1.InputSchema{{Name: "topic", SemanticType: "reference", Required: new(true)}}})
	for _, binding := range bindings {
		for name, test := range map[string]struct {
			base string
			word map[string]any
		}{
			"an agent with a mandatory rule":      {"/agents/careful", nil},
			"an agent with a recommended rule":    {"/agents/advised", nil},
			"an agent that others have consulted": {"/agents/asked", nil},
			"an agent whose inputs have rules":    {"/agents/strict", nil},
			"an agent whose input has a schema":   {"/agents/formal", nil},
			"an agent that requires an input":     {"/agents/demanding", nil},
			"a message with Quorate's word in it": {"/agents/echo", map[string]any{"attributes": map[string]any{"sensitive": true}}},
			"a message to Quorate":                {"", map[string]any{"route": map[string]any{"agent": "echo"}}},
		} {
			t.Run(string(binding)+" "+name, func(t *testing.T) {
				c := w.client(t, test.base, binding)
				task := send(t, w, c, &a2a.SendMessageRequest{Message: text("hi", test.word)})
				if task.Metadata[taskExtension] == nil {
					t.Errorf("SendMessage() = %+v, want a task that Quorate tracks", task)
				}
				got, err := c.GetTask(w.ctx, &a2a.GetTaskRequest{ID: task.ID})
				if err != nil || got.Metadata[taskExtension] == nil {
					t.Errorf("GetTask() = %+v, %v, want the tracked task", got, err)
				}
				more := text("more", nil)
				more.TaskID = task.ID
				if _, err := c.SendMessage(w.ctx, &a2a.SendMessageRequest{Message: more}); !errors.Is(err, a2a.ErrUnsupportedOperation) {
					t.Errorf("SendMessage() to the tracked task, which has ended = %v, want %v: the agent does not know it", err, a2a.ErrUnsupportedOperation)
				}
			})
		}
	}
}

func TestOnlyTheAgentsPassThatTheOperatorNamed(t *testing.T) {
	w := newWorld(t, func(cfg *dev.Config) { cfg.Agents.PassThrough = []string{"named"} })
	w.addEcho(t, "named", nil)
	for _, binding := range bindings {
		for name, tracked := range map[string]bool{"named": false, "echo": true} {
			task := send(t, w, w.client(t, "/agents/"+name, binding), &a2a.SendMessageRequest{Message: text("hi", nil)})
			if (task.Metadata[taskExtension] != nil) != tracked {
				t.Errorf("SendMessage() to %s over %s = %+v, want it tracked: %t", name, binding, task, tracked)
			}
		}
	}
}

// TestACallDoesNotPassToAnAgentOfAnotherVersion sends in A2A 1.0 to an agent that speaks 0.3 only: as it came, it would understand nothing.
func TestACallDoesNotPassToAnAgentOfAnotherVersion(t *testing.T) {
	w := newWorld(t, passAll)
	for name, version := range map[string]string{"old": "0.3.0", "older": "0.3"} {
		var asked atomic.Value
		agent := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodPost { // the registry looks whether the agent is up
				http.NotFound(rw, r)
				return
			}
			var call struct{ Method string }
			_ = json.NewDecoder(r.Body).Decode(&call) // otherwise it is none that is expected
			asked.Store(call.Method)
			_, _ = io.WriteString(rw, `{"jsonrpc":"2.0","id":"1","result":{"kind":"message","messageId":"a","role":"agent","parts":[{"kind":"text","text":"hello"}]}}`)
		}))
		t.Cleanup(agent.Close)
		card := `{"name":"` + name + `","description":"d","version":"1.0.0","capabilities":{},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],
			"skills":[{"id":"s","name":"s","description":"s","tags":["t"]}],"url":"` + agent.URL + `","protocolVersion":"` + version + `","preferredTransport":"JSONRPC"}`
		if made := w.call(t, "POST", "/v1/agents:register", `{"card":`+card+`}`, nil); made.code != 200 {
			t.Fatalf("register = %d %s", made.code, made.body)
		}
		for _, binding := range bindings {
			task := send(t, w, w.client(t, "/agents/"+name, binding), &a2a.SendMessageRequest{Message: text("hi", nil)})
			if artifactText(task) != "hello" || task.Metadata[taskExtension] == nil {
				t.Errorf("SendMessage() to %s over %s = %+v, want its answer in a task that Quorate tracks", name, binding, task)
			}
			if method := asked.Load(); method != "message/stream" && method != "message/send" {
				t.Errorf("%s was asked for %v over %s, want it asked in A2A 0.3", name, method, binding)
			}
		}
	}
}

// TestAWordInEscapesIsAWord writes Quorate's word as encoders do that escape slashes, PHP's among them.
func TestAWordInEscapesIsAWord(t *testing.T) {
	w := newWorld(t, passAll)
	for word, tracked := range map[string]bool{
		strings.ReplaceAll(taskExtension, "/", `\/`):                           true,
		strings.Replace(taskExtension, "q", `\u0071`, 1):                       true,
		`a \"quoted\" word`:                                                    false,
		strings.ReplaceAll(taskExtension+"/of/b", "/", `\/`):                   false,
		`other":{"` + strings.ReplaceAll(taskExtension, "/", `\/`) + `":1},"x`: false,
	} {
		got := w.call(t, "POST", "/agents/echo", `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{
			"messageId":"m","role":"ROLE_USER","parts":[{"text":"hi"}],"metadata":{"`+word+`":{}}}}}`, nil)
		var answer struct {
			Result struct{ Task struct{ ID string } }
		}
		if err := json.Unmarshal([]byte(got.body), &answer); err != nil || answer.Result.Task.ID == "" {
			t.Fatalf("SendMessage() with %s = %d %s, want a task", word, got.code, got.body)
		}
		if kept := w.call(t, "GET", "/v1/tasks/"+answer.Result.Task.ID, "", nil); (kept.code == 200) != tracked {
			t.Errorf("SendMessage() with %s: Quorate says of the task %d %s, want it tracked: %t", word, kept.code, kept.body, tracked)
		}
	}
}

// TestAPassageIsNoSecondDoor has what any call has to show.
func TestAPassageIsNoSecondDoor(t *testing.T) {
	w := newWorld(t, passAll)
	issued, err := registryv1.NewRegistryServiceClient(w.conn).IssueAgentToken(w.ctx, &registryv1.IssueAgentTokenRequest{Name: "echo"})
	if err != nil {
		t.Fatal(err)
	}
	body := `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}}`
	for name, test := range map[string]struct {
		headers map[string]string
		body    string
		code    int
		want    string
	}{
		"no token":             {map[string]string{"Authorization": ""}, body, 401, "TOKEN_MISSING"},
		"an agent's token":     {map[string]string{"Authorization": "Bearer " + issued.GetToken()}, body, 403, "ROLE_MISSING"},
		"a version to come":    {map[string]string{"A2A-Version": "99.0"}, body, 200, "VERSION_NOT_SUPPORTED"},
		"no version":           {map[string]string{"A2A-Version": ""}, body, 200, "VERSION_NOT_SUPPORTED"},
		"another content type": {map[string]string{"Content-Type": "text/plain"}, body, 200, "CONTENT_TYPE_NOT_SUPPORTED"},
		"another agent's":      {nil, strings.Replace(body, `"params":{`, `"params":{"tenant":"careful",`, 1), 200, "is not the agent of this URL"},
		"a body beyond bounds": {nil, strings.Replace(body, `"x"`, `"`+strings.Repeat("x", 5<<20)+`"`, 1), 413, ""},
		"what is no JSON":      {nil, body[1:], 200, "-32700"},
		"a list":               {nil, `{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{}}`, 200, `"totalSize":0`},
		"the agent's tenant":   {nil, strings.Replace(body, `"params":{`, `"params":{"tenant":"echo",`, 1), 200, "TASK_STATE_"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := w.call(t, "POST", "/agents/echo", test.body, test.headers); got.code != test.code || !strings.Contains(got.body, test.want) {
				t.Errorf("answer = %d %.300s, want %d with %s", got.code, got.body, test.code, test.want)
			}
		})
	}
	stub := a2apb.NewA2AServiceClient(w.conn)
	req := &a2apb.SendMessageRequest{Tenant: "echo", Message: &a2apb.Message{MessageId: "m", Role: a2apb.Role_ROLE_USER, Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: "x"}}}}}
	if _, err := stub.SendMessage(w.ctx, req); err == nil || !strings.Contains(err.Error(), "0.3") {
		t.Errorf("SendMessage() without a version = %v, want it refused", err)
	}
	if _, err := stub.SendMessage(metadata.AppendToOutgoingContext(t.Context(), "a2a-version", "1.0"), req); err == nil || !strings.Contains(err.Error(), "Authorization") {
		t.Errorf("SendMessage() without a token = %v, want it refused", err)
	}
}

// TestNothingPassesToAnAgentThatGetsNoTasks has an agent that is drained, and one whose card turns out to be signed by somebody else than it says.
func TestNothingPassesToAnAgentThatGetsNoTasks(t *testing.T) {
	w := newWorld(t, passAll)
	w.addForged(t, "forged")
	agents := registryv1.NewRegistryServiceClient(w.conn)
	public, _, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	jwk, err := structpb.NewStruct(map[string]any{"kty": "OKP", "crv": "Ed25519", "kid": "k", "x": base64.RawURLEncoding.EncodeToString(public)})
	if err != nil {
		t.Fatal(err)
	}
	for name, shut := range map[string]func() error{
		"echo": func() error {
			_, err := agents.DrainAgent(w.ctx, &registryv1.DrainAgentRequest{Name: "echo"})
			return err
		},
		"forged": func() error {
			_, err := agents.PinSigningKey(w.ctx, &registryv1.PinSigningKeyRequest{Jwk: jwk})
			return err
		},
	} {
		send := func() string {
			return w.call(t, "POST", "/agents/"+name, `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}}`, nil).body
		}
		if got := send(); !strings.Contains(got, `"result"`) {
			t.Errorf("SendMessage() to %s = %s, want it to pass", name, got)
		}
		if err := shut(); err != nil {
			t.Fatal(err)
		}
		if got := send(); !strings.Contains(got, "NO_AGENT_AVAILABLE") {
			t.Errorf("SendMessage() to %s then = %s, want NO_AGENT_AVAILABLE", name, got)
		}
	}
}

// addForged registers an echo agent with a card that says that the key k has signed it.
func (w *world) addForged(t *testing.T, name string) {
	t.Helper()
	cfg := echo.New().Config()
	cfg.Name = name
	resp, err := http.Get(kittest.Start(t, cfg).CardURL()) //nolint:noctx // it is this process
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var card map[string]any
	if err := json.NewDecoder(resp.Body).Decode(&card); err != nil {
		t.Fatal(err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	card["signatures"] = []any{map[string]any{"protected": encode([]byte(`{"alg":"EdDSA","kid":"k"}`)), "signature": encode(make([]byte, ed25519.SignatureSize))}}
	signed, err := structpb.NewStruct(card)
	if err != nil {
		t.Fatal(err)
	}
	_, err = registryv1.NewRegistryServiceClient(w.conn).RegisterAgent(w.ctx, &registryv1.RegisterAgentRequest{Source: &registryv1.RegisterAgentRequest_Card{Card: signed}})
	if err != nil {
		t.Fatalf("RegisterAgent(%s) = %v", name, err)
	}
}

// TestBytesPassAsTheyAre has a hand-made agent keep what it gets and answer what no decoder knows.
func TestBytesPassAsTheyAre(t *testing.T) {
	w := newWorld(t, passAll)
	var mu sync.Mutex
	var got, authorization string
	const result = `{"jsonrpc":"2.0", "id":"i-1","result":{"message":{"messageId":"a","role":"ROLE_AGENT","parts":[{"text":"yes"}], "newIn":"1.1"}}}`
	agent := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost { // the registry looks whether the agent is up
			http.NotFound(rw, r)
			return
		}
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		got, authorization = string(body), r.Header.Get("Authorization")
		rw.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(rw, result)
	}))
	t.Cleanup(agent.Close)
	w.addBare(t, agent.URL)
	params := `"message": {"messageId":"m",  "role":"ROLE_USER","parts":[{"text":"a \"quoted\" {brace}\u00e9"}],"newIn":[1, {"x":"}"}]}`
	sent := `{"id":"i-1", "method":"SendMessage","jsonrpc":"2.0","params": {"tenant":"bare", ` + params + ` },"extra":true}`
	answered := w.call(t, "POST", "/agents/bare", sent, nil)
	if answered.body != result {
		t.Errorf("the answer is %s, want it as the agent gave it: %s", answered.body, result)
	}
	mu.Lock()
	defer mu.Unlock()
	if want := `{"jsonrpc":"2.0","id":"i-1","method":"SendMessage","params":{` + params + `,"tenant":"behind"}}`; got != want {
		t.Errorf("the agent got %s, want the parameters' own bytes: %s", got, want)
	}
	if authorization != "" {
		t.Error("the agent got the caller's credential")
	}
}

// addBare registers a hand-made agent that speaks JSON-RPC.
func (w *world) addBare(t *testing.T, url string) {
	t.Helper()
	w.register(t, "bare", url, "JSONRPC")
}

// register registers a hand-made agent.
func (w *world) register(t *testing.T, name, url, binding string) {
	t.Helper()
	card := `{"name":"` + name + `","description":"d","version":"1.0.0","capabilities":{"streaming":true},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],
		"skills":[{"id":"s","name":"s","description":"s","tags":["t"]}],"supportedInterfaces":[{"url":"` + url + `","protocolBinding":"` + binding + `","protocolVersion":"1.0","tenant":"behind"}]}`
	if made := w.call(t, "POST", "/v1/agents:register", `{"card":`+card+`}`, nil); made.code != 200 {
		t.Fatalf("register = %d %s", made.code, made.body)
	}
}

// TestAStreamThatBreaksAtTheAgentDoesNotEndWell has an agent die between two events, and amid one.
func TestAStreamThatBreaksAtTheAgentDoesNotEndWell(t *testing.T) {
	w := newWorld(t, passAll)
	const first = `data: {"jsonrpc":"2.0","id":7,"result":{"task":{"id":"t"}}}` + "\n\n"
	var said atomic.Pointer[string]
	agent := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost { // the registry looks whether the agent is up
			http.NotFound(rw, r)
			return
		}
		rw.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(rw, *said.Load())
		_ = http.NewResponseController(rw).Flush()
		panic(http.ErrAbortHandler)
	}))
	t.Cleanup(agent.Close)
	w.addBare(t, agent.URL)
	for name, rest := range map[string]string{"between two events": "", "amid an event": `data: {"jsonrpc":"2.0","id":7,"res`} {
		said.Store(new(first + rest))
		got := w.call(t, "POST", "/agents/bare", `{"jsonrpc":"2.0","id":7,"method":"SendStreamingMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}}`, nil)
		if !strings.HasPrefix(got.body, first+rest+"\n\n"+`data: {"jsonrpc":"2.0","id":7,"error":{`) || !strings.Contains(got.body, "AGENT_UNREACHABLE") {
			t.Errorf("a stream that breaks %s = %d %q, want what the agent said and an error", name, got.code, got.body)
		}
	}
}
