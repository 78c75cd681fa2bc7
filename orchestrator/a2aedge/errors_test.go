package a2aedge_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/quorate/quorate/orchestrator/a2aedge"
)

// refusal is one mistake with how each binding answers it.
type refusal struct {
	rpc     string // JSON-RPC method and gRPC method
	params  string // JSON-RPC
	verb    string
	path    string // HTTP+JSON, below the door
	body    string
	headers map[string]string
	want    want
}

type want struct {
	jsonrpc int
	http    int
	reason  string
}

const message = `{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hello"}]`

// TestEachMistakeHasItsError asks the same of JSON-RPC and HTTP+JSON.
func TestEachMistakeHasItsError(t *testing.T) {
	w := newWorld(t)
	c := w.client(t, "/agents/echo", a2a.TransportProtocolGRPC)
	ended := string(send(t, w, c, &a2a.SendMessageRequest{Message: text("done", nil)}).ID)
	open := string(send(t, w, w.client(t, "/agents/careful", a2a.TransportProtocolGRPC), &a2a.SendMessageRequest{Message: text("x", sensitive)}).ID)
	sending := func(message string) refusal {
		return refusal{rpc: "SendMessage", params: `{"tenant":"echo","message":` + message + `}`, verb: "POST", path: "/echo/message:send", body: `{"message":` + message + `}`}
	}
	tests := map[string]refusal{
		"no version is 0.3":            {rpc: "GetTask", params: `{"id":"x"}`, verb: "GET", path: "/tasks/x", headers: map[string]string{"A2A-Version": ""}, want: want{-32009, 400, "VERSION_NOT_SUPPORTED"}},
		"a version of the future":      {rpc: "ListTasks", params: `{}`, verb: "GET", path: "/tasks", headers: map[string]string{"A2A-Version": "99.0"}, want: want{-32009, 400, "VERSION_NOT_SUPPORTED"}},
		"a version that is no text":    {rpc: "ListTasks", params: `{}`, verb: "GET", path: "/tasks", headers: map[string]string{"A2A-Version": "1\xff"}, want: want{-32009, 400, "VERSION_NOT_SUPPORTED"}},
		"a body that is not":           {rpc: "SendMessage", params: `{}`, verb: "POST", path: "/message:send", body: "{}", headers: map[string]string{"Content-Encoding": "Identity"}, want: want{-32602, 400, "MESSAGE_MISSING"}},
		"a compressed body":            {rpc: "SendMessage", params: `{}`, verb: "POST", path: "/message:send", body: "{}", headers: map[string]string{"Content-Encoding": "gzip"}, want: want{-32005, 400, "CONTENT_TYPE_NOT_SUPPORTED"}},
		"another content type":         {rpc: "SendMessage", params: `{}`, verb: "POST", path: "/message:send", body: "{}", headers: map[string]string{"Content-Type": "text/plain"}, want: want{-32005, 400, "CONTENT_TYPE_NOT_SUPPORTED"}},
		"no token":                     {rpc: "GetTask", params: `{"id":"x"}`, verb: "GET", path: "/tasks/x", headers: map[string]string{"Authorization": ""}, want: want{-31401, 401, "TOKEN_MISSING"}},
		"a task that is not there":     {rpc: "GetTask", params: `{"id":"x"}`, verb: "GET", path: "/tasks/x", want: want{-32001, 404, "TASK_NOT_FOUND"}},
		"a task by a slash":            {rpc: "GetTask", params: `{"id":"x/y"}`, verb: "GET", path: "/tasks/x%2Fy", want: want{-32001, 404, "TASK_NOT_FOUND"}},
		"a state that there is not":    {rpc: "ListTasks", params: `{"status":99}`, verb: "GET", path: "/tasks?status=99", want: want{-32602, 400, "REQUEST_INVALID"}},
		"a task of another agent":      {rpc: "GetTask", params: `{"tenant":"careful","id":"` + ended + `"}`, verb: "GET", path: "/careful/tasks/" + ended, want: want{-32001, 404, "TASK_NOT_FOUND"}},
		"history of less than nothing": {rpc: "GetTask", params: `{"id":"` + ended + `","historyLength":-1}`, verb: "GET", path: "/tasks/" + ended + "?historyLength=-1", want: want{-32602, 400, "HISTORY_LENGTH_INVALID"}},
		"cancel what has ended":        {rpc: "CancelTask", params: `{"id":"` + ended + `"}`, verb: "POST", path: "/tasks/" + ended + ":cancel", want: want{-32002, 400, "TASK_NOT_CANCELABLE"}},
		"cancel what is not there":     {rpc: "CancelTask", params: `{"id":"x"}`, verb: "POST", path: "/tasks/x:cancel", want: want{-32001, 404, "TASK_NOT_FOUND"}},
		"follow what has ended":        {rpc: "SubscribeToTask", params: `{"id":"` + ended + `"}`, verb: "POST", path: "/tasks/" + ended + ":subscribe", want: want{-32004, 400, "UNSUPPORTED_OPERATION"}},
		"follow what is not there":     {rpc: "SubscribeToTask", params: `{"id":"x"}`, verb: "GET", path: "/tasks/x:subscribe", want: want{-32001, 404, "TASK_NOT_FOUND"}},
		"push configuration":           {rpc: "CreateTaskPushNotificationConfig", params: `{"taskId":"x","url":"http://x"}`, verb: "POST", path: "/tasks/x/pushNotificationConfigs", body: `{"url":"http://x"}`, want: want{-32001, 404, "TASK_NOT_FOUND"}},
		"read a push configuration":    {rpc: "GetTaskPushNotificationConfig", params: `{"taskId":"x","id":"y"}`, verb: "GET", path: "/tasks/x/pushNotificationConfigs/y", want: want{-32001, 404, "TASK_NOT_FOUND"}},
		"delete a push configuration":  {rpc: "DeleteTaskPushNotificationConfig", params: `{"taskId":"x","id":"y"}`, verb: "DELETE", path: "/tasks/x/pushNotificationConfigs/y", want: want{-32001, 404, "TASK_NOT_FOUND"}},
		"a receiver that is no URL":    {rpc: "CreateTaskPushNotificationConfig", params: `{"taskId":"` + ended + `","url":"x"}`, verb: "POST", path: "/tasks/" + ended + "/pushNotificationConfigs", body: `{"url":"x"}`, want: want{-32602, 400, "URL_INVALID"}},
		"a receiver of another task":   {rpc: "GetTaskPushNotificationConfig", params: `{"taskId":"` + ended + `","id":"y"}`, verb: "GET", path: "/tasks/" + ended + "/pushNotificationConfigs/y", want: want{-32001, 404, "TASK_NOT_FOUND"}},
		"the extended card":            {rpc: "GetExtendedAgentCard", params: `{}`, verb: "GET", path: "/extendedAgentCard", want: want{-32004, 400, "UNSUPPORTED_OPERATION"}},
		"a page of too many":           {rpc: "ListTasks", params: `{"page_size":101}`, verb: "GET", path: "/tasks?page_size=101", want: want{-32602, 400, "PAGE_SIZE_INVALID"}},
		"a page token of no list":      {rpc: "ListTasks", params: `{"pageToken":"abc"}`, verb: "GET", path: "/tasks?pageToken=abc", want: want{-32602, 400, "PAGE_TOKEN_INVALID"}},
		"a page of less than nothing":  {rpc: "ListTaskPushNotificationConfigs", params: `{"taskId":"` + open + `","pageSize":-1}`, verb: "GET", path: "/tasks/" + open + "/pushNotificationConfigs?pageSize=-1", want: want{-32602, 400, "PAGE_SIZE_INVALID"}},
		"a page that there is not":     {rpc: "ListTaskPushNotificationConfigs", params: `{"taskId":"` + open + `","pageToken":"x"}`, verb: "GET", path: "/tasks/" + open + "/pushNotificationConfigs?pageToken=x", want: want{-32602, 400, "PAGE_TOKEN_INVALID"}},
		"a state that does not exist":  {rpc: "ListTasks", params: `{"status":"DONE"}`, verb: "GET", path: "/tasks?status=DONE", want: want{-32602, 400, "REQUEST_INVALID"}},
		"no message":                   {rpc: "SendMessage", params: `{}`, verb: "POST", path: "/message:send", want: want{-32602, 400, "MESSAGE_MISSING"}},
		"a message of words for nobody": {
			rpc: "SendMessage", params: `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"data":{}}]}}`, verb: "POST", path: "/message:send",
			body: `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"data":{}}]}}`, want: want{-32602, 400, "ROUTE_MISSING"},
		},
		"an agent that is not there": {
			rpc: "SendMessage", params: `{"tenant":"nobody","message":` + message + `}}`, verb: "POST", path: "/nobody/message:send",
			body: `{"message":` + message + `}}`, want: want{-32602, 404, "AGENT_NOT_FOUND"},
		},
		"an agent that no name fits": {
			rpc: "SendMessage", params: `{"tenant":"` + strings.Repeat("n", 65) + `","message":` + message + `}}`, verb: "POST", path: "/" + strings.Repeat("n", 65) + "/message:send",
			body: `{"message":` + message + `}}`, want: want{-32602, 404, "AGENT_NOT_FOUND"},
		},
		"a version that the agent at the door does not have": {
			rpc: "SendMessage", params: `{"tenant":"echo","message":` + message + `,"metadata":{"` + taskExtension + `":{"route":{"version":">=99"}}}}}`, verb: "POST", path: "/echo/message:send",
			body: `{"message":` + message + `,"metadata":{"` + taskExtension + `":{"route":{"version":">=99"}}}}}`, want: want{-32602, 404, "VERSION_NOT_FOUND"},
		},
		"two agents": {
			rpc: "SendMessage", params: `{"tenant":"echo","message":` + message + `,"metadata":{"` + taskExtension + `":{"route":{"agent":"careful"}}}}}`, verb: "POST", path: "/echo/message:send",
			body: `{"message":` + message + `,"metadata":{"` + taskExtension + `":{"route":{"agent":"careful"}}}}}`, want: want{-32602, 400, "ROUTE_AMBIGUOUS"},
		},
	}
	for name, message := range map[string]struct{ json, reason string }{
		"no message id":      {`{"role":"ROLE_USER","parts":[{"text":"x"}]}`, "MESSAGE_ID_MISSING"},
		"an agent's role":    {`{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"x"}]}`, "ROLE_INVALID"},
		"no parts":           {`{"messageId":"m","role":"ROLE_USER"}`, "MESSAGE_EMPTY"},
		"an unknown field":   {message + `,"metadata":{"` + taskExtension + `":{"attribs":{"sensitive":true}}}}`, "TASK_EXTENSION_INVALID"},
		"a message in it":    {message + `,"metadata":{"` + taskExtension + `":{"message":{}}}}`, "TASK_EXTENSION_INVALID"},
		"a bad request id":   {message + `,"metadata":{"` + taskExtension + `":{"requestId":"a b"}}}`, "TASK_EXTENSION_INVALID"},
		"a list as the word": {message + `,"metadata":{"` + taskExtension + `":[]}}`, "TASK_EXTENSION_INVALID"},
		"a part of no kind":  {`{"messageId":"m","role":"ROLE_USER","parts":[{}]}`, "PART_EMPTY"},
		"parts that are no list": {
			`{"messageId":"m","role":"ROLE_USER","parts":"x"}`, "REQUEST_INVALID",
		},
		"the wrong context": {message + `,"taskId":"` + ended + `","contextId":"other"}`, "CONTEXT_MISMATCH"},
	} {
		test := sending(message.json)
		test.want = want{-32602, 400, message.reason}
		tests["a message with "+name] = test
	}
	for name, id := range map[string]string{"has ended": ended, "goes on": open} {
		m := message + `,"taskId":"` + id + `"}`
		tests["a message to a task that "+name] = refusal{
			rpc: "SendMessage", params: `{"message":` + m + `}`, verb: "POST", path: "/message:send", body: `{"message":` + m + `}`, want: want{-32004, 400, "UNSUPPORTED_OPERATION"},
		}
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := w.call(t, "POST", "/a2a", fmt.Sprintf(`{"jsonrpc":"2.0","id":"q","method":%q,"params":%s}`, test.rpc, test.params), test.headers)
			failure, _ := got.object(t)["error"].(map[string]any)
			if failure["code"] != float64(test.want.jsonrpc) || !strings.Contains(got.body, `"reason":"`+test.want.reason+`"`) {
				t.Errorf("JSON-RPC: %d %s, want code %d with reason %s", got.code, got.body, test.want.jsonrpc, test.want.reason)
			}
			got = w.call(t, test.verb, "/a2a"+test.path, test.body, test.headers)
			failure, _ = got.object(t)["error"].(map[string]any)
			if got.code != test.want.http || failure["code"] != float64(test.want.http) || !strings.Contains(got.body, `"reason":"`+test.want.reason+`"`) {
				t.Errorf("HTTP+JSON: %d %s, want %d with reason %s", got.code, got.body, test.want.http, test.want.reason)
			}
		})
	}
}

