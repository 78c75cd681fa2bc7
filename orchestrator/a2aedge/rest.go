package a2aedge

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"github.com/grpc-ecosystem/grpc-gateway/v2/utilities"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/quorate/quorate/platform/apijson"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/rpcserver"
)

// route is a row of the HTTP+JSON binding (A2A §11.3). A segment {field} sets a field of the request; the literal after it ends the value.
type route struct {
	verb   string
	path   string
	method string
}

var routes = []route{
	{http.MethodPost, "message:send", "SendMessage"},
	{http.MethodPost, "message:stream", "SendStreamingMessage"},
	{http.MethodGet, "tasks", "ListTasks"},
	{http.MethodPost, "tasks/{id}:cancel", "CancelTask"},
	{http.MethodPost, "tasks/{id}:subscribe", "SubscribeToTask"}, // as in the text of A2A
	{http.MethodGet, "tasks/{id}:subscribe", "SubscribeToTask"},  // as in its proto
	{http.MethodGet, "tasks/{id}", "GetTask"},
	{http.MethodPost, "tasks/{task_id}/pushNotificationConfigs", "CreateTaskPushNotificationConfig"},
	{http.MethodGet, "tasks/{task_id}/pushNotificationConfigs", "ListTaskPushNotificationConfigs"},
	{http.MethodGet, "tasks/{task_id}/pushNotificationConfigs/{id}", "GetTaskPushNotificationConfig"},
	{http.MethodDelete, "tasks/{task_id}/pushNotificationConfigs/{id}", "DeleteTaskPushNotificationConfig"},
	{http.MethodGet, "extendedAgentCard", "GetExtendedAgentCard"},
}

// serveREST serves one request of the HTTP+JSON binding. path has the segments below the base URL.
func (h *Handler) serveREST(ctx context.Context, w http.ResponseWriter, r *http.Request, agent string, path []string) {
	tenant, path := splitTenant(path)
	m, fields, allowed := find(r.Method, path)
	switch {
	case m == nil && len(allowed) > 0:
		refuseMethod(w, r, allowed...)
		return
	case m == nil:
		refuseREST(w, fault.New(fault.NotFound, "ROUTE_NOT_FOUND", "there is no A2A operation at %s", fault.Clip(r.URL.Path)))
		return
	}
	body, err := h.bodyOf(r)
	if err != nil {
		refuseREST(w, err)
		return
	}
	ctx, end, err := h.Gate.TakeTurn(ctx, len(body))
	if err != nil {
		refuseREST(w, err)
		return
	}
	defer end()
	req, err := decodeREST(r, body, m, fields)
	if err == nil {
		err = cmp.Or(setAgent(req, tenant), setAgent(req, agent))
	}
	if err != nil {
		refuseREST(w, err)
		return
	}
	if m.stream {
		h.stream(ctx, w, m, req, restForm{})
		return
	}
	answer, err := h.invoke(ctx, m, req, encode)
	if err != nil {
		refuseREST(w, err)
		return
	}
	write(w, http.StatusOK, answerType(r), answer)
}

// splitTenant splits a leading tenant off a path: every path exists below /{tenant} too.
func splitTenant(path []string) (tenant string, rest []string) {
	if len(path) < 2 || path[0] == "tasks" {
		return "", path
	}
	return path[0], path[1:]
}

// find returns the operation for a request and the fields that its path sets or, if there is none, the verbs that the path allows.
func find(verb string, path []string) (m *method, fields map[protoreflect.Name]string, allowed []string) {
	for _, x := range routes {
		fields, ok := x.match(path)
		switch {
		case !ok:
		case x.method == "GetTask" && (len(allowed) > 0 || verb == http.MethodPost && strings.Contains(fields["id"], ":")): // not an id, but one and a verb
		case x.verb == verb:
			return methods[x.method], fields, nil
		case !slices.Contains(allowed, x.verb):
			allowed = append(allowed, x.verb)
		}
	}
	return nil, nil, allowed
}

func (x route) match(have []string) (map[protoreflect.Name]string, bool) {
	want := strings.Split(x.path, "/")
	if len(want) != len(have) {
		return nil, false
	}
	fields := make(map[protoreflect.Name]string)
	for i, segment := range want {
		field, suffix, variable := strings.Cut(strings.TrimPrefix(segment, "{"), "}")
		if !variable {
			if have[i] != segment {
				return nil, false
			}
			continue
		}
		value, ok := strings.CutSuffix(have[i], suffix)
		if !ok || value == "" {
			return nil, false
		}
		fields[protoreflect.Name(field)] = value
	}
	return fields, true
}

