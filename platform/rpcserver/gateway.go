package rpcserver

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/genproto/googleapis/api/httpbody"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/quorate/quorate/platform/fault"
)

// forwarded are the headers that become metadata of the call. Authorization is not listed, since the gateway passes it on anyway and would do so
// twice.
var forwarded = []string{"traceparent", "tracestate", "if-match", "x-request-id", "accept-language", lastEventID}

const lastEventID = "last-event-id"

// newGateway returns a gateway without grpc-gateway's lax defaults: to ignore unknown fields, to make metadata of each Grpc-Metadata- header, to let
// a form override the method, and to answer 501 to a wrong method.
func newGateway(t *turns) *runtime.ServeMux {
	messages := newMessageMarshaler()
	var mux *runtime.ServeMux
	mux = runtime.NewServeMux(
		runtime.WithMarshalerOption(runtime.MIMEWildcard, messages),
		runtime.WithMarshalerOption(eventMIME, &eventMarshaler{messages}),
		runtime.WithIncomingHeaderMatcher(func(key string) (string, bool) {
			key = strings.ToLower(key)
			return key, slices.Contains(forwarded, key)
		}),
		runtime.WithOutgoingHeaderMatcher(func(string) (string, bool) { return "", false }),
		runtime.WithOutgoingTrailerMatcher(func(string) (string, bool) { return "", false }),
		runtime.WithDisableHTTPMethodOverride(),
		runtime.WithDisablePathLengthFallback(),
		runtime.WithUnescapingMode(runtime.UnescapingModeAllExceptSlash), // an escaped slash is part of a value; enterREST unescapes it
		runtime.WithForwardResponseOption(setETag),
		runtime.WithMiddlewares(func(next runtime.HandlerFunc) runtime.HandlerFunc { return verbsFirst(&mux, enterREST(t, next)) }),
		runtime.WithRoutingErrorHandler(routingError),
		runtime.WithErrorHandler(func(_ context.Context, _ *runtime.ServeMux, _ runtime.Marshaler, w http.ResponseWriter, r *http.Request, err error) {
			gatewayError(w, r, err)
		}),
		runtime.WithStreamErrorHandler(func(ctx context.Context, err error) *status.Status {
			if c, ok := ctx.Value(restKey{}).(*restCall); ok {
				c.out.failWith(err)
			}
			return statusOf(err)
		}),
	)
	return mux
}

var escapedSlash = strings.NewReplacer("%2F", "/", "%2f", "/")

// unescapeSlashes unescapes the slashes in values that may have several segments, which the gateway leaves escaped in these only.
func unescapeSlashes(ctx context.Context, path map[string]string) {
	pattern, _ := runtime.HTTPPattern(ctx)
	for key, value := range path {
		if strings.Contains(pattern.String(), "{"+key+"=**}") {
			path[key] = escapedSlash.Replace(value)
		}
	}
}

// setETag copies the etag of a response to the ETag header, as the strong tag that If-Match expects. An HttpBody gets the hash of its bytes, and
// is not sent to a client that has it already (If-None-Match). That is not so for messages: an agent's status changes without its etag.
func setETag(ctx context.Context, w http.ResponseWriter, message proto.Message) error {
	if message == nil {
		return nil
	}
	if body, ok := message.(*httpbody.HttpBody); ok {
		hash := sha256.Sum256(body.GetData())
		tag := `"` + hex.EncodeToString(hash[:16]) + `"`
		w.Header().Set("ETag", tag)
		if c, ok := ctx.Value(restKey{}).(*restCall); ok && c.verb == http.MethodGet && (c.known == "*" || strings.Contains(c.known, tag)) {
			w.WriteHeader(http.StatusNotModified) // the gateway sees that no body may follow
		}
		return nil
	}
	if tag := etagOf(ctx, message.ProtoReflect()); tag != "" {
		w.Header().Set("ETag", `"`+strings.Trim(tag, `"`)+`"`)
	}
	return nil
}

