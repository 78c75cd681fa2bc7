package agentclient_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/agentcard"
)

// old is an agent of A2A 0.3, served by a2a-go's own compatibility layer.
type old struct{}

func (old) Execute(_ context.Context, x *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		task := a2a.NewSubmittedTask(x, x.Message)
		if !yield(task, nil) || !yield(a2a.NewArtifactEvent(x, a2a.NewTextPart("hello from 0.3")), nil) {
			return
		}
		yield(a2a.NewStatusUpdateEvent(x, a2a.TaskStateCompleted, nil), nil)
	}
}

func (old) Cancel(_ context.Context, x *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		yield(a2a.NewStatusUpdateEvent(x, a2a.TaskStateCanceled, nil), nil)
	}
}

func TestAnAgentOfTheOldProtocolIsSpokenTo(t *testing.T) {
	server := httptest.NewServer(a2av0.NewJSONRPCHandler(a2asrv.NewHandler(old{})))
	defer server.Close()
	c, binding, err := pool(t).Connect("old", agentcard.Card{Interfaces: []agentcard.Interface{{URL: server.URL, Binding: "JSONRPC", ProtocolVersion: "0.3.0"}}})
	if err != nil || binding != agentcard.BindingJSONRPC {
		t.Fatalf("Connect() = %s, %v", binding, err)
	}
	for name, stream := range map[string]bool{"streaming": true, "asked once": false} {
		t.Run(name, func(t *testing.T) {
			id := ""
			err := c.Send(t.Context(), message("m-"+name, "hello"), stream, func(r *a2apb.StreamResponse) error {
				if r.GetTask().GetId() != "" {
					id = r.GetTask().GetId()
				}
				return nil
			})
			if err != nil {
				t.Fatalf("Send() = %v", err)
			}
			if got := await(t, c, id).GetArtifacts()[0].GetParts()[0].GetText(); got != "hello from 0.3" {
				t.Errorf("artifact = %q, want hello from 0.3", got)
			}
		})
	}
	if _, err := c.Task(t.Context(), "nosuchtask", 0); fault.ReasonOf(err) != agentclient.ReasonTaskNotFound {
		t.Errorf("Task(unknown) = %v, want %s", err, agentclient.ReasonTaskNotFound)
	}
}

// TestWhatAnAgentOfTheOldProtocolRefusesIsSaid has agents of 0.3 answer with errors. What is refused is not tried again, and what is to be tried
// later is.
func TestWhatAnAgentOfTheOldProtocolRefusesIsSaid(t *testing.T) {
	t.Parallel()
	rpcError := func(code int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":"1","error":{"code":%d,"message":"not today"}}`, code)
	}
	for name, tt := range map[string]struct {
		status     int
		mediaType  string
		body, want string
		wait       time.Duration
	}{
		"a method that it has not":       {200, "application/json", rpcError(-32601), agentclient.ReasonRefused, 0},
		"a code of its own":              {200, "application/json", rpcError(-32050), agentclient.ReasonRefused, 0},
		"an error in the stream":         {200, "text/event-stream", "data: " + rpcError(-32005) + "\n\n", agentclient.ReasonRefused, 0},
		"an error behind HTTP's":         {400, "application/json", rpcError(-32602), agentclient.ReasonRefused, 0},
		"a task that it does not know":   {404, "application/json", rpcError(-32001), agentclient.ReasonTaskNotFound, 0},
		"a path that it does not know":   {404, "text/plain", "not today", agentclient.ReasonRefused, 0},
		"a caller that it does not know": {401, "application/json", rpcError(-32000), agentclient.ReasonDenied, 0},
		"that it is busy":                {503, "text/plain", "not today", agentclient.ReasonUnreachable, 7 * time.Second},
		"that it is busy, as an error":   {429, "application/json", rpcError(-32603), agentclient.ReasonUnreachable, 7 * time.Second},
		"what is no JSON":                {200, "application/json", "not today", agentclient.ReasonAnswerInvalid, 0},
		"what is no event":               {200, "application/json", `{"jsonrpc":"2.0","id":"1","result":{"kind":"not today"}}`, agentclient.ReasonAnswerInvalid, 0},
	} {
		for _, stream := range []bool{true, false} {
			if !stream && tt.mediaType == "text/event-stream" {
				continue
			}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", tt.mediaType)
				w.Header().Set("Retry-After", "7")
				w.WriteHeader(tt.status)
				_, _ = w.Write([]byte(tt.body))
			}))
			t.Cleanup(server.Close)
			err := oldAgent(t, server.URL).Send(t.Context(), message("m", "hello"), stream, func(*a2apb.StreamResponse) error { return nil })
			f := fault.From(err)
			if f == nil || f.Reason != tt.want || tt.wait > 0 && f.RetryAfter != tt.wait || tt.want != agentclient.ReasonAnswerInvalid && !strings.Contains(err.Error(), "not today") {
				t.Errorf("Send() with stream %t to an agent that answers %s = %v, want %s", stream, name, err, tt.want)
			}
		}
	}
}

