package restclient_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/restclient"
)

const token = auth.Secret("quorate_test_abc")

// client returns a client for a server with handler.
func client(t *testing.T, handler http.HandlerFunc) *restclient.Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	c, err := restclient.New(server.URL+"/", token, server.Client())
	if err != nil {
		t.Fatalf("New(%q) = %v, want a client", server.URL, err)
	}
	return c
}

// write writes a response. If the client has disconnected, the test fails elsewhere.
func write(w io.Writer, text string) { _, _ = io.WriteString(w, text) }

func object(t *testing.T, fields map[string]any) *structpb.Struct {
	t.Helper()
	s, err := structpb.NewStruct(fields)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestATokenIsInClearOnlyOnTheWayToAnotherMachineWithoutTLS(t *testing.T) {
	t.Parallel()
	for at, want := range map[string]bool{
		"http://quorate.example:8080": true, "http://192.0.2.1": true, "https://quorate.example": false,
		"http://127.0.0.1:8080": false, "http://[::1]:8080": false, "http://localhost": false,
	} {
		with, err := restclient.New(at, token, nil)
		without, err2 := restclient.New(at, "", nil)
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		if got := with.TokenInClear(); got != want || without.TokenInClear() {
			t.Errorf("TokenInClear() to %s = %v with a token and %v without one, want %v and false", at, got, without.TokenInClear(), want)
		}
	}
}

func TestNewRefusesWhatCannotWork(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		url    string
		token  auth.Secret
		reason string
	}{
		"no scheme":          {"127.0.0.1:8080", "", "SERVER_URL_INVALID"},
		"another scheme":     {"ftp://host", "", "SERVER_URL_INVALID"},
		"no host":            {"http://", "", "SERVER_URL_INVALID"},
		"a user":             {"http://me:pw@host", "", "SERVER_URL_INVALID"},
		"a query":            {"http://host/?a=b", "", "SERVER_URL_INVALID"},
		"a fragment":         {"http://host/#a", "", "SERVER_URL_INVALID"},
		"a token with space": {"http://host", "a b", "TOKEN_INVALID"},
		"a token with an é":  {"http://host", "é", "TOKEN_INVALID"},
		"a token of 2 lines": {"http://host", "a\nb", "TOKEN_INVALID"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := restclient.New(test.url, test.token, nil); fault.ReasonOf(err) != test.reason {
				t.Errorf("New(%q) = %v, want reason %s", test.url, err, test.reason)
			}
		})
	}
}

func TestCallSendsTheRequestAndReadsTheAnswer(t *testing.T) {
	t.Parallel()
	c := client(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		write(w, fmt.Sprintf(`{"method":%q,"path":%q,"query":%q,"token":%q,"type":%q,"sent":%s}`,
			r.Method, r.URL.EscapedPath(), r.URL.RawQuery, r.Header.Get("Authorization"), r.Header.Get("Content-Type"), body))
	})
	got := &structpb.Struct{}
	err := c.Call(t.Context(), http.MethodPost, "/v1/a%20b:go", url.Values{"page_size": {"7"}}, object(t, map[string]any{"x": true}), got)
	want := object(t, map[string]any{
		"method": "POST", "path": "/v1/a%20b:go", "query": "page_size=7",
		"token": "Bearer quorate_test_abc", "type": "application/json", "sent": map[string]any{"x": true},
	})
	if diff := cmp.Diff(want, got, protocmp.Transform()); err != nil || diff != "" {
		t.Errorf("Call() = %v, diff (-want +got):\n%s", err, diff)
	}
}

func TestCallRefusesWhatNoJSONCanSay(t *testing.T) {
	t.Parallel()
	c := client(t, func(http.ResponseWriter, *http.Request) { t.Error("the server was called, want not") })
	err := c.Call(t.Context(), http.MethodPost, "/v1/tasks", nil, structpb.NewStringValue("a\xff"), nil)
	if fault.ReasonOf(err) != "REQUEST_INVALID" || fault.KindOf(err) != fault.InvalidArgument || !strings.Contains(err.Error(), "UTF-8") {
		t.Errorf("Call() with bytes that are no text = %v, want REQUEST_INVALID", err)
	}
}