// etagOf returns the etag of a response: its field or, without one, what SetETag was given.
func etagOf(ctx context.Context, m protoreflect.Message) string {
	if field := m.Descriptor().Fields().ByName("etag"); field != nil && field.Kind() == protoreflect.StringKind && !field.IsList() {
		return m.Get(field).String()
	}
	sent, _ := runtime.ServerMetadataFromContext(ctx)
	return strings.Join(sent.HeaderMD.Get(etagHeader), ",")
}

const etagHeader = "etag"

// SetETag gives the answer to the call in ctx an etag, where its message has no field for it: the header ETag over REST, and etag over gRPC.
func SetETag(ctx context.Context, etag string) {
	_ = grpc.SetHeader(ctx, metadata.Pairs(etagHeader, etag)) // it is called before the answer is sent
}

// gatewayError writes the answer for an error of a REST call, whether it comes from the gateway or from the service.
func gatewayError(w http.ResponseWriter, r *http.Request, err error) {
	if wrapped, ok := errors.AsType[*runtime.HTTPStatusError](err); ok { // a path that cannot be decoded
		err = status.Error(codes.InvalidArgument, wrapped.Err.Error())
	}
	err = plain(err)
	if body, ok := r.Body.(*limitedBody); ok && body.failed != nil {
		body.answer(w, r)
		return
	}
	if out, ok := w.(*streamWriter); ok && out.sendLast(err) {
		return
	}
	writeError(w, r, err)
}

// probe records whether a path and method have a handler, and what its variables are; it is put into the context of a request that calls none.
type probe struct {
	matched bool
	path    map[string]string
}

type probeKey struct{}

// routingError answers a request for which there is no REST handler.
func routingError(ctx context.Context, mux *runtime.ServeMux, _ runtime.Marshaler, w http.ResponseWriter, r *http.Request, code int) {
	if _, probing := ctx.Value(probeKey{}).(*probe); probing {
		return
	}
	switch code {
	case http.StatusMethodNotAllowed:
		methods, verbless := allowedMethods(ctx, mux, w, r)
		if verb := customVerb(r); verb != "" && verbless {
			writeErrorCode(w, r, http.StatusNotFound, fault.New(fault.NotFound, "ROUTE_NOT_FOUND", "there is nothing at %s: no call is named %q there", r.URL.Path, verb))
			return
		}
		refuseMethod(w, r, methods)
	case http.StatusNotFound:
		writeErrorCode(w, r, code, fault.New(fault.NotFound, "ROUTE_NOT_FOUND", "there is nothing at %s", r.URL.Path))
	default:
		writeErrorCode(w, r, http.StatusBadRequest, fault.New(fault.InvalidArgument, "PATH_INVALID", "the path is not valid"))
	}
}

// customVerb returns the last part of a path like /v1/books/dune:lend to which something is posted, or "".
func customVerb(r *http.Request) string {
	if r.Method != http.MethodPost {
		return ""
	}
	_, verb, _ := strings.Cut(r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:], ":")
	return verb
}

// refuseMethod answers 405.
func refuseMethod(w http.ResponseWriter, r *http.Request, methods []string) {
	SetAllow(w.Header(), methods...)
	writeErrorCode(w, r, http.StatusMethodNotAllowed, fault.New(fault.InvalidArgument, "METHOD_NOT_ALLOWED", "%s is not allowed here; use %s", r.Method, strings.Join(methods, ", ")))
}

// allowedMethods tries each method in turn, because the gateway's routing table is private. verbless reports whether none of them takes what follows
// a colon in the path as a verb, but as the end of a name; otherwise these are the methods that take it as a verb.
func allowedMethods(ctx context.Context, mux *runtime.ServeMux, w http.ResponseWriter, r *http.Request) (allowed []string, verbless bool) {
	var named []string
	for _, method := range []string{http.MethodDelete, http.MethodGet, http.MethodPatch, http.MethodPost, http.MethodPut} {
		p := &probe{}
		attempt := r.Clone(context.WithValue(ctx, probeKey{}, p))
		attempt.Method = method
		mux.ServeHTTP(w, attempt)
		switch {
		case p.matched && hasColon(p.path):
			named = append(named, method)
		case p.matched:
			allowed = append(allowed, method)
		}
	}
	if len(allowed) == 0 {
		return named, true
	}
	return allowed, false
}

