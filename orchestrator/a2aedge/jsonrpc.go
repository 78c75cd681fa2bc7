package a2aedge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"unicode/utf8"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

const maxID = 1 << 10 // bytes of a JSON-RPC id

// envelope is a JSON-RPC 2.0 request.
type envelope struct {
	Version string
	ID      json.RawMessage
	Method  string
	Params  json.RawMessage
}

// rpcError is a JSON-RPC 2.0 error.
type rpcError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// serveJSONRPC serves one request of the JSON-RPC binding (A2A §9).
func (h *Handler) serveJSONRPC(w http.ResponseWriter, r *http.Request, agent string) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		writeJSONRPC(w, http.StatusMethodNotAllowed, null, nil, &rpcError{Code: codeInvalidRequest, Message: "JSON-RPC takes POST only"})
		return
	}
	body, err := h.readBody(r)
	if err != nil {
		refuseJSONRPC(w, null, err)
		return
	}
	if h.pass(r.Context(), w, r, agent, body) {
		return
	}
	ctx, end, err := h.Gate.TakeTurn(r.Context(), len(body))
	if err != nil {
		refuseJSONRPC(w, null, err)
		return
	}
	defer end()
	e, wrong := parseEnvelope(body)
	if wrong != nil {
		writeJSONRPC(w, http.StatusOK, e.ID, nil, wrong)
		return
	}
	op, version, ok := operationOf(versionOf(r), e.Method)
	if !ok {
		writeJSONRPC(w, http.StatusOK, e.ID, nil, &rpcError{Code: codeMethodNotFound, Message: fmt.Sprintf("there is no method %.100q in A2A %s", e.Method, Version)})
		return
	}
	req, err := op.read(e.Params)
	if err == nil {
		err = setAgent(req, agent)
	}
	if err != nil {
		refuseJSONRPC(w, e.ID, err)
		return
	}
	ctx = withParameters(ctx, r, version)
	if op.method.stream {
		h.stream(ctx, w, op.method, req, &jsonrpcForm{e.ID, op.write})
		return
	}
	result, err := h.invoke(ctx, op.method, req, op.write)
	if err != nil {
		refuseJSONRPC(w, e.ID, err)
		return
	}
	writeJSONRPC(w, http.StatusOK, e.ID, result, nil)
}

// operation is an A2A operation in the JSON-RPC form of one version.
type operation struct {
	method *method
	read   func(params []byte) (proto.Message, error)
	write  func(answer proto.Message) ([]byte, error)
}

// operationOf returns the operation for a JSON-RPC method in a version, and the version in which it is executed: operations of 0.3 are executed as in
// 1.0.
func operationOf(version, name string) (op operation, doneIn string, ok bool) {
	if old, ok := legacyMethods[name]; ok && isLegacy(version) {
		return old, Version, true
	}
	m, ok := methods[name]
	if !ok {
		return op, "", false
	}
	return operation{m, m.decode, encode}, version, true
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

func refuseJSONRPC(w http.ResponseWriter, id json.RawMessage, err error) {
	st := statusOf(err)
	writeJSONRPC(w, jsonrpcHTTPCode(st), id, nil, newRPCError(st))
}

func newRPCError(st *status.Status) *rpcError {
	return &rpcError{Code: jsonrpcCode(st), Message: st.Message(), Data: detailsOf(st)}
}

func writeJSONRPC(w http.ResponseWriter, code int, id, result json.RawMessage, failure *rpcError) {
	write(w, code, jsonMIME, formatJSONRPC(id, result, failure))
}

// formatJSONRPC writes a response. It copies the result without parsing it, since it may be large.
func formatJSONRPC(id, result json.RawMessage, failure *rpcError) []byte {
	b := make([]byte, 0, len(id)+len(result)+64)
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = append(b, id...)
	if failure != nil {
		raw, err := json.Marshal(failure)
		if err != nil {
			raw = fmt.Appendf(nil, `{"code":%d,"message":"internal error"}`, codeInternal)
		}
		b = append(append(b, `,"error":`...), raw...)
	} else {
		b = append(append(b, `,"result":`...), result...)
	}
	return append(b, '}')
}

// jsonrpcForm writes the events of a stream in JSON-RPC: each is a response to the one request (A2A §9.4.2).
type jsonrpcForm struct {
	id    json.RawMessage
	write func(answer proto.Message) ([]byte, error)
}

func (f *jsonrpcForm) refuse(w http.ResponseWriter, err error) { refuseJSONRPC(w, f.id, err) }

func (f *jsonrpcForm) data(r *a2apb.StreamResponse) ([]byte, error) {
	result, err := f.write(r)
	if err != nil {
		return nil, err
	}
	return formatJSONRPC(f.id, result, nil), nil
}

func (f *jsonrpcForm) failure(st *status.Status) []byte {
	return formatJSONRPC(f.id, nil, newRPCError(st))
}
