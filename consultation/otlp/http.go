package otlp

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/fault/rpcfault"
)

const (
	maxBodyBytes = 4 << 20 // compressed, and also decompressed
	typeProto    = "application/x-protobuf"
	typeJSON     = "application/json"
)

// HTTPHandler returns the handler of POST /v1/traces, which accepts protobuf or JSON, plain or gzip, of at most 4 MiB before and after decompression.
// The principal must be in the request's context.
func (r *Receiver) HTTPHandler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		contentType, resp, err := r.serve(w, req)
		if err != nil {
			writeError(w, contentType, err)
			return
		}
		marshal := resp.MarshalProto
		if contentType == typeJSON {
			marshal = resp.MarshalJSON
		}
		body, err := marshal()
		if err != nil {
			writeError(w, contentType, fmt.Errorf("encoding the answer: %w", err))
			return
		}
		write(w, contentType, http.StatusOK, body)
	})
}

// httpError is a fault with an HTTP status for which there is no kind of fault.
type httpError struct {
	fault *fault.Error
	code  int
}

func (e httpError) Error() string { return e.fault.Error() }

// serve returns the content type of the answer whatever it is.
func (r *Receiver) serve(w http.ResponseWriter, req *http.Request) (contentType string, resp ptraceotlp.ExportResponse, err error) {
	contentType, _, err = mime.ParseMediaType(req.Header.Get("Content-Type"))
	known := err == nil && (contentType == typeProto || contentType == typeJSON)
	if !known {
		contentType = typeJSON
	}
	if req.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		return contentType, resp, httpFault(http.StatusMethodNotAllowed, "METHOD_NOT_ALLOWED", "traces are sent with POST")
	}
	p, err := admit(req.Context())
	if err != nil {
		return contentType, resp, err
	}
	if !known {
		w.Header().Set("Accept", typeProto+", "+typeJSON)
		return contentType, resp, httpFault(http.StatusUnsupportedMediaType, "CONTENT_TYPE_UNSUPPORTED", "the content type must be "+typeProto+" or "+typeJSON)
	}
	body, err := readBody(w, req)
	if err != nil {
		return contentType, resp, err
	}
	traces, err := decode(body, contentType == typeJSON)
	if err != nil {
		return contentType, resp, err
	}
	resp, err = r.receive(req.Context(), p, traces)
	return contentType, resp, err
}

func readBody(w http.ResponseWriter, req *http.Request) ([]byte, error) {
	var reader io.Reader = http.MaxBytesReader(w, req.Body, maxBodyBytes)
	switch strings.ToLower(req.Header.Get("Content-Encoding")) { // RFC 9110, section 8.4.1
	case "", "identity":
	case "gzip":
		unzip, err := gzip.NewReader(reader)
		if err != nil {
			return nil, unreadable(err)
		}
		reader = io.LimitReader(unzip, maxBodyBytes+1)
	default:
		w.Header().Set("Accept-Encoding", "gzip")
		return nil, httpFault(http.StatusUnsupportedMediaType, "CONTENT_ENCODING_UNSUPPORTED", "the content encoding must be gzip or none")
	}
	body, err := io.ReadAll(reader)
	if err != nil {
		return nil, unreadable(err)
	}
	if len(body) > maxBodyBytes {
		return nil, tooLarge()
	}
	return body, nil
}

func unreadable(err error) error {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return tooLarge()
	}
	if refused, ok := errors.AsType[*fault.Error](err); ok {
		return refused
	}
	return &fault.Error{Kind: fault.InvalidArgument, Reason: "BODY_UNREADABLE", Message: "the body could not be read", Cause: err}
}

func tooLarge() error {
	return httpFault(http.StatusRequestEntityTooLarge, "BODY_TOO_LARGE", "the body has more than 4 MiB; send fewer spans at once")
}

func httpFault(code int, reason, message string) error {
	return httpError{fault: fault.New(fault.InvalidArgument, reason, "%s", message), code: code}
}

// writeError answers with a google.rpc.Status, as OTLP demands.
func writeError(w http.ResponseWriter, contentType string, err error) {
	e := fault.From(err)
	code := statusCode(e.Kind)
	if own, ok := errors.AsType[httpError](err); ok {
		e, code = own.fault, own.code
	}
	if code == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="quorate"`)
	}
	if e.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(e.RetryAfter.Seconds()))))
	}
	st := rpcfault.Status(e).Proto()
	var body []byte
	if contentType == typeJSON {
		body, err = protojson.Marshal(st)
	} else {
		body, err = proto.Marshal(st)
	}
	if err != nil { // neither a fault nor its details can cause it
		body = nil
	}
	write(w, contentType, code, body)
}

func write(w http.ResponseWriter, contentType string, code int, body []byte) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(code)
	_, _ = w.Write(body) //nolint:gosec // JSON or protobuf that no browser takes for a page; the client is gone when it fails
}

func statusCode(k fault.Kind) int {
	switch k {
	case fault.InvalidArgument:
		return http.StatusBadRequest
	case fault.Unauthenticated:
		return http.StatusUnauthorized
	case fault.PermissionDenied:
		return http.StatusForbidden
	case fault.ResourceExhausted:
		return http.StatusTooManyRequests
	case fault.Unavailable, fault.DeadlineExceeded:
		return http.StatusServiceUnavailable
	default:
		return http.StatusInternalServerError
	}
}
