package a2aedge

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf8"
)

// envelope is a JSON-RPC 2.0 request.
type envelope struct {
	Version string
	ID      json.RawMessage
	Method  string
	Params  json.RawMessage
}

var null = json.RawMessage("null")

// parseEnvelope reads the envelope. If the request has no readable id, the answer has the id null.
func parseEnvelope(body []byte) (envelope, *rpcError) {
	if e, ok := envelopeOf(body); ok { // the usual case
		return e, nil
	}
	if !json.Valid(body) || !utf8.Valid(body) {
		return envelope{ID: null}, &rpcError{Code: codeParse, Message: "the body is not JSON in UTF-8"}
	}
	e, err := readEnvelope(body)
	if !validID(e.ID) {
		return envelope{ID: null}, &rpcError{Code: codeInvalidRequest, Message: "the body is not one JSON-RPC request with an id that is a string or a number"}
	}
	params := bytes.TrimSpace(e.Params)
	switch {
	case err != nil, e.Version != "2.0", e.Method == "":
		return e, &rpcError{Code: codeInvalidRequest, Message: `the body is not a JSON-RPC request: {"jsonrpc": "2.0", "id": …, "method": …, "params": {…}}`}
	case len(params) > 0 && params[0] != '{' && !bytes.Equal(params, null):
		return e, &rpcError{Code: codeInvalidParams, Message: "params is not an object"}
	case bytes.Equal(params, null):
		e.Params = nil
	}
	return e, nil
}

// envelopeOf reads a JSON-RPC request without decoding it. ok is false if anything is unusual: readEnvelope then finds out whether it is wrong.
func envelopeOf(body []byte) (e envelope, ok bool) {
	if !json.Valid(body) || !utf8.Valid(body) {
		return e, false
	}
	var name, version json.RawMessage
	ok = members(body, func(m member) bool {
		var field *json.RawMessage
		switch string(m.name) {
		case "jsonrpc":
			field = &version
		case "id":
			field = &e.ID
		case "method":
			field = &name
		case "params":
			field = &e.Params
		default:
			return true
		}
		once := *field == nil
		*field = m.value
		return once
	})
	var plain bool
	e.Version = "2.0"
	e.Method, plain = plainText(name)
	return e, ok && plain && string(version) == `"2.0"` && validID(e.ID) && bytes.HasPrefix(e.Params, []byte("{"))
}

// plainText returns the text of a string that has some, and no escapes.
func plainText(value []byte) (s string, ok bool) {
	if len(value) <= len(`""`) || value[0] != '"' || bytes.IndexByte(value, '\\') >= 0 {
		return "", false
	}
	return string(value[1 : len(value)-1]), true
}

var errEnvelope = errors.New("not a JSON-RPC request")

// readEnvelope reads an envelope. Names are case-sensitive and must not be repeated: something that inspects requests before they get here might read
// another value.
func readEnvelope(body []byte) (e envelope, err error) {
	var version, method json.RawMessage
	fields := map[json.Token]*json.RawMessage{"jsonrpc": &version, "id": &e.ID, "method": &method, "params": &e.Params}
	d := json.NewDecoder(bytes.NewReader(body))
	if begin, err := d.Token(); err != nil || begin != json.Delim('{') {
		return e, errEnvelope
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return e, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return e, err
		}
		switch field := fields[name]; {
		case field == nil:
		case *field != nil:
			return e, errEnvelope
		default:
			*field = value
		}
	}
	return e, errors.Join(json.Unmarshal(version, &e.Version), json.Unmarshal(method, &e.Method))
}

// validID reports whether an id is valid by JSON-RPC. A missing id is not: every A2A request has an answer.
func validID(id json.RawMessage) bool {
	if len(id) == 0 || len(id) > maxID {
		return false
	}
	switch id[0] {
	case '{', '[', 't', 'f':
		return false
	default:
		return true
	}
}
