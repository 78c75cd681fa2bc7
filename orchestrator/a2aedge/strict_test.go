package a2aedge_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/quorate/quorate/platform/bounded"
)

const sayX = `"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}`

// TestAnEnvelopeIsReadInOneWay sends requests that two readers could take for different ones.
func TestAnEnvelopeIsReadInOneWay(t *testing.T) {
	w := newWorld(t)
	for name, body := range map[string]string{
		"two methods":                   `{"jsonrpc":"2.0","id":1,"method":"SendMessage","method":"ListTasks","params":{}}`,
		"two methods, one with escapes": `{"jsonrpc":"2.0","id":1,"method":"SendMessage","m\u0065thod":"ListTasks","params":{}}`,
		"two params":                    `{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{},"params":{"pageSize":1}}`,
		"two ids":                       `{"jsonrpc":"2.0","id":1,"id":2,"method":"ListTasks","params":{}}`,
		"a method in another case":      `{"jsonrpc":"2.0","id":1,"Method":"ListTasks","params":{}}`,
	} {
		if got := w.call(t, "POST", "/a2a", body, nil); !strings.Contains(got.body, `"code":-32600`) {
			t.Errorf("%s: %d %s, want that it is no request", name, got.code, got.body)
		}
	}
	for name, body := range map[string]string{
		"a member that nobody knows":          `{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{},"x\/y":[{}],"x\/y":2}`,
		"another method in a name's own case": `{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{},"Method":"SendMessage"}`,
	} {
		if got := w.call(t, "POST", "/a2a", body, nil); !strings.Contains(got.body, `"totalSize"`) {
			t.Errorf("%s: %d %s, want a list", name, got.code, got.body)
		}
	}
}

// TestWhatIsOddDoesNotPass wants an agent, which may read what comes in another way than Quorate, not to see what only it would understand.
func TestWhatIsOddDoesNotPass(t *testing.T) {
	w := newWorld(t, passAll)
	agent := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var x struct{ Params json.RawMessage }
		_ = json.Unmarshal(body, &x)
		said, _ := json.Marshal(string(x.Params))
		rw.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(rw, `{"jsonrpc":"2.0","id":1,"result":{"message":{"messageId":"a","role":"ROLE_AGENT","parts":[{"text":`+string(said)+`}]}}}`)
	}))
	t.Cleanup(agent.Close)
	w.addBare(t, agent.URL)
	for name, test := range map[string]struct{ params, not string }{
		"a tenant in another case": {`"Tenant":"another",` + sayX, "another"},
		"two messages":             {`"message":{"messageId":"first"},` + sayX, "first"},
		"what is very deep":        {`"metadata":{"x":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `},` + sayX, strings.Repeat("[", 200)},
	} {
		got := w.call(t, "POST", "/agents/bare", `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{`+test.params+`}}`, nil)
		if got.code != http.StatusOK || strings.Contains(got.body, test.not) && strings.Contains(got.body, "ROLE_AGENT") {
			t.Errorf("%s: %d %.300s, want that the agent does not see it", name, got.code, got.body)
		}
	}
}

// TestTextThatIsNoUTF8IsTheCallersMistake puts bytes into paths and queries of which no message can be made.
func TestTextThatIsNoUTF8IsTheCallersMistake(t *testing.T) {
	w := newWorld(t)
	for _, test := range []struct {
		method, path, body string
		code               int
	}{
		{"POST", "/agents/%ff", `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{` + sayX + `}}`, 200},
		{"POST", "/agents/%ff/message:send", `{` + sayX + `}`, 400},
		{"GET", "/a2a/tasks/%ff", "", 400},
		{"GET", "/a2a/tasks?pageToken=%ff", "", 400},
	} {
		got := w.call(t, test.method, test.path, test.body, nil)
		if got.code != test.code || !strings.Contains(got.body, "UTF-8") || strings.Contains(got.body, "marshal") || strings.Contains(got.body, "-32603") {
			t.Errorf("%s %s = %d %s, want %d, and that it is not UTF-8", test.method, test.path, got.code, got.body, test.code)
		}
	}
}

// TestHalfOfACharacterIsCalledThat sends a text that JavaScript has cut within an emoji.
func TestHalfOfACharacterIsCalledThat(t *testing.T) {
	w := newWorld(t)
	message := `"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"cut \ud83d"}]}`
	for path, body := range map[string]string{"/agents/echo": `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{` + message + `}}`, "/agents/echo/message:send": "{" + message + "}"} {
		if got := w.call(t, "POST", path, body, nil); !strings.Contains(got.body, `\\ud83d is half of a character`) {
			t.Errorf("POST %s = %d %s, want that it is half of a character", path, got.code, got.body)
		}
	}
}

// TestALargeMessageOfNobodyIsNotDecoded sends messages of empty parts, which take fifty times as much memory as they are long.
func TestALargeMessageOfNobodyIsNotDecoded(t *testing.T) {
	w := newWorld(t)
	message := `{"message":{"parts":[` + strings.Repeat("{},", 30_000) + `7]}}` // it is not valid
	for path, body := range map[string]string{
		"/a2a/message:send": message,
		"/a2a":              `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":` + message + `}`,
		"/agents/echo":      `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":` + message + `}`,
	} {
		if got := w.call(t, "POST", path, body, map[string]string{"Authorization": ""}); got.code != http.StatusUnauthorized || !strings.Contains(got.body, "TOKEN_MISSING") {
			t.Errorf("POST %s of nobody = %d %.300s, want 401", path, got.code, got.body)
		}
		if got := w.call(t, "POST", path, body, nil); got.code == http.StatusUnauthorized || !strings.Contains(got.body, "REQUEST_INVALID") {
			t.Errorf("POST %s of the admin = %d %.300s, want to be told what is wrong", path, got.code, got.body)
		}
	}
}

// TestAMessageOfTooManyPartsIsNotDecoded sends what anybody may send who is known, and what would take hundreds of megabytes.
func TestAMessageOfTooManyPartsIsNotDecoded(t *testing.T) {
	w := newWorld(t)
	const want, parts = "more than 262144 values", bounded.MaxValues + 1
	message := `{"message":{"parts":[` + strings.Repeat("{},", parts) + `{}]}}`
	for path, body := range map[string]string{
		"/a2a/message:send": message,
		"/a2a":              `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":` + message + `}`,
	} {
		if got := w.call(t, "POST", path, body, nil); !strings.Contains(got.body, "REQUEST_INVALID") || !strings.Contains(got.body, want) {
			t.Errorf("POST %s = %d %.300s, want to be told that there are %s", path, got.code, got.body, want)
		}
	}
	_, err := a2apb.NewA2AServiceClient(w.conn).SendMessage(w.ctx, &a2apb.SendMessageRequest{Message: &a2apb.Message{Parts: slices.Repeat([]*a2apb.Part{{}}, parts)}})
	if status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), want) {
		t.Errorf("SendMessage() = %v, want to be told that there are %s", err, want)
	}
}
