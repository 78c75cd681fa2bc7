package agentclient_test

import (
	"bufio"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/agentcard"
)

// TestAnErrorRepeatsLittleOfAnAnswer has agents answer what decoders quote whole. An error goes into the log of its task, which takes only so much.
func TestAnErrorRepeatsLittleOfAnAnswer(t *testing.T) {
	t.Parallel()
	const head, most = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n", 8 << 10
	long := strings.Repeat("9", 1<<20)
	for name, answer := range map[string]string{
		"a number that is too large":  head + `{"jsonrpc":"2.0","id":"1","result":{"message":{"messageId":"m","metadata":{"x":` + long + `}}}}`,
		"a value that there is not":   head + `{"jsonrpc":"2.0","id":"1","result":{"task":{"id":"t","status":{"state":"` + long + `"}}}}`,
		"a field that there is not":   head + `{"jsonrpc":"2.0","id":"1","result":{"task":{"` + long + `":}}}`,
		"a line that is not HTTP":     long[:200<<10] + "\r\n\r\n",
		"a status that is no number":  "HTTP/1.1 " + long[:200<<10] + " OK\r\n\r\n",
		"a length that is no number":  "HTTP/1.1 200 OK\r\nContent-Length: x" + long[:200<<10] + "\r\n\r\n",
		"an encoding that is unknown": "HTTP/1.1 200 OK\r\nTransfer-Encoding: " + long[:200<<10] + "\r\n\r\n",
	} {
		for _, version := range []string{"1.0", "0.3.0"} {
			t.Run(name+" to "+version, func(t *testing.T) {
				t.Parallel()
				at := serveRaw(t, func(conn net.Conn, in *bufio.Reader) {
					take(in)
					_, _ = io.WriteString(conn, answer)
					_ = conn.Close()
				})
				c, _, err := pool(t).Connect("a", agentcard.Card{Interfaces: []agentcard.Interface{{URL: at, Binding: "JSONRPC", ProtocolVersion: version}}})
				if err != nil {
					t.Fatal(err)
				}
				err = c.Send(t.Context(), message("m", "hello"), false, func(*a2apb.StreamResponse) error { return nil })
				if err != nil && max(len(fault.From(err).Message), len(err.Error())) > most { // some answers are of the one version and not of the other
					t.Errorf("Send() = an error of %d bytes, %d with its causes, want at most %d", len(fault.From(err).Message), len(err.Error()), most)
				}
			})
		}
	}
}