// TestARequestNamesItsTask sends requests about a task that name none, or name it by the field of other operations.
func TestARequestNamesItsTask(t *testing.T) {
	w := newWorld(t)
	for method, field := range map[string]string{
		"GetTask": "id", "CancelTask": "id", "SubscribeToTask": "id", "CreateTaskPushNotificationConfig": "task_id", "GetTaskPushNotificationConfig": "task_id",
		"ListTaskPushNotificationConfigs": "task_id", "DeleteTaskPushNotificationConfig": "task_id",
	} {
		params := `{"taskId":"x"}`
		if field != "id" {
			params = `{"id":"x"}`
		}
		got := w.call(t, "POST", "/a2a", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params), nil)
		if !strings.Contains(got.body, `"code":-32602`) || !strings.Contains(got.body, "TASK_ID_MISSING") || !strings.Contains(got.body, fmt.Sprintf(`"field":%q`, field)) {
			t.Errorf("%s without a task = %s, want -32602 with TASK_ID_MISSING of %s", method, got.body, field)
		}
	}
}

func TestAnEnvelopeThatIsNone(t *testing.T) {
	w := newWorld(t)
	tests := map[string]struct {
		body string
		code int
		id   string
	}{
		"no JSON":             {`{"jsonrpc":`, -32700, "null"},
		"nothing":             {``, -32700, "null"},
		"a batch":             {`[{"jsonrpc":"2.0","id":1,"method":"GetTask"}]`, -32600, "null"},
		"no id":               {`{"jsonrpc":"2.0","method":"GetTask","params":{"id":"x"}}`, -32600, "null"},
		"an object as id":     {`{"jsonrpc":"2.0","id":{},"method":"GetTask"}`, -32600, "null"},
		"another version":     {`{"jsonrpc":"1.0","id":7,"method":"GetTask"}`, -32600, "7"},
		"no method":           {`{"jsonrpc":"2.0","id":7}`, -32600, "7"},
		"a method that is no": {`{"jsonrpc":"2.0","id":"a","method":"message/send"}`, -32601, `"a"`},
		"a list of params":    {`{"jsonrpc":"2.0","id":7,"method":"GetTask","params":["x"]}`, -32602, "7"},
		"a number as method":  {`{"jsonrpc":"2.0","id":7,"method":5}`, -32600, "7"},
		"depth without end": {
			`{"jsonrpc":"2.0","id":7,"method":"SendMessage","params":{"metadata":` + strings.Repeat(`{"a":`, 500) + "1" + strings.Repeat("}", 500) + `}}`, -32602, "7",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := w.call(t, "POST", "/a2a", test.body, nil)
			if got.code != 200 || !strings.Contains(got.body, fmt.Sprintf(`"id":%s,"error":{"code":%d,`, test.id, test.code)) {
				t.Errorf("%d %s, want code %d for id %s", got.code, got.body, test.code, test.id)
			}
		})
	}
	for wrong, allow := range map[string]string{
		"GET /a2a":                "POST",
		"PUT /a2a/tasks/x":        "GET, HEAD",
		"GET /a2a/tasks/x:cancel": "POST",
		"PUT /a2a/tasks/x:cancel": "POST",
		"OPTIONS /agents/x/.well-known/agent-card.json": "GET, HEAD",
		"POST /agents/x/.well-known/agent.json":         "GET, HEAD",
	} {
		method, path, _ := strings.Cut(wrong, " ")
		if got := w.call(t, method, path, "", nil); got.code != 405 || got.header.Get("Allow") != allow {
			t.Errorf("%s = %d, Allow %q, want 405 with %s", wrong, got.code, got.header.Get("Allow"), allow)
		}
	}
	for _, nothing := range []string{"GET /a2a/tasks/x/y/z", "POST /a2a/tasks/x:lend"} {
		method, path, _ := strings.Cut(nothing, " ")
		if got := w.call(t, method, path, "", nil); got.code != 404 || !strings.Contains(got.body, "ROUTE_NOT_FOUND") {
			t.Errorf("%s = %d %s, want 404", nothing, got.code, got.body)
		}
	}
	if got := w.call(t, "POST", "/a2a", strings.Repeat(" ", 5<<20), nil); got.code != 413 {
		t.Errorf("a body of 5 MiB = %d, want 413", got.code)
	}
}