func TestAnAnswerThatBreaksOffIsNoAnswer(t *testing.T) {
	t.Parallel()
	for _, code := range []int{http.StatusOK, http.StatusBadRequest} {
		c := client(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			w.WriteHeader(code)
			write(w, "{}")
		})
		if err := c.Call(t.Context(), http.MethodPost, "/v1/tasks", nil, nil, &structpb.Struct{}); fault.ReasonOf(err) != "SERVER_UNREACHABLE" {
			t.Errorf("Call() = %v after an answer %d without its end, want SERVER_UNREACHABLE", err, code)
		}
	}
}

func TestCallTurnsAnErrorBackIntoAFault(t *testing.T) {
	t.Parallel()
	c := client(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		write(w, `{"code":3,"message":"bad name","details":[
			{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"NAME_INVALID","domain":"quorate","metadata":{"name":"a b"},"added_later":1},
			{"@type":"type.googleapis.com/quorate.later.v1.Unheard","x":1},
			{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"name","description":"no spaces"}]}]}`)
	})
	err := c.Call(t.Context(), http.MethodGet, "/v1/agents", nil, nil, nil)
	want := &fault.Error{
		Kind: fault.InvalidArgument, Reason: "NAME_INVALID", Message: "bad name",
		Violations: []fault.Violation{{Field: "name", Description: "no spaces"}}, Metadata: map[string]string{"name": "a b"},
	}
	if diff := cmp.Diff(want, fault.From(err)); diff != "" {
		t.Errorf("Call() diff (-want +got):\n%s", diff)
	}
}

func TestCallTellsWhatIsNotQuorate(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		status int
		body   string
		kind   fault.Kind
	}{
		"a page with 200":           {http.StatusOK, "<html>", fault.Internal},
		"a page with 404":           {http.StatusNotFound, "<html>", fault.Internal},
		"JSON that is no status":    {http.StatusNotFound, `{"error":"x"}`, fault.Internal},
		"an error of code 0":        {http.StatusTeapot, `{"code":0}`, fault.Internal},
		"a proxy that has nobody":   {http.StatusBadGateway, "bad gateway", fault.Unavailable},
		"a proxy that wants a user": {http.StatusUnauthorized, "", fault.Unauthenticated},
		"a proxy that forbids":      {http.StatusForbidden, "", fault.PermissionDenied},
		"a proxy that throttles":    {http.StatusTooManyRequests, "", fault.ResourceExhausted},
		"a redirect":                {http.StatusFound, "", fault.Internal},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := client(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/" {
					t.Errorf("the client followed a redirect to %s", r.URL)
				}
				w.Header().Set("Location", "/elsewhere")
				w.WriteHeader(test.status)
				write(w, test.body)
			})
			err := c.Call(t.Context(), http.MethodGet, "/", nil, nil, &structpb.Struct{})
			if fault.KindOf(err) != test.kind || fault.ReasonOf(err) != "UNEXPECTED_ANSWER" {
				t.Errorf("Call() = %v (%v), want %v UNEXPECTED_ANSWER", err, fault.KindOf(err), test.kind)
			}
		})
	}
}

func TestCallTellsOfAServerThatSpeaksTLS(t *testing.T) {
	t.Parallel()
	s := httptest.NewUnstartedServer(nil)
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	s.StartTLS()
	t.Cleanup(s.Close)
	c, err := restclient.New(strings.Replace(s.URL, "https:", "http:", 1), token, s.Client())
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Call(t.Context(), http.MethodGet, "/", nil, nil, &structpb.Struct{}); err == nil || !strings.Contains(err.Error(), "https://") {
		t.Errorf("Call() in the clear of a server with TLS = %v, want a word about https://", err)
	}
}

