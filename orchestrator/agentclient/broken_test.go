package agentclient_test

import (
	"bufio"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
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
		got, err := sendRaw(t, binding, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"+event)
		if err != nil || got != "last" {
			t.Errorf("Send() over %s = %v with the message %q, want the last one", binding, err, got)
		}
	}
}

// TestWhatHasNoDataIsNoEvent has agents keep their streams alive before an event.
func TestWhatHasNoDataIsNoEvent(t *testing.T) {
	t.Parallel()
	for name, alive := range map[string]string{
		"comments": ": ping\n\n: ping\n\n", "blank lines": "\n\r\n\n", "other fields": "event: ping\nid: 1\nretry: 10\ndatabase: none\n\n", "a field without a value": "data\n\n",
		"no data": "data:\n\n", "no data in lines with returns": "data: \r\n\r\ndata:\r\ndata:\r\n\r\n",
	} {
		for binding, event := range map[string]string{
			agentcard.BindingJSONRPC: `data: {"jsonrpc":"2.0","id":"1","result":{"message":{"messageId":"said"}}}`, agentcard.BindingHTTPJSON: `data: {"message":{"messageId":"said"}}`,
		} {
			got, err := sendRaw(t, binding, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"+alive+event+"\n\n"+alive)
			if err != nil || got != "said" {
				t.Errorf("Send() over %s to an agent that sends %s = %v with the message %q, want the one behind", binding, name, err, got)
			}
		}
	}
}

// TestAByteOrderMarkIsNoPartOfAStream has an agent begin its stream with one.
func TestAByteOrderMarkIsNoPartOfAStream(t *testing.T) {
	t.Parallel()
	for binding, event := range map[string]string{
		agentcard.BindingJSONRPC: `data: {"jsonrpc":"2.0","id":"1","result":{"message":{"messageId":"marked"}}}`, agentcard.BindingHTTPJSON: `data: {"message":{"messageId":"marked"}}`,
	} {
		got, err := sendRaw(t, binding, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n\uFEFF"+event+"\n\n")
		if err != nil || got != "marked" {
			t.Errorf("Send() over %s = %v with the message %q, want the one behind the mark", binding, err, got)
		}
	}
}

// TestARecordSeparatorIsNoPartOfAnEvent has an agent's events be texts of a sequence of JSON (RFC 7464), as those of VoltAgent's servers are.
func TestARecordSeparatorIsNoPartOfAnEvent(t *testing.T) {
	t.Parallel()
	const event = "data: \x1e" + `{"jsonrpc":"2.0","id":"1","result":{"message":{"messageId":"separate"}}}` + "\n\n"
	got, err := sendRaw(t, agentcard.BindingJSONRPC, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"+event)
	if err != nil || got != "separate" {
		t.Errorf("Send() = %v with the message %q, want the one behind the separator", err, got)
	}
}

// TestWhatIsWrongInAResponseIsSaidInWordsOfJSON has agents whose error is a text, and whose text was cut in the middle of a character.
func TestWhatIsWrongInAResponseIsSaidInWordsOfJSON(t *testing.T) {
	t.Parallel()
	for response, want := range map[string]string{
		`{"jsonrpc":"2.0","id":"1","error":"no"}`:                                           `no JSON-RPC response: "error" is of type string, where an object is expected`,
		`{"jsonrpc":"2.0","id":"1","result":{"message":{"parts":[{"text":"cut \ud83d"}]}}}`: `\ud83d is half of a character: a text was cut in the middle of one`,
	} {
		_, err := sendRaw(t, agentcard.BindingJSONRPC, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"+response)
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("Send() = %v, want it to end with %s", err, want)
		}
	}
}

// TestWhatANewerVersionAddsIsNoError has agents answer with a field that is not known yet, and with one of another type than A2A says.
func TestWhatANewerVersionAddsIsNoError(t *testing.T) {
	t.Parallel()
	for field, reason := range map[string]string{`"newIn":{"version":[1.1]}`: "", `"contextId":7`: agentclient.ReasonAnswerInvalid} {
		for binding, around := range map[string][2]string{agentcard.BindingJSONRPC: {`{"jsonrpc":"2.0","id":"1","result":`, `}`}, agentcard.BindingHTTPJSON: {"", ""}} {
			for kind, begin := range map[string]string{"application/json": "", "text/event-stream": "data: "} {
				body := begin + around[0] + `{"message":{"messageId":"said",` + field + `}}` + around[1] + "\n\n"
				got, err := sendRaw(t, binding, "HTTP/1.1 200 OK\r\nContent-Type: "+kind+"\r\nConnection: close\r\n\r\n"+body)
				if fault.ReasonOf(err) != reason || (err == nil) != (got == "said") {
					t.Errorf("Send() over %s to an agent that answers in %s with %s = %v with the message %q, want the reason %q", binding, kind, field, err, got, reason)
				}
			}
		}
	}
}

// sendRaw sends a message to an agent that answers with these bytes, and returns the id of the message in the answer.
func sendRaw(t *testing.T, binding, answer string) (id string, err error) {
	t.Helper()
	url := serveRaw(t, func(conn net.Conn, in *bufio.Reader) {
		take(in)
		_, _ = io.WriteString(conn, answer)
	})
	c, _, err := pool(t).Connect("a", agentcard.Card{Interfaces: []agentcard.Interface{{URL: url, Binding: binding, ProtocolVersion: "1.0"}}})
	if err != nil {
		t.Fatal(err)
	}
	err = c.Send(t.Context(), message("m", "hello"), true, func(r *a2apb.StreamResponse) error { id = r.GetMessage().GetMessageId(); return nil })
	return id, err
}
