package a2aedge_test

import (
	"strings"
	"testing"
)

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
