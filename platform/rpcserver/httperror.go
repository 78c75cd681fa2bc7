package rpcserver

import (
	"math"
	"mime"
	"net/http"
	"strconv"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/fault/rpcfault"
)

// statusOf returns the status of err with an ErrorInfo, which the gateway's own errors lack.
func statusOf(err error) *status.Status {
	st := rpcfault.Status(err)
	for _, d := range st.Details() {
		if _, ok := d.(*errdetails.ErrorInfo); ok {
			return st
		}
	}
	detailed, err := st.WithDetails(&errdetails.ErrorInfo{Reason: fault.ReasonOf(rpcfault.FromStatus(st.Err())), Domain: rpcfault.Domain})
	if err != nil {
		return st
	}
	return detailed
}

// form is how a status is written.
type form struct {
	mediaType string
	marshal   func(proto.Message) ([]byte, error)
}

var (
	asJSON  = form{"application/json", protojson.Marshal}
	asProto = form{"application/x-protobuf", proto.Marshal}
)

// formFor returns the form of the answer to r. OTLP's exporters, who send protobuf, may read no other, and others send none over HTTP.
func formFor(r *http.Request) form {
	if sent, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err == nil && sent == asProto.mediaType {
		return asProto
	}
	return asJSON
}

// writeError answers with the status of err and the HTTP status that belongs to its code.
func writeError(w http.ResponseWriter, r *http.Request, err error) {
	st := statusOf(err)
	httpCode := runtime.HTTPStatusFromCode(st.Code())
	if r.Header.Get("If-Match") != "" && fault.ReasonOf(rpcfault.FromStatus(st.Err())) == "ETAG_MISMATCH" { // other conflicts are not about the condition
		httpCode = http.StatusPreconditionFailed // RFC 9110, section 13.1.1
	}
	writeStatus(w, formFor(r), httpCode, st)
}

// writeErrorCode answers with the status of err and an HTTP status that no gRPC code maps to.
func writeErrorCode(w http.ResponseWriter, r *http.Request, httpCode int, err error) {
	writeStatus(w, formFor(r), httpCode, statusOf(err))
}

func writeStatus(w http.ResponseWriter, as form, httpCode int, st *status.Status) {
	body, err := as.marshal(st.Proto())
	if err != nil { // a detail has a type that this binary does not know
		body, _ = as.marshal(status.New(st.Code(), st.Message()).Proto()) // two scalar fields
	}
	h := w.Header()
	h.Del("Transfer-Encoding")
	h.Del("Trailer")
	h.Set("Content-Type", as.mediaType)
	h.Set("X-Content-Type-Options", "nosniff")
	if httpCode == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="quorate"`)
	}
	for _, d := range st.Details() {
		if retry, ok := d.(*errdetails.RetryInfo); ok {
			seconds := math.Ceil(retry.GetRetryDelay().AsDuration().Seconds())
			h.Set("Retry-After", strconv.Itoa(int(seconds)))
		}
	}
	w.WriteHeader(httpCode)
	_, _ = w.Write(body) // when it fails, the client is gone
}
