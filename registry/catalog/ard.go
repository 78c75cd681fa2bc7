package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"

	"github.com/quorate/quorate/platform/bounded"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/rpcserver"
)

const maxBody = 64 << 10 // bytes

// reasonMethod is answered with 405, for which there is no kind of fault.
const reasonMethod = "METHOD_NOT_ALLOWED"

// refuseMethod answers a request whose path allows another method.
func (c *Catalog) refuseMethod(w http.ResponseWriter, r *http.Request, allowed string) {
	rpcserver.SetAllow(w.Header(), allowed)
	c.fail(w, r, fault.New(fault.InvalidArgument, reasonMethod, "%s is not allowed here; use %s", r.Method, allowed))
}

// ARD returns the handler of the search API, below ARDPath: POST /search, POST /explore and GET /agents.
func (c *Catalog) ARD() http.Handler {
	mux := http.NewServeMux()
	for path, route := range map[string]struct {
		method string
		answer func(r *http.Request) (any, error)
	}{
		"/search":  {http.MethodPost, c.search},
		"/explore": {http.MethodPost, c.explore},
		"/agents":  {http.MethodGet, c.list},
	} {
		mux.HandleFunc(ARDPath+path, func(w http.ResponseWriter, r *http.Request) {
			if r.Method != route.method {
				c.refuseMethod(w, r, route.method)
				return
			}
			body, err := route.answer(r)
			if err != nil {
				c.fail(w, r, err)
				return
			}
			writeJSON(w, http.StatusOK, body)
		})
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		c.fail(w, r, fault.New(fault.NotFound, "ROUTE_NOT_FOUND", "there is nothing at %s", r.URL.Path))
	})
	return mux
}

// readJSON decodes a request's body into v. An unknown field is an error, as the API's schema demands.
func readJSON(r *http.Request, v any) error {
	body, err := bounded.Read(r.Body, "the body", maxBody)
	if err != nil {
		return malformed("%v", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(v); err != nil {
		return malformed("the body is not what this expects: %v", fault.InWordsOfJSON(err))
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return malformed("there is more than one JSON value in the body")
	}
	return nil
}

func malformed(format string, args ...any) error {
	return fault.New(fault.InvalidArgument, "ARD_REQUEST_INVALID", format, args...)
}

// fail answers with an error in ARD's form, and logs errors that are not the caller's fault.
func (c *Catalog) fail(w http.ResponseWriter, r *http.Request, err error) {
	e := fault.From(err)
	code, name := http.StatusInternalServerError, "INTERNAL"
	switch e.Kind {
	case fault.InvalidArgument, fault.FailedPrecondition:
		code, name = http.StatusBadRequest, "INVALID_ARGUMENT"
	case fault.Unauthenticated:
		code, name = http.StatusUnauthorized, "UNAUTHENTICATED"
	case fault.PermissionDenied:
		code, name = http.StatusForbidden, "PERMISSION_DENIED"
	case fault.NotFound:
		code, name = http.StatusNotFound, "NOT_FOUND"
	case fault.ResourceExhausted:
		code, name = http.StatusTooManyRequests, "RATE_LIMIT_EXCEEDED"
	case fault.Unavailable, fault.DeadlineExceeded:
		code, name = http.StatusServiceUnavailable, "UNAVAILABLE"
	default:
		c.options.Logger.ErrorContext(r.Context(), "catalog request failed", slog.String("path", r.URL.Path), slog.Any("error", err))
	}
	if e.Reason == reasonMethod {
		code = http.StatusMethodNotAllowed
	}
	writeJSON(w, code, struct {
		ErrorCode string `json:"errorCode"`
		Message   string `json:"message"`
	}{name, e.Message})
}

func writeJSON(w http.ResponseWriter, code int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		code, body = http.StatusInternalServerError, fmt.Appendf(nil, `{"errorCode":"INTERNAL","message":"internal error"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(code)
	if _, err := w.Write(body); err != nil {
		return // the client has disconnected
	}
}
