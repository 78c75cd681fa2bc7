package rpcserver

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/fault/rpcfault"
)

// anyVersion is the condition that a resource exists, in whatever version.
const anyVersion = "*"

// restCall is what an RPC has to know about the REST request behind it.
type restCall struct {
	verb    string
	query   url.Values
	path    map[string]string // values of the path, by field
	content int64             // bytes of the body
	match   string            // version in If-Match, without quotes; * for any, and empty for none
	known   string            // If-None-Match, as it came
	key     string            // Idempotency-Key, without quotes; empty for none
	events  bool              // the client accepts events
	turn    string            // id of the turn to be decoded; empty for none
	out     *streamWriter
}

type restKey struct{}

// takeTurn reads a body that may be large, and waits for the turn to decode it.
func (c *restCall) takeTurn(t *turns, r *http.Request) (end func(), err error) {
	c.content = r.ContentLength
	body, ok := r.Body.(*limitedBody)
	if !ok || r.ContentLength >= 0 && r.ContentLength < largeRequest {
		return func() {}, nil
	}
	size, err := body.readAhead(r.Context(), t)
	if waiting, ok := errors.AsType[*fault.Error](err); ok {
		return nil, waiting
	}
	if err != nil {
		return func() {}, nil //nolint:nilerr // who reads the body gets it
	}
	c.content = int64(size)
	c.turn, end, err = t.take(r.Context(), size)
	return end, err
}

// checkREST checks the REST request behind a unary call between the gateway and the service, the one place where both the query and the RPC method are known.
func checkREST(ctx context.Context, method string, req any) error {
	c, ok := ctx.Value(restKey{}).(*restCall)
	if !ok {
		return nil
	}
	if err := cmp.Or(c.check(method), c.checkEtag(req), c.identify(req)); err != nil {
		return rpcfault.Status(err).Err()
	}
	return nil
}

func restStream(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	if c, ok := ctx.Value(restKey{}).(*restCall); ok {
		if err := c.check(method); err != nil {
			return nil, rpcfault.Status(err).Err()
		}
		if c.events {
			c.out.start()
			stream, err := open(withTurnOf(ctx), desc, cc, method, opts...)
			return &opening{stream, c.out}, err
		}
	}
	return open(withTurnOf(ctx), desc, cc, method, opts...)
}

// withTurnOf returns ctx with the turn of the REST call behind it, if it has one.
func withTurnOf(ctx context.Context) context.Context {
	if c, ok := ctx.Value(restKey{}).(*restCall); ok {
		return withTurn(ctx, c.turn)
	}
	return ctx
}

// opening is a stream that tells its client when the service has begun it.
type opening struct {
	grpc.ClientStream
	out *streamWriter
}

// Header waits until the service begins the stream; the gateway calls it first.
func (o *opening) Header() (metadata.MD, error) {
	md, err := o.ClientStream.Header()
	if md != nil && err == nil {
		_ = o.out.begin() // the handler will see that the client is gone
	}
	return md, err
}

// checkText refuses a path or a query that is not UTF-8, which no protobuf string can hold.
func (c *restCall) checkText() error {
	for field, value := range c.path {
		if !utf8.ValidString(value) {
			return fault.Invalid(field, "PATH_INVALID", "%s: %q in the path is not UTF-8", field, value)
		}
	}
	for key, values := range c.query {
		for _, value := range append([]string{key}, values...) {
			if !utf8.ValidString(value) {
				key = strings.ToValidUTF8(key, "\uFFFD")
				return fault.Invalid(key, "QUERY_INVALID", "%s: %q in the query is not UTF-8", key, value)
			}
		}
	}
	return nil
}

// checkEtag refuses an If-Match that the request's own etag contradicts, or that of the resource that it updates: the service looks at one of them only.
func (c *restCall) checkEtag(req any) error {
	m, ok := req.(proto.Message)
	if !ok || c.match == "" || c.match == anyVersion {
		return nil
	}
	for _, in := range []protoreflect.Message{m.ProtoReflect(), c.updated(m.ProtoReflect())} {
		field := in.Descriptor().Fields().ByName("etag")
		if field == nil || field.Kind() != protoreflect.StringKind {
			continue
		}
		if etag := in.Get(field).String(); etag != "" && etag != c.match {
			return fault.Invalid("if-match", "CONDITION_AMBIGUOUS", "the header If-Match and the field etag differ: send only one of them")
		}
	}
	return nil
}

// updated returns the resource that a request updates, or else the request.
func (c *restCall) updated(m protoreflect.Message) (resource protoreflect.Message) {
	resource = m
	m.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		if c.verb == http.MethodPatch && field.Message() != nil && !field.IsList() && !field.IsMap() && field.Message().Fields().ByName("etag") != nil {
			resource = value.Message()
		}
		return true
	})
	return resource
}

// identify copies the Idempotency-Key of a request to the field request_id. It ignores the header where a call has no such field, since some clients
// send it with every request.
func (c *restCall) identify(req any) error {
	m, ok := req.(proto.Message)
	if !ok || c.key == "" || c.verb == "GET" {
		return nil
	}
	r := m.ProtoReflect()
	field := r.Descriptor().Fields().ByName("request_id")
	switch {
	case field == nil || field.Kind() != protoreflect.StringKind:
	case !utf8.ValidString(c.key): // which no protobuf string can hold
		return fault.Invalid("idempotency-key", "IDEMPOTENCY_INVALID", "Idempotency-Key: %q is not UTF-8", c.key)
	case r.Get(field).String() == "":
		r.Set(field, protoreflect.ValueOfString(c.key))
	case r.Get(field).String() != c.key:
		return fault.Invalid("idempotency-key", "IDEMPOTENCY_AMBIGUOUS", "the header Idempotency-Key and the field request_id differ: send only one of them")
	}
	return nil
}

// IfMatch returns the etag in the If-Match header of the REST request behind ctx, without quotes. It is empty when there is no such header, and * when
// any version will do, as long as there is one (RFC 9110, section 13.1.1). Several etags are joined into one that matches no version.
func IfMatch(ctx context.Context) string {
	return joinTags(metadata.ValueFromIncomingContext(ctx, "if-match"))
}

func joinTags(values []string) string {
	if slices.Contains(values, anyVersion) {
		return anyVersion
	}
	return strings.Trim(strings.Join(values, ","), `"`)
}

// LastEventID returns the number in the Last-Event-ID header of the REST request behind ctx, by which a client resumes a stream of server-sent
// events, or 0 when there is no such header. A value that is no number is an InvalidArgument fault with the reason LAST_EVENT_ID_INVALID.
func LastEventID(ctx context.Context) (uint64, error) {
	values := metadata.ValueFromIncomingContext(ctx, lastEventID)
	if len(values) == 0 {
		return 0, nil
	}
	id, err := strconv.ParseUint(values[0], 10, 63)
	if err != nil || len(values) > 1 {
		return 0, fault.Invalid(lastEventID, "LAST_EVENT_ID_INVALID", "Last-Event-ID is the number of an event, as the stream gave it")
	}
	return id, nil
}