// TestTheGRPCBindingHasTheSameErrors wants the codes and reasons that the other bindings get theirs from.
func TestTheGRPCBindingHasTheSameErrors(t *testing.T) {
	w := newWorld(t)
	client := a2apb.NewA2AServiceClient(w.conn)
	in := func(version string) context.Context {
		return metadata.AppendToOutgoingContext(w.ctx, "a2a-version", version)
	}
	tests := map[string]struct {
		call   func() error
		code   codes.Code
		reason string
	}{
		"99.0": {func() error { _, err := client.GetTask(in("99.0"), &a2apb.GetTaskRequest{Id: "x"}); return err }, codes.FailedPrecondition, "VERSION_NOT_SUPPORTED"},
		"none": {func() error { _, err := client.GetTask(w.ctx, &a2apb.GetTaskRequest{Id: "x"}); return err }, codes.FailedPrecondition, "VERSION_NOT_SUPPORTED"},
		"no task": {func() error {
			s, err := client.SubscribeToTask(in("1.0"), &a2apb.SubscribeToTaskRequest{Id: "x"})
			if err == nil {
				_, err = s.Recv()
			}
			return err
		}, codes.NotFound, "TASK_NOT_FOUND"},
		"no token": {func() error {
			_, err := client.GetTask(metadata.AppendToOutgoingContext(t.Context(), "a2a-version", "1.0"), &a2apb.GetTaskRequest{Id: "x"})
			return err
		}, codes.Unauthenticated, "TOKEN_MISSING"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			st := status.Convert(test.call())
			if st.Code() != test.code || reasonOf(st) != test.reason {
				t.Errorf("status = %v, want %s with reason %s", st, test.code, test.reason)
			}
		})
	}
}