// bodyOf returns the body of a request that may have one.
func (h *Handler) bodyOf(r *http.Request) ([]byte, error) {
	if r.Method != http.MethodPost {
		return nil, nil
	}
	return h.readBody(r)
}

// decodeREST assembles a request from body, query and path.
func decodeREST(r *http.Request, body []byte, m *method, fields map[protoreflect.Name]string) (proto.Message, error) {
	req, err := m.decode(body)
	if err != nil {
		return nil, err
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil { // what it says would be left out
		return nil, invalidParams("", "the query is not valid: %s", err)
	}
	query.Del("A2A-Version") // a service parameter: see withParameters
	if old, ok := query["lastUpdatedAfter"]; ok && !query.Has("statusTimestampAfter") {
		query["statusTimestampAfter"] = old // a2a-go's client uses this name
	}
	query.Del("lastUpdatedAfter")
	for name, values := range query {
		if !utf8.ValidString(strings.Join(values, "")) {
			return nil, invalidParams("", "%s in the query is not UTF-8", name)
		}
	}
	if err := runtime.PopulateQueryParameters(req, query, utilities.NewDoubleArray(nil)); err != nil {
		if name, text := rpcserver.WrongParameter(err.Error()); name != "" {
			return nil, invalidParams(name, "%s: %s", name, text)
		}
		return nil, invalidParams("", "the query is not valid: %s", apijson.Problem(err))
	}
	message := req.ProtoReflect()
	for name, value := range fields {
		if !utf8.ValidString(value) {
			return nil, invalidParams(string(name), "%q in the path is not UTF-8", fault.Clip(value))
		}
		field := message.Descriptor().Fields().ByName(name)
		if said := message.Get(field).String(); said != "" && said != value {
			return nil, invalidParams(string(name), "%s: the path says %q, and the body or the query %q", name, fault.Clip(value), fault.Clip(said))
		}
		message.Set(field, protoreflect.ValueOfString(value))
	}
	return req, nil
}

// answerType returns A2A's media type, unless the client accepts plain JSON only.
func answerType(r *http.Request) string {
	accept := r.Header.Get("Accept")
	if strings.Contains(accept, jsonMIME) && !strings.Contains(accept, a2aMIME) {
		return jsonMIME
	}
	return a2aMIME
}

// refuseMethod answers a request whose path allows other methods.
func refuseMethod(w http.ResponseWriter, r *http.Request, allowed ...string) {
	rpcserver.SetAllow(w.Header(), allowed...)
	writeRESTError(w, http.StatusMethodNotAllowed, statusOf(fault.New(fault.InvalidArgument, "METHOD_NOT_ALLOWED", "%s is not allowed here; use %s", r.Method, strings.Join(allowed, ", "))))
}

func refuseREST(w http.ResponseWriter, err error) {
	st := statusOf(err)
	writeRESTError(w, httpCode(st), st)
}

// writeRESTError answers with an error in the form of A2A §11.6.
func writeRESTError(w http.ResponseWriter, httpCode int, st *status.Status) {
	write(w, httpCode, jsonMIME, formatRESTError(httpCode, st))
}

func formatRESTError(httpCode int, st *status.Status) []byte {
	type body struct {
		Code    int             `json:"code"`
		Status  string          `json:"status"`
		Message string          `json:"message"`
		Details json.RawMessage `json:"details"`
	}
	raw, err := json.Marshal(map[string]body{"error": {httpCode, code.Code(st.Code()).String(), st.Message(), detailsOf(st)}}) //nolint:gosec // codes are small
	if err != nil {
		return fmt.Appendf(nil, `{"error":{"code":%d,"status":"INTERNAL","message":"internal error"}}`, httpCode)
	}
	return raw
}

// restForm writes the events of a stream in HTTP+JSON: each is a StreamResponse (A2A §11.7).
type restForm struct{}

func (restForm) refuse(w http.ResponseWriter, err error) { refuseREST(w, err) }

func (restForm) data(r *a2apb.StreamResponse) ([]byte, error) { return encode(r) }

func (restForm) failure(st *status.Status) []byte {
	return formatRESTError(httpCode(st), st)
}
