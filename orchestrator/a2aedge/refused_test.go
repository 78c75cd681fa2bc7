package a2aedge_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// TestWhatTheServerRefusesHasTheFormOfItsBinding sends what is refused before it is read: clients look for the reason where their binding has it.
func TestWhatTheServerRefusesHasTheFormOfItsBinding(t *testing.T) {
	w := newWorld(t)
	large := `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"` + strings.Repeat("x", 5<<20) + `"}}`
	for name, test := range map[string]struct {
		body, host string
		length     int64
		status     int
		rpc        int
		reason     string
	}{
		"a body that is too large":        {large, "", int64(len(large)), 413, -32602, "BODY_TOO_LARGE"},
		"one that does not say how large": {large, "", -1, 413, -32602, "BODY_TOO_LARGE"},
		"a host that is none of ours":     {"{}", "evil.example", 2, 421, -31403, "HOST_DENIED"},
	} {
		for path, code := range map[string]int{"/agents/echo": test.rpc, "/agents/echo/message:send": test.status, "/a2a/": test.rpc, "/a2a/message:send": test.status} {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.http+path, strings.NewReader(test.body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header = http.Header{"Authorization": {"Bearer " + w.token}, "A2a-Version": {"1.0"}, "Content-Type": {"application/json"}}
			req.Host, req.ContentLength = test.host, test.length
			got := w.send(t, req)
			failure, _ := got.object(t)["error"].(map[string]any)
			if got.code != test.status || failure["code"] != float64(code) || !strings.Contains(got.body, `"reason":"`+test.reason+`"`) {
				t.Errorf("%s: POST %s = %d %.300s, want %d with error code %d and %s", name, path, got.code, got.body, test.status, code, test.reason)
			}
		}
	}
}

// TestAHeaderThatStandsTwiceIsNone has two values of what a request has one of. Whoever looked at the request before may have read the other one.
func TestAHeaderThatStandsTwiceIsNone(t *testing.T) {
	w := newWorld(t)
	for name, want := range map[string]string{"Authorization": "TOKEN_MISSING", "A2a-Version": "A2A version 1.0, 0.3 is not supported", "Last-Event-Id": "LAST_EVENT_ID_INVALID"} {
		sent := w.call(t, "POST", "/agents/echo/message:send", `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}`, nil)
		var task struct{ Task struct{ ID string } }
		if err := json.Unmarshal([]byte(sent.body), &task); err != nil {
			t.Fatal(err)
		}
		values := map[string][]string{"Authorization": {"Bearer " + w.token}, "A2a-Version": {"1.0"}, "Content-Type": {"application/json"}, "Last-Event-Id": {"1"}}
		values[name] = append(values[name], map[string]string{"Authorization": "Bearer x", "A2a-Version": "0.3", "Last-Event-Id": "2"}[name])
		for path, body := range map[string]string{
			"/agents/echo": `{"jsonrpc":"2.0","id":1,"method":"SubscribeToTask","params":{"id":"` + task.Task.ID + `"}}`, "/agents/echo/tasks/" + task.Task.ID + ":subscribe": "",
		} {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.http+path, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header = values
			if got := w.send(t, req); !strings.Contains(got.body, want) {
				t.Errorf("POST %s with two of %s = %d %.300s, want %s", path, name, got.code, got.body, want)
			}
		}
		var pairs []string
		for key, list := range values {
			for _, value := range list {
				pairs = append(pairs, key, value)
			}
		}
		ctx := metadata.AppendToOutgoingContext(t.Context(), pairs...)
		stream, err := a2apb.NewA2AServiceClient(w.conn).SubscribeToTask(ctx, &a2apb.SubscribeToTaskRequest{Id: task.Task.ID})
		if err == nil {
			_, err = stream.Recv()
		}
		if err == nil || !strings.Contains(reasonOf(status.Convert(err))+err.Error(), want) {
			t.Errorf("SubscribeToTask() with two of %s = %v, want %s", name, err, want)
		}
	}
}

// TestAQueryThatCannotBeReadIsRefused has queries of which net/http leaves out what it cannot read: a list without its filter has all tasks.
func TestAQueryThatCannotBeReadIsRefused(t *testing.T) {
	w := newWorld(t)
	for _, query := range []string{"contextId=a%zz", "contextId=a;pageSize=1", "status=%"} {
		if got := w.call(t, "GET", "/a2a/tasks?"+query, "", nil); got.code != http.StatusBadRequest || !strings.Contains(got.body, "the query is not valid") {
			t.Errorf("GET tasks?%s = %d %.200s, want 400", query, got.code, got.body)
		}
	}
}

// verbose is an agent that answers more than anybody takes.
type verbose struct {
	a2apb.UnimplementedA2AServiceServer
}

func (verbose) SendMessage(context.Context, *a2apb.SendMessageRequest) (*a2apb.SendMessageResponse, error) {
	words := &a2apb.Part{Content: &a2apb.Part_Text{Text: strings.Repeat("x", 9<<20)}}
	return &a2apb.SendMessageResponse{Payload: &a2apb.SendMessageResponse_Message{Message: &a2apb.Message{MessageId: "a", Parts: []*a2apb.Part{words}}}}, nil
}

// TestAnAgentThatAnswersNonsenseIsNotTheCallersMistake has calls pass to agents whose answers nobody can pass on.
func TestAnAgentThatAnswersNonsenseIsNotTheCallersMistake(t *testing.T) {
	w := newWorld(t, passAll)
	page := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(rw, "<html>hello</html>") }))
	t.Cleanup(page.Close)
	w.addBare(t, page.URL)
	const sent = `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}}`
	if got := w.call(t, "POST", "/agents/bare", sent, nil); got.code != 200 || !strings.Contains(got.body, `"code":-32006`) || !strings.Contains(got.body, "INVALID_AGENT_RESPONSE") {
		t.Errorf("SendMessage() = %d %s, want -32006 INVALID_AGENT_RESPONSE", got.code, got.body)
	}
	w.addHandMade(t, "verbose", verbose{})
	ctx := metadata.AppendToOutgoingContext(w.ctx, "a2a-version", "1.0")
	_, err := a2apb.NewA2AServiceClient(w.conn).SendMessage(ctx, &a2apb.SendMessageRequest{Tenant: "verbose", Message: &a2apb.Message{MessageId: "m"}})
	if st := status.Convert(err); st.Code() != codes.Internal || reasonOf(st) != "INVALID_AGENT_RESPONSE" {
		t.Errorf("SendMessage() = %v, want INTERNAL with INVALID_AGENT_RESPONSE", err)
	}
	if got := w.call(t, "POST", "/agents/verbose/message:send", `{"message":{"messageId":"m"}}`, nil); got.code != 500 || !strings.Contains(got.body, "INVALID_AGENT_RESPONSE") {
		t.Errorf("message:send = %d %s, want 500 INVALID_AGENT_RESPONSE", got.code, got.body)
	}
}