func reasonOf(st *status.Status) string {
	for _, d := range st.Details() {
		if info, ok := d.(*errdetails.ErrorInfo); ok {
			return info.GetReason()
		}
	}
	return ""
}

// TestErrorsHaveTheirCodesOverHTTP holds the table to A2A.
func TestErrorsHaveTheirCodesOverHTTP(t *testing.T) {
	for reason, want := range map[string]int{
		"TASK_NOT_FOUND": 404, "TASK_NOT_CANCELABLE": 400, "PUSH_NOTIFICATION_NOT_SUPPORTED": 400, "UNSUPPORTED_OPERATION": 400,
		"CONTENT_TYPE_NOT_SUPPORTED": 400, "INVALID_AGENT_RESPONSE": 500, "EXTENDED_AGENT_CARD_NOT_CONFIGURED": 400,
		"EXTENSION_SUPPORT_REQUIRED": 400, "VERSION_NOT_SUPPORTED": 400,
	} {
		h := a2aedge.NewHandler(a2aedge.HandlerConfig{Service: a2aedge.New(a2aedge.Config{}), Gate: openGate{}, Conn: refusing(reason)})
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), "GET", "/a2a/tasks/x", nil))
		if rec.Code != want {
			t.Errorf("%s: %d, want %d", reason, rec.Code, want)
		}
	}
}