// hasColon reports whether a name in a path has a colon, behind which there may be a verb.
func hasColon(path map[string]string) bool {
	for _, name := range path {
		if strings.Contains(name, ":") {
			return true
		}
	}
	return false
}

// verbsFirst answers 405 to a path whose end is a verb for another method, such as /v1/books/dune:lend read with GET: to look for a book of that name would
// only say that there is none. Names with a colon that is no verb's are left alone.
func verbsFirst(mux **runtime.ServeMux, next runtime.HandlerFunc) runtime.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request, path map[string]string) {
		if _, probing := r.Context().Value(probeKey{}).(*probe); !probing && hasColon(path) && r.Method != http.MethodPost {
			if methods, verbless := allowedMethods(r.Context(), *mux, w, r); !verbless {
				refuseMethod(w, r, methods)
				return
			}
		}
		next(w, r, path)
	}
}

// enterREST wraps each REST handler.
func enterREST(t *turns, next runtime.HandlerFunc) runtime.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request, path map[string]string) {
		if p, probing := r.Context().Value(probeKey{}).(*probe); probing {
			p.matched, p.path = true, path
			return
		}
		noteRoute(r.Context())
		if r.URL.RawPath != "" { // otherwise nothing was left escaped
			unescapeSlashes(r.Context(), path)
		}
		match, err := ifMatch(r)
		if err != nil {
			writeError(w, r, err)
			return
		}
		if body, ok := r.Body.(*limitedBody); ok {
			body.path = path
		}
		c := &restCall{
			verb: r.Method, query: r.URL.Query(), path: path, match: match, known: strings.Join(r.Header.Values("If-None-Match"), ","),
			key: strings.Trim(strings.Join(r.Header.Values("Idempotency-Key"), ","), `"`), out: newStreamWriter(w),
		}
		if err := c.checkText(); err != nil {
			writeError(w, r, err)
			return
		}
		end, err := c.takeTurn(t, r)
		if err != nil {
			writeError(w, r, err)
			return
		}
		defer end()
		defer c.out.stop()
		if c.events = acceptsEvents(r); c.events {
			r.Header.Set("Accept", eventMIME) // the gateway compares the whole value
		}
		next(c.out, r.WithContext(context.WithValue(r.Context(), restKey{}, c)), path)
	}
}

// observedKey is the key of the request that the server observes, of which the gateway has copies.
type observedKey struct{}

// noteRoute notes the path that the gateway has matched in the observed request, where the mux has noted that of the whole API.
func noteRoute(ctx context.Context) {
	observed, ok := ctx.Value(observedKey{}).(*http.Request)
	if pattern, matched := runtime.HTTPPattern(ctx); ok && matched {
		observed.Pattern = strings.ReplaceAll(pattern.String(), "=*}", "}")
	}
}

// ifMatch returns the version that If-Match names, as IfMatch does. It refuses a condition that would be lost on the way to the service, where the call would be
// made unconditionally: the gateway drops headers that are not printable ASCII, and IfMatch returns nothing for a value without a tag.
func ifMatch(r *http.Request) (string, error) {
	values := r.Header.Values("If-Match")
	for _, value := range values {
		if strings.Trim(value, `"`) == "" || strings.ContainsFunc(value, func(c rune) bool { return c < ' ' || c > '~' }) {
			return "", fault.Invalid("if-match", "CONDITION_INVALID", "If-Match is not an etag in quotes: leave the header out, or send one that was read")
		}
	}
	return joinTags(values), nil
}