// TestAPythonAgentOfTheOldProtocolThatHasForgottenATaskSaysSo plays the answer of a2a-python 1.1 to tasks/get.
func TestAPythonAgentOfTheOldProtocolThatHasForgottenATaskSaysSo(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"jsonrpc":"2.0","id":"1","error":{"code":-32603,"message":"Task not found","data":null}}`))
	}))
	defer server.Close()
	if _, err := oldAgent(t, server.URL).Task(t.Context(), "r1", 0); fault.ReasonOf(err) != agentclient.ReasonTaskNotFound {
		t.Errorf("Task() = %v, want %s", err, agentclient.ReasonTaskNotFound)
	}
}

func oldAgent(t *testing.T, url string) agentclient.Client {
	t.Helper()
	c, _, err := pool(t).Connect("old", agentcard.Card{Interfaces: []agentcard.Interface{{URL: url, Binding: "JSONRPC", ProtocolVersion: "0.3.0"}}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestAnAgentOfTheOldProtocolIsToldTheVersion looks at what goes along with a message, and has an answer with data that 0.3 has no form for.
func TestAnAgentOfTheOldProtocolIsToldTheVersion(t *testing.T) {
	t.Parallel()
	var got http.Header
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.Header
		write(w, "application/json", `{"jsonrpc":"2.0","id":"1","result":{"kind":"message","messageId":"m","role":"agent","parts":[
			{"kind":"data","data":{"value":[1,2]},"metadata":{"data_part_compat":true}}]}}`)
	}))
	t.Cleanup(server.Close)
	var list int
	err := oldAgent(t, server.URL).Send(t.Context(), message("m", "hello"), false, func(r *a2apb.StreamResponse) error {
		list = len(r.GetMessage().GetParts()[0].GetData().GetListValue().GetValues())
		return nil
	})
	if err != nil || list != 2 {
		t.Errorf("Send() = %v with %d items in its data, want two", err, list)
	}
	if got.Get("A2A-Version") != "0.3" || !strings.Contains(got.Get("X-A2A-Extensions"), "consultation") || got.Get("A2A-Extensions") != "" {
		t.Errorf("the agent got the headers %v, want those of A2A 0.3", got)
	}
}

// TestAnAgentOfTheOldProtocolGetsWhatStandsBesideAMessage looks at the params that it gets.
func TestAnAgentOfTheOldProtocolGetsWhatStandsBesideAMessage(t *testing.T) {
	t.Parallel()
	var got struct {
		Params struct {
			Message       struct{ Metadata map[string]any }
			Metadata      map[string]any
			Configuration struct{ AcceptedOutputModes []string }
		}
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Error(err)
		}
		write(w, "application/json", `{"jsonrpc":"2.0","id":"1","result":{"kind":"message","messageId":"m","role":"agent","parts":[]}}`)
	}))
	t.Cleanup(server.Close)
	note := &structpb.Struct{Fields: map[string]*structpb.Value{"note": structpb.NewStringValue("one")}}
	for _, stream := range []bool{true, false} {
		m, err := orchestrator.EmbedRequest(&a2apb.SendMessageRequest{
			Message: message("m", "hello"), Metadata: note, Configuration: &a2apb.SendMessageConfiguration{AcceptedOutputModes: []string{"text/plain"}},
		})
		if err == nil {
			err = oldAgent(t, server.URL).Send(t.Context(), m, stream, func(*a2apb.StreamResponse) error { return nil })
		}
		if p := got.Params; err != nil || p.Metadata["note"] != "one" || !slices.Equal(p.Configuration.AcceptedOutputModes, []string{"text/plain"}) || p.Message.Metadata != nil {
			t.Errorf("Send() = %v with the params %+v, want the note and the output mode beside the message", err, p)
		}
	}
}