// refusing is a connection to a service that answers everything with an A2A error of this reason.
type refusing string

func (r refusing) Invoke(context.Context, string, any, any, ...grpc.CallOption) error {
	st, err := status.New(codes.Unknown, "refused").WithDetails(&errdetails.ErrorInfo{Reason: string(r), Domain: a2aedge.ErrorDomain})
	if err != nil {
		return err
	}
	return st.Err()
}

func (r refusing) NewStream(ctx context.Context, _ *grpc.StreamDesc, method string, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	return nil, r.Invoke(ctx, method, nil, nil, opts...)
}

// TestABodyMayNotNameAnotherTaskThanThePath has bodies and queries that are the whole request, with the task of the path and with another.
func TestABodyMayNotNameAnotherTaskThanThePath(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	headers := map[string]string{"A2A-Version": "1.0", "Content-Type": "application/json"}
	for what, want := range map[string]string{
		"x:cancel of x": `TASK_NOT_FOUND`, "x:cancel of y": `id: the path says \"x\", and the body or the query \"y\"`,
	} {
		if got := w.call(t, "POST", "/a2a/tasks/x:cancel", `{"id":"`+what[len(what)-1:]+`"}`, headers); !strings.Contains(got.body, want) {
			t.Errorf("POST %s = %d %s, want %s", what, got.code, got.body, want)
		}
	}
	if got := w.call(t, "GET", "/a2a/tasks/x?id=y", "", headers); got.code != 400 || !strings.Contains(got.body, "REQUEST_INVALID") {
		t.Errorf("GET tasks/x?id=y = %d %s, want 400", got.code, got.body)
	}
}

func TestAParameterOfTheWrongKindIsNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for path, want := range map[string]string{
		"/a2a/tasks?pageSize=x":                 `page_size: \"x\" is not a valid number`,
		"/a2a/tasks?includeArtifacts=y":         `include_artifacts: \"y\" is neither true nor false`,
		"/a2a/tasks?statusTimestampAfter=today": `status_timestamp_after: \"today\" is not a time; write date, time and zone, such as 2026-01-16T12:00:00Z`,
	} {
		if got := w.call(t, "GET", path, "", map[string]string{"A2A-Version": "1.0"}); got.code != 400 || !strings.Contains(got.body, want) {
			t.Errorf("GET %s = %d %s, want 400 and %s", path, got.code, got.body, want)
		}
	}
}
