package agentclient_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/agentcard"
)

// TestAnAnswerOfTheOldProtocolIsBounded has an agent of 0.3 go on without end, in one answer and in one event.
func TestAnAnswerOfTheOldProtocolIsBounded(t *testing.T) {
	t.Parallel()
	const most = 48 << 20 // it stops then, so that the test ends
	line := strings.Repeat("x", 64<<10)
	for name, answer := range map[string]struct{ mediaType, begin, more string }{
		"one answer":             {"application/json", `{"jsonrpc":"2.0","id":"1","result":"`, line},
		"one event":              {"text/event-stream", `data: {"jsonrpc":"2.0","id":"1","result":"` + "\n", "data: " + line + "\n"},
		"one event with returns": {"text/event-stream", `data: {"jsonrpc":"2.0","id":"1","result":"` + "\r\n", "data: " + line + "\r\n"},
	} {
		taken := make(chan int, 1)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", answer.mediaType)
			n, err := io.WriteString(w, answer.begin)
			for err == nil && n < most {
				_, err = io.WriteString(w, answer.more)
				n += len(answer.more)
			}
			taken <- n
		}))
		t.Cleanup(server.Close)
		c, _, err := pool(t).Connect("old", agentcard.Card{Interfaces: []agentcard.Interface{{URL: server.URL, Binding: "JSONRPC", ProtocolVersion: "0.3.0"}}})
		if err != nil {
			t.Fatal(err)
		}
		err = c.Send(t.Context(), message("m", "hello"), answer.mediaType == "text/event-stream", func(*a2apb.StreamResponse) error { return nil })
		if fault.ReasonOf(err) != agentclient.ReasonAnswerInvalid {
			t.Errorf("Send() to an agent with %s without end = %v, want %s", name, err, agentclient.ReasonAnswerInvalid)
		}
		if n := <-taken; n >= most {
			t.Errorf("%s without end was read to its %d bytes, want no more than is bounded", name, n)
		}
	}
}

// TestAStreamOfTheOldProtocolMayBeLong has each event be small and all of them be more than one may be.
func TestAStreamOfTheOldProtocolMayBeLong(t *testing.T) {
	t.Parallel()
	const events = 9
	const said = `data: {"jsonrpc":"2.0","id":"1","result":{"kind":"message","messageId":"m","role":"agent","parts":[{"kind":"text","text":"x"}]}}`
	comment := ": " + strings.Repeat("x", 1<<20) // counts as the rest
	for name, end := range map[string]string{"lines": "\n", "lines with returns": "\r\n"} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for range events {
				_, _ = io.WriteString(w, said+end+comment+end+end)
			}
		}))
		t.Cleanup(server.Close)
		c, _, err := pool(t).Connect("old", agentcard.Card{Interfaces: []agentcard.Interface{{URL: server.URL, Binding: "JSONRPC", ProtocolVersion: "0.3.0"}}})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		if err := c.Send(t.Context(), message("m", "hello"), true, func(*a2apb.StreamResponse) error { n++; return nil }); err != nil || n != events {
			t.Errorf("Send() to an agent whose stream has %s = %v after %d events, want %d", name, err, n, events)
		}
	}
}