func TestCallNamesTheServerThatItCannotReach(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(nil)
	server.Close()
	c, err := restclient.New(server.URL, token, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = c.Call(t.Context(), http.MethodGet, "/v1/agents", nil, nil, nil)
	if fault.KindOf(err) != fault.Unavailable || fault.ReasonOf(err) != "SERVER_UNREACHABLE" || !strings.Contains(err.Error(), server.URL) {
		t.Errorf("Call() = %v, want SERVER_UNREACHABLE naming %s", err, server.URL)
	}
	if strings.Contains(err.Error(), "--") || strings.Contains(err.Error(), "QUORATE_") {
		t.Errorf("Call() = %v, want an error without what only the command line has, since agents log it", err)
	}
	if strings.Contains(err.Error(), token.Reveal()) {
		t.Errorf("Call() = %v, want an error without the token", err)
	}
}

func TestCallEndsWithItsContext(t *testing.T) {
	t.Parallel()
	c := client(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := c.Call(ctx, http.MethodGet, "/", nil, nil, nil); fault.KindOf(err) != fault.DeadlineExceeded {
		t.Errorf("Call() = %v, want a deadline exceeded fault", err)
	}
}

func TestCallBoundsTheAnswer(t *testing.T) {
	t.Parallel()
	c := client(t, func(w http.ResponseWriter, _ *http.Request) {
		block := make([]byte, 1<<20)
		for range restclient.MaxAnswerBytes>>20 + 1 {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	})
	if err := c.Call(t.Context(), http.MethodGet, "/", nil, nil, nil); fault.ReasonOf(err) != "ANSWER_TOO_LARGE" {
		t.Errorf("Call() = %v, want ANSWER_TOO_LARGE", err)
	}
}

// watch streams what handler writes, and returns the content of each event as JSON.
func watch(t *testing.T, handler http.HandlerFunc) (got []string, err error) {
	t.Helper()
	c := client(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		handler(w, r)
	})
	err = c.Stream(t.Context(), "/v1/x:watch", nil, func() proto.Message { return &structpb.Value{} }, func(m proto.Message) error {
		value, ok := m.(*structpb.Value)
		if !ok {
			t.Fatalf("each got a %T, want what newMessage made", m)
		}
		got = append(got, value.GetStringValue())
		return nil
	})
	return got, err
}

func TestStreamReadsServerSentEvents(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100_000)
	tests := map[string]struct {
		body string
		want []string
	}{
		"events with ids":                {"id: 1\ndata: \"a\"\n\nid: 2\ndata: \"b\"\n\n", []string{"a", "b"}},
		"comments are skipped":           {": beat\n\n: beat\n\ndata: \"a\"\n\n", []string{"a"}},
		"data over two lines":            {"data:\ndata: \"a\"\n\n", []string{"a"}},
		"carriage returns":               {"data: \"a\"\r\n\r\n", []string{"a"}},
		"an event without its end":       {"data: \"a\"\n\ndata: \"b\"\n", []string{"a"}},
		"a line longer than any buffer":  {"data: \"" + long + "\"\n\n", []string{long}},
		"an event name without any data": {"event: error\n\ndata: \"a\"\n\n", []string{"a"}},
		"nothing":                        {"", nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := watch(t, func(w http.ResponseWriter, _ *http.Request) { write(w, test.body) })
			if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
				t.Errorf("Stream() = %v, diff (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestStreamTellsHowItEnded(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		handler http.HandlerFunc
		reason  string
	}{
		"an error in the stream": {func(w http.ResponseWriter, _ *http.Request) {
			write(w, "data: \"a\"\n\nevent: error\ndata: {\"code\":5,\"message\":\"gone\"}\n\n")
		}, "NOT_FOUND"},
		"an error instead of a stream": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusNotFound)
			write(w, `{"code":5,"message":"gone"}`)
		}, "NOT_FOUND"},
		"a connection cut off": {func(w http.ResponseWriter, _ *http.Request) {
			write(w, "data: \"a\"\n\n")
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, "STREAM_BROKEN"},
		"data that is no JSON": {func(w http.ResponseWriter, _ *http.Request) { write(w, "data: <html>\n\n") }, "UNEXPECTED_ANSWER"},
		"another content type": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			write(w, "<html>")
		}, "UNEXPECTED_ANSWER"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := watch(t, test.handler); fault.ReasonOf(err) != test.reason {
				t.Errorf("Stream() = %v, want reason %s", err, test.reason)
			}
		})
	}
}

func TestStreamStopsWithTheErrorOfEach(t *testing.T) {
	t.Parallel()
	c := client(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		write(w, "data: 1\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	enough := errors.New("enough")
	err := c.Stream(t.Context(), "/", nil, func() proto.Message { return &structpb.Value{} }, func(proto.Message) error { return enough })
	if !errors.Is(err, enough) {
		t.Errorf("Stream() = %v, want %v", err, enough)
	}
}
