package a2aedge

import (
	"context"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/platform/fault"
)

// Paths of the HTTP bindings.
const (
	Path       = "/a2a"     // Quorate itself: JSON-RPC, and the root of HTTP+JSON
	AgentsPath = "/agents/" // each agent: the same, below its name
)

const (
	maxDepth = 100 // of JSON
	jsonMIME = "application/json"
	a2aMIME  = "application/a2a+json"
)

// HandlerConfig holds the dependencies and settings of a Handler. GRPCAddress and URL may be empty.
type HandlerConfig struct {
	Service     *Service                 // passes requests to agents over JSON-RPC
	Conn        grpc.ClientConnInterface // to Service, through its interceptors
	Gate        Gate
	Agents      Agents
	GRPCPort    string    // port of gRPC on the host of the HTTP request
	GRPCAddress string    // host:port of gRPC as clients see it; empty: the request's host with GRPCPort
	URL         string    // our HTTP URL as clients see it, without a path; empty: from the request
	Started     time.Time // since when the content of Quorate's own card holds
}

// Gate authorizes requests by the rules of the gRPC methods that they stand for. *rpcserver.Server is one.
type Gate interface {
	// ReadBody returns the body of a request, or an error for a large one whose caller is not authenticated or has sent too many that wait.
	ReadBody(r *http.Request) ([]byte, error)
	// TakeTurn waits until a body of size bytes may be decoded. The call has to be made with the context that it returns, and end be called when it is over.
	TakeTurn(ctx context.Context, size int) (_ context.Context, end func(), err error)
	// Admit returns ctx with the caller whose credentials are in the headers of a request.
	Admit(ctx context.Context, h http.Header, method string) (context.Context, error)
	// Enter counts a call of the caller in ctx as open until leave is called, or returns a fault if the caller is beyond its limits.
	Enter(ctx context.Context) (leave func(), err error)
	// WhileAdmitted returns what Admit did as the context of a stream, which ends when the caller is not admitted any more, and when the server stops.
	WhileAdmitted(ctx context.Context, h http.Header, method string) (_ context.Context, stop func())
}

// Handler serves the HTTP bindings. It keeps no state between requests.
type Handler struct{ HandlerConfig }

// NewHandler returns the HTTP bindings over a connection to a Service.
func NewHandler(c HandlerConfig) *Handler { return &Handler{c} }

// ServeHTTP serves both bindings below Path and AgentsPath{name}.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	agent, rest, base := split(r.URL.Path)
	switch {
	case isJSONRPC(rest):
		h.serveJSONRPC(w, r, agent)
		return
	case agent != "" && (rest == strings.Trim(CardPath, "/") || rest == strings.Trim(LegacyCardPath, "/")): // ServeAgentCard has those with GET
		refuseMethod(w, r, http.MethodGet)
		return
	}
	path := segments(r.URL)
	h.serveREST(withParameters(r.Context(), r, versionOf(r)), w, r, agent, path[min(base, len(path)):])
}

// split splits a path into the agent of the base URL, or "", and what is below the base URL, which has base segments.
func split(path string) (agent, rest string, base int) {
	below, ok := strings.CutPrefix(path, AgentsPath)
	if !ok {
		return "", strings.TrimPrefix(path, Path), 1
	}
	agent, rest, _ = strings.Cut(below, "/")
	return agent, rest, 2
}

// isJSONRPC reports whether the base URL itself is asked for, where JSON-RPC is.
func isJSONRPC(rest string) bool { return strings.Trim(rest, "/") == "" }

// Refuse answers a request that the server refuses before ServeHTTP, in the form of its binding.
func (h *Handler) Refuse(w http.ResponseWriter, r *http.Request, httpCode int, err error) {
	st := statusOf(err)
	if _, rest, _ := split(r.URL.Path); isJSONRPC(rest) {
		writeJSONRPC(w, httpCode, null, nil, newRPCError(st))
		return
	}
	writeRESTError(w, httpCode, st)
}

// segments splits the path of a URL. An escaped slash is part of a segment.
func segments(u *url.URL) []string {
	all := strings.Split(strings.Trim(u.EscapedPath(), "/"), "/")
	for i, segment := range all {
		all[i], _ = url.PathUnescape(segment) // it was decoded once already, for u.Path
	}
	return all
}

// withParameters returns a context with the metadata of the call for a request: credentials, version and Last-Event-ID.
func withParameters(ctx context.Context, r *http.Request, version string) context.Context {
	var pairs []string
	for key, value := range map[string]string{
		paramVersion: version, paramLastEvent: joined(r.Header, "Last-Event-ID"), paramExtensions: strings.Join(requestedIn(r.Header), ","),
	} {
		if value != "" {
			pairs = append(pairs, key, printable(value))
		}
	}
	for _, value := range r.Header.Values("Authorization") { // more than one is refused
		pairs = append(pairs, "authorization", printable(value))
	}
	return metadata.AppendToOutgoingContext(ctx, pairs...)
}

func versionOf(r *http.Request) string {
	if version := joined(r.Header, "A2A-Version"); version != "" {
		return version
	}
	return r.URL.Query().Get("A2A-Version")
}

// joined returns all values of a header field that has one: more are none that is valid, whichever of them somebody in between has read.
func joined(h http.Header, name string) string { return strings.Join(h.Values(name), ", ") }

// printable keeps the characters that metadata can carry. A value that had others stays wrong, as it should.
func printable(s string) string {
	const longest = 8 << 10
	return strings.Map(func(c rune) rune {
		if c < ' ' || c > '~' {
			return '?'
		}
		return c
	}, s[:min(len(s), longest)])
}

// write answers with JSON, in which nobody may see another content type.
func write(w http.ResponseWriter, code int, contentType string, content []byte) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if code == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="quorate"`)
	}
	w.WriteHeader(code)
	_, _ = w.Write(content) //nolint:gosec // JSON that no browser takes for HTML; the client is gone when it fails
}

// invoke makes a unary call and returns the answer as write encodes it.
func (h *Handler) invoke(ctx context.Context, m *method, req proto.Message, write func(proto.Message) ([]byte, error)) ([]byte, error) {
	resp := m.response.ProtoReflect().New().Interface()
	if err := h.Conn.Invoke(ctx, m.path(), req, resp); err != nil {
		return nil, err
	}
	return write(resp)
}

// readBody reads a request's body, whose size the server bounds, and checks its content type.
func (h *Handler) readBody(r *http.Request) ([]byte, error) {
	body, err := h.Gate.ReadBody(r)
	if refused, ok := errors.AsType[*fault.Error](err); ok {
		return nil, refused
	}
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, fault.New(fault.InvalidArgument, reasonTooLarge, "the body is larger than %d bytes", tooLarge.Limit)
	}
	if err != nil {
		return nil, fault.New(fault.InvalidArgument, "BODY_INCOMPLETE", "the body ended early")
	}
	if len(body) == 0 {
		return nil, nil
	}
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") { // RFC 9110, section 8.4.1
		return nil, refusal(reasonContentType, "the content encoding %.100q is not supported; send the body without one", coding)
	}
	contentType := r.Header.Get("Content-Type")
	if contentType == jsonMIME { // the usual case
		return body, nil
	}
	mediaType, _, err := mime.ParseMediaType(contentType)
	if err != nil || mediaType != jsonMIME && mediaType != a2aMIME {
		return nil, refusal(reasonContentType, "the content type %.100q is not supported; send %s", contentType, jsonMIME)
	}
	return body, nil
}
