package mcp_test

import (
	"bufio"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/agents/webfetch/mcp"
)

func TestALineThatIsNoMessageIsAnsweredAndTheSessionGoesOn(t *testing.T) {
	f, _ := newFetcher(t, webfetch.Options{})
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- mcp.New(f, mcp.Options{}).Run(t.Context(), fromClient, toClient) }()
	answers := bufio.NewScanner(fromServer)
	answers.Buffer(nil, 1<<20)
	ask := func(line string) (id string, code int) {
		t.Helper()
		if _, err := io.WriteString(toServer, line); err != nil || !answers.Scan() {
			t.Fatalf("a session after %.60q = %v, %v, want an answer", line, err, answers.Err())
		}
		var answer struct {
			ID    json.RawMessage
			Error struct{ Code int }
		}
		if err := json.Unmarshal(answers.Bytes(), &answer); err != nil {
			t.Fatalf("the answer to %.60q is %s, want JSON", line, answers.Bytes())
		}
		return string(answer.ID), answer.Error.Code
	}
	const ping = `{"jsonrpc":"2.0","id":7,"method":"ping"}`
	for _, test := range []struct {
		line, id string
		code     int
	}{
		{"not json\n", "null", -32700},
		{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n", "1", 0},
		{"{\"id\":3\n", "null", -32700},
		{"[" + ping + "]\n", "null", -32600},
		{`{"jsonrpc":"1.0","id":"a","method":"ping"}` + "\n", `"a"`, -32600},
		{ping + ping + "\n", "null", -32700},
		{strings.Repeat("x", 3<<20) + "\n", "null", -32600},
		{"\n \r\n" + ping + " \r\n", "7", 0},
	} {
		if id, code := ask(test.line); id != test.id || code != test.code {
			t.Errorf("%.60q is answered with id %s and code %d, want %s and %d", test.line, id, code, test.id, test.code)
		}
	}
	if err := toServer.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Errorf("Run() = %v, want nil after the client left", err)
	}
}
