package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// lines is the input from a client over stdio without invalid lines. The SDK would end the session at such a line, so they are answered here, by
// JSON-RPC 2.0 §5.1, and the lines after them are served.
type lines struct {
	io.Closer

	from *bufio.Reader // its buffer is as long as the longest line
	out  io.Writer
	rest []byte // of the line that is being read
}

func newLines(in io.ReadCloser, out io.Writer) *lines {
	return &lines{Closer: in, from: bufio.NewReaderSize(in, maxRequest), out: out}
}

// Read reads from the next valid line, and never from two lines at once.
func (l *lines) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		line, err := l.from.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			err = l.skip()
			line = nil
		}
		if line = bytes.TrimSpace(line); len(line) > 0 && l.accepts(line) {
			l.rest = line
		}
		if err != nil && len(l.rest) == 0 {
			return 0, err
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// skip skips the rest of a line that is too long. It is answered at its end, because a client that is still writing may not read yet.
func (l *lines) skip() error {
	err := bufio.ErrBufferFull
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = l.from.ReadSlice('\n')
	}
	l.refuse(nil, jsonrpc.CodeInvalidRequest, fmt.Sprintf("a message has more than %d bytes", maxRequest))
	return err
}

// accepts reports whether a line is a message. If not, it answers with an error.
func (l *lines) accepts(line []byte) bool {
	if !json.Valid(line) {
		l.refuse(nil, jsonrpc.CodeParseError, "a line is not JSON")
		return false
	}
	if _, err := jsonrpc.DecodeMessage(line); err != nil {
		var named struct {
			ID json.RawMessage `json:"id"`
		}
		_ = json.Unmarshal(line, &named) // a batch has none; MCP has no batches since 2025-06-18
		l.refuse(named.ID, jsonrpc.CodeInvalidRequest, "a line is not one JSON-RPC 2.0 message")
		return false
	}
	return true
}

// refuse answers an invalid line. The id is null when it is unknown.
func (l *lines) refuse(id json.RawMessage, code int64, message string) {
	answer, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   jsonrpc.Error   `json:"error"`
	}{"2.0", id, jsonrpc.Error{Code: code, Message: message}})
	if err == nil {
		_, _ = l.out.Write(append(answer, '\n')) // if the client has left, the next read ends
	}
}

// turns lets one line be written at a time.
type turns struct {
	io.WriteCloser

	mu sync.Mutex
}

// Write writes a whole line.
func (t *turns) Write(line []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.WriteCloser.Write(line)
}
