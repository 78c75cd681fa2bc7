package agentclient_test

import (
	"bufio"
	"io"
	"net"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/registry/agentcard"
)

// TestAnEventThatIsCutOffIsNoWrongAnswer has an agent die amid an event of a stream that ends with its connection: the task can still be asked for.
func TestAnEventThatIsCutOffIsNoWrongAnswer(t *testing.T) {
	t.Parallel()
	for _, binding := range []string{agentcard.BindingJSONRPC, agentcard.BindingHTTPJSON} {
		url := serveRaw(t, func(conn net.Conn, in *bufio.Reader) {
			take(in)
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"1\",\"res")
		})
		c, _, err := pool(t).Connect("a", agentcard.Card{Interfaces: []agentcard.Interface{{URL: url, Binding: binding, ProtocolVersion: "1.0"}}})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Send(t.Context(), message("m", "hello"), true, func(*a2apb.StreamResponse) error { return nil }); !agentclient.Retryable(err) {
			t.Errorf("Send() over %s to an agent that dies = %v, want what may be tried again", binding, err)
		}
	}
}

// TestTheLastEventNeedsNoBlankLine has an agent end its connection right behind an event, whose data it has put on two lines.
func TestTheLastEventNeedsNoBlankLine(t *testing.T) {
	t.Parallel()
	for binding, event := range map[string]string{
		agentcard.BindingJSONRPC:  "data: {\"jsonrpc\":\"2.0\",\"id\":\"1\",\ndata: \"result\":{\"message\":{\"messageId\":\"last\"}}}",
		agentcard.BindingHTTPJSON: "data: {\"message\":\ndata: {\"messageId\":\"last\"}}",
	} {
		url := serveRaw(t, func(conn net.Conn, in *bufio.Reader) {
			take(in)
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"+event)
		})
		c, _, err := pool(t).Connect("a", agentcard.Card{Interfaces: []agentcard.Interface{{URL: url, Binding: binding, ProtocolVersion: "1.0"}}})
		if err != nil {
			t.Fatal(err)
		}
		var got string
		err = c.Send(t.Context(), message("m", "hello"), true, func(r *a2apb.StreamResponse) error { got = r.GetMessage().GetMessageId(); return nil })
		if err != nil || got != "last" {
			t.Errorf("Send() over %s = %v with the message %q, want the last one", binding, err, got)
		}
	}
}
