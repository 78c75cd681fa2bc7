package a2aedge_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/quorate/quorate/orchestrator/a2aedge"
)

// FuzzJSONRPC sends any body to both doors and wants one well-formed answer: a response with the request's id and a result or an error, or
// events of that form.
func FuzzJSONRPC(f *testing.F) {
	for _, seed := range []string{
		``, `{}`, `[]`, `null`, `"x"`, `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"x"}}`,
		`{"jsonrpc":"2.0","id":"\u0000","method":"ListTasks","params":{"status":5}}`, `{"jsonrpc":"2.0","id":1e400,"method":"ListTasks","params":null}`,
		`{"jsonrpc":"2.0","id":null,"method":"SendStreamingMessage","params":{"message":{"parts":[{"raw":"!"}]}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"tenant":"other","message":{"metadata":{"a":{"b":[1,{}]}}}}}`,
		`{"jsonrpc":"2.0","id":1,"ID":{},"method":"SubscribeToTask","Params":[]}`, `{"jsonrpc":"2.0","id":1,"id":2,"method":"GetExtendedAgentCard"}`,
		`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":` + strings.Repeat("[", 2000), "\xff\xfe",
		`{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"kind":"message","role":"user","parts":[{"kind":"data","data":{}}]}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"message/stream","params":{"message":{"parts":[null]},"configuration":{"blocking":false}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tasks/resubscribe"}`, `{"jsonrpc":"2.0","id":"\xff","method":"GetTask"}`,
	} {
		f.Add(seed)
	}
	h := a2aedge.NewHandler(a2aedge.HandlerConfig{Service: a2aedge.New(a2aedge.Config{}), Gate: openGate{}, Conn: agreeing{}})
	f.Fuzz(func(t *testing.T, body string) {
		for _, path := range []string{"/a2a", "/agents/echo/"} {
			req := httptest.NewRequestWithContext(t.Context(), "POST", path, strings.NewReader(body))
			req.Header.Set("Content-Type", "application/json")
			rec := httptest.NewRecorder()
			h.ServeHTTP(rec, req)
			answer := strings.TrimSpace(rec.Body.String())
			if rec.Header().Get("Content-Type") == "text/event-stream" {
				answer = strings.TrimPrefix(answer, "data: ")
			}
			wantResponse(t, answer)
		}
	})
}

func wantResponse(t *testing.T, answer string) {
	t.Helper()
	var m map[string]json.RawMessage
	if err := json.Unmarshal([]byte(answer), &m); err != nil {
		t.Fatalf("the answer is no JSON object: %v\n%q", err, answer)
	}
	_, result := m["result"]
	_, failure := m["error"]
	if string(m["jsonrpc"]) != `"2.0"` || m["id"] == nil || result == failure || len(m) != 3 {
		t.Errorf("the answer is no JSON-RPC response: %s", answer)
	}
}

// agreeing is a connection to a service that answers everything with an empty message, and every stream with one.
type agreeing struct{}

func (agreeing) Invoke(context.Context, string, any, any, ...grpc.CallOption) error { return nil }

func (agreeing) NewStream(context.Context, *grpc.StreamDesc, string, ...grpc.CallOption) (grpc.ClientStream, error) {
	return &once{}, nil
}

type once struct {
	grpc.ClientStream
	sent bool
}

func (*once) SendMsg(any) error { return nil }

func (*once) CloseSend() error { return nil }

func (*once) Header() (metadata.MD, error) { return metadata.MD{}, nil }

func (o *once) RecvMsg(any) error {
	if o.sent {
		return io.EOF
	}
	o.sent = true
	return nil
}

// FuzzEnvelopesAreReadTheSame has one reader read what is usual, and the other all.
func FuzzEnvelopesAreReadTheSame(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{}}`, ` { "params" : {"a":[1,"}"]} , "id" : "x\"y" , "method" : "GetTask" , "jsonrpc" : "2.0" } `,
		`{"jsonrpc":"2.0","id":1,"method":"Get\u0054ask","params":{}}`, `{"jsonrpc":"2.0","id":1,"method":5,"params":{}}`, `{"jsonrpc":"2.0","id":1,"method":"","params":{}}`,
		`{"jsonrpc":"2.0","id":1,"m\u0065thod":"GetTask","params":{},"method":"ListTasks"}`, `{"jsonrpc":"2.0","id":null,"method":"GetTask","params":null}`,
		`{"jsonrpc":"2.0","id":1,"id":2,"method":"GetTask","params":{}}`, `{"jsonrpc":"2.\u0030","id":-1e5,"method":"\"GetTask","params":{},"more":[]}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		quick, thorough, ok, err := a2aedge.Envelopes([]byte(body))
		if !ok {
			return
		}
		if diff := cmp.Diff(thorough, quick); diff != "" || err != nil {
			t.Errorf("the quick reader differs from the thorough one, whose error is %v (-thorough +quick):\n%s", err, diff)
		}
	})
}
