package a2aedge

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

const maxID = 1 << 10 // bytes of a JSON-RPC id

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
