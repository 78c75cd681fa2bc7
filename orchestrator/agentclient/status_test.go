package agentclient_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/agentcard"
)

// TestAnySuccessOfHTTPIsOne has agents answer with 201 and 202, as the A2A project's server for JavaScript does for a receiver that it has made.
func TestAnySuccessOfHTTPIsOne(t *testing.T) {
	t.Parallel()
	const task = `"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"}}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, code := `{`+task+`}`, http.StatusAccepted
		switch {
		case strings.HasSuffix(r.URL.Path, "/pushNotificationConfigs"):
			body, code = `{"taskId":"t","url":"https://example.com"}`, http.StatusCreated
		case r.Header.Get("Accept") == "text/event-stream":
			w.Header().Set("Content-Type", "text/event-stream")
			body = "data: {" + task + "}\n\n"
		case !strings.Contains(r.URL.Path, "message:"):
			body = `{"jsonrpc":"2.0","id":"1","result":{` + task + `}}`
		}
		w.WriteHeader(code)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(server.Close)
	for name, test := range map[string]struct {
		binding string
		stream  bool
	}{
		"JSON-RPC": {agentcard.BindingJSONRPC, false}, "HTTP+JSON": {agentcard.BindingHTTPJSON, false}, "a stream of HTTP+JSON": {agentcard.BindingHTTPJSON, true},
	} {
		c, _, err := pool(t).Connect("agent", agentcard.Card{Interfaces: []agentcard.Interface{{URL: server.URL, Binding: test.binding, ProtocolVersion: "1.0"}}})
		if err != nil {
			t.Fatal(err)
		}
		var got string
		if err := c.Send(t.Context(), message("m", "hello"), test.stream, func(r *a2apb.StreamResponse) error { got = r.GetTask().GetId(); return nil }); err != nil || got != "t" {
			t.Errorf("Send() over %s = %v with task %q, want task t", name, err, got)
		}
		if rest, ok := c.(agentclient.Announcer); ok && test.binding == agentcard.BindingHTTPJSON {
			if err := rest.Announce(t.Context(), "t", "https://example.com"); err != nil {
				t.Errorf("Announce() over %s = %v, want no error", name, err)
			}
		}
	}
}

// TestASubscriptionIsPostedToWhoTakesNoOther follows a task at an agent that was made from the text of A2A, which says POST where its proto says GET.
func TestASubscriptionIsPostedToWhoTakesNoOther(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || strings.Contains(r.URL.Path, "none") {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write([]byte("data: {\"task\":{\"id\":\"t\"}}\n\n"))
	}))
	t.Cleanup(server.Close)
	c, _, err := pool(t).Connect("agent", agentcard.Card{Interfaces: []agentcard.Interface{{URL: server.URL, Binding: agentcard.BindingHTTPJSON, ProtocolVersion: "1.0"}}})
	if err != nil {
		t.Fatal(err)
	}
	var got string
	if err := c.Subscribe(t.Context(), "t", func(r *a2apb.StreamResponse) error { got = r.GetTask().GetId(); return nil }); err != nil || got != "t" {
		t.Errorf("Subscribe() = %v with task %q, want task t", err, got)
	}
	if err := c.Subscribe(t.Context(), "none", func(*a2apb.StreamResponse) error { return nil }); fault.ReasonOf(err) != agentclient.ReasonRefused {
		t.Errorf("Subscribe(none) = %v, want %s from an agent that takes neither", err, agentclient.ReasonRefused)
	}
}

// TestAnErrorInAStreamOfHTTPIsSaid has agents break a stream off with an error, as the A2A project's servers do.
func TestAnErrorInAStreamOfHTTPIsSaid(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ event, want string }{
		"it cannot":      {`{"error":{"code":500,"status":"INTERNAL","message":"not today"}}`, agentclient.ReasonRefused},
		"later":          {`{"error":{"code":503,"status":"UNAVAILABLE","message":"not today"}}`, agentclient.ReasonUnreachable},
		"no such task":   {`{"error":{"code":404,"message":"not today","details":[{"reason":"TASK_NOT_FOUND"}]}}`, agentclient.ReasonTaskNotFound},
		"not supported":  {`{"error":{"code":400,"message":"not today","details":[{"reason":"UNSUPPORTED_OPERATION"}]}}`, agentclient.ReasonRefused},
		"without a code": {`{"error":{"message":"not today"}}`, agentclient.ReasonRefused},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = w.Write([]byte("data: {\"task\":{\"id\":\"t\"}}\n\nevent: error\ndata: " + tt.event + "\n\n"))
		}))
		t.Cleanup(server.Close)
		c, _, err := pool(t).Connect("agent", agentcard.Card{Interfaces: []agentcard.Interface{{URL: server.URL, Binding: agentcard.BindingHTTPJSON, ProtocolVersion: "1.0"}}})
		if err != nil {
			t.Fatal(err)
		}
		heard := 0
		err = c.Send(t.Context(), message("m", "hello"), true, func(*a2apb.StreamResponse) error { heard++; return nil })
		if fault.ReasonOf(err) != tt.want || !strings.Contains(err.Error(), "not today") || heard != 1 {
			t.Errorf("Send() to an agent that says %s = %v after %d responses, want %s after one", name, err, heard, tt.want)
		}
	}
}

// TestAQueryOfAnInterfaceGoesAlong calls an agent whose URL has a query, as functions in the cloud want their keys.
func TestAQueryOfAnInterfaceGoesAlong(t *testing.T) {
	t.Parallel()
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.String())
		_, _ = w.Write([]byte(`{}`))
	}))
	t.Cleanup(server.Close)
	c, _, err := pool(t).Connect("agent", agentcard.Card{Interfaces: []agentcard.Interface{
		{URL: server.URL + "/api/?code=k%2F1&x=y", Binding: agentcard.BindingHTTPJSON, Tenant: "ten ant", ProtocolVersion: "1.0"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Send(t.Context(), message("m", "hello"), false, func(*a2apb.StreamResponse) error { return nil }); err != nil {
		t.Errorf("Send() = %v", err)
	}
	if _, err := c.Task(t.Context(), "t", 3); err != nil {
		t.Errorf("Task() = %v", err)
	}
	want := []string{"/api/ten%20ant/message:send?code=k%2F1&x=y", "/api/ten%20ant/tasks/t?historyLength=3&code=k%2F1&x=y"}
	if !slices.Equal(asked, want) {
		t.Errorf("the agent was asked for %q, want %q", asked, want)
	}
}

// TestARedirectIsSaid has an agent live at another URL than its card says, as servers do whose paths end with a slash. No message follows there by
// itself.
func TestARedirectIsSaid(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Path+"/", http.StatusTemporaryRedirect)
	}))
	t.Cleanup(server.Close)
	for _, binding := range []string{agentcard.BindingJSONRPC, agentcard.BindingHTTPJSON} {
		c, _, err := pool(t).Connect("agent", agentcard.Card{Interfaces: []agentcard.Interface{{URL: server.URL + "/a2a", Binding: binding, ProtocolVersion: "1.0"}}})
		if err != nil {
			t.Fatal(err)
		}
		err = c.Send(t.Context(), message("m", "hello"), false, func(*a2apb.StreamResponse) error { return nil })
		if fault.ReasonOf(err) != agentclient.ReasonRefused || !strings.Contains(err.Error(), server.URL+"/a2a") || !strings.Contains(err.Error(), "redirects are not followed") {
			t.Errorf("Send() over %s to an agent that is elsewhere = %v, want where it is and what to do", binding, err)
		}
	}
}

// TestAFailureOfHTTPBelowJSONRPCIsTold has a call pass to agents behind gateways that answer in its place, and to one that says itself what is wrong.
func TestAFailureOfHTTPBelowJSONRPCIsTold(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		code         int
		body         string
		reason, want string
	}{
		"a page":                {http.StatusRequestEntityTooLarge, "<html>too large</html>", agentclient.ReasonRefused, "HTTP 413: <html>too large"},
		"nothing":               {http.StatusNotFound, "", agentclient.ReasonRefused, "HTTP 404"},
		"JSON":                  {http.StatusTooManyRequests, `{"message":"slow down"}`, agentclient.ReasonUnreachable, "slow down"},
		"a redirect":            {http.StatusPermanentRedirect, "", agentclient.ReasonRefused, "the agent's card must have that URL"},
		"no JSON-RPC":           {http.StatusOK, "<html>hello</html>", agentclient.ReasonAnswerInvalid, "no JSON-RPC response"},
		"an error of the agent": {http.StatusBadRequest, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no parts"}}`, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", "/elsewhere")
				w.Header().Set("Retry-After", "7")
				w.WriteHeader(test.code)
				_, _ = w.Write([]byte(test.body))
			}))
			t.Cleanup(server.Close)
			answer, err := post(t.Context(), pool(t).PassageOverJSONRPC("a", cardOf(server.URL)), "{}")
			switch {
			case test.want == "":
				if answer != test.body || err != nil {
					t.Errorf("ReadAnswer() = %q, %v, want it unchanged", answer, err)
				}
			case fault.ReasonOf(err) != test.reason || !strings.Contains(err.Error(), test.want):
				t.Errorf("ReadAnswer() = %q, %v, want %s with %q", answer, err, test.reason, test.want)
			case test.code >= http.StatusMultipleChoices && fault.From(err).RetryAfter != 7*time.Second:
				t.Errorf("ReadAnswer() = %v, want that it asks for 7 seconds", err)
			}
		})
	}
}
