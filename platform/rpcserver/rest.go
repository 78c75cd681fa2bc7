package rpcserver

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/fault/rpcfault"
)

// restCall is what an RPC must know of the REST request that it came from.
type restCall struct {
	verb   string
	query  url.Values
	path   map[string]string // values of the path, by field
	events bool              // the client accepts events
	out    *streamWriter
}

type restKey struct{}

// restUnary runs between the gateway and the service, where both the query and the method are known.
func restUnary(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	if c, ok := ctx.Value(restKey{}).(*restCall); ok {
		if err := c.checkQuery(method); err != nil {
			return rpcfault.Status(err).Err()
		}
	}
	return invoke(ctx, method, req, reply, cc, opts...)
}

func restStream(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	if c, ok := ctx.Value(restKey{}).(*restCall); ok {
		if err := c.checkQuery(method); err != nil {
			return nil, rpcfault.Status(err).Err()
		}
		if c.events {
			c.out.start()
		}
	}
	return open(ctx, desc, cc, method, opts...)
}

// checkText refuses a path or a query that is not UTF-8, of which no message can be made.
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

// checkQuery refuses the query parameters that the gateway would drop in silence: those of no field, those that the path
// sets, and all of them where the body is the whole request.
func (c *restCall) checkQuery(method string) error {
	if len(c.query) == 0 {
		return nil
	}
	name := protoreflect.FullName(strings.ReplaceAll(strings.TrimPrefix(method, "/"), "/", "."))
	found, err := protoregistry.GlobalFiles.FindDescriptorByName(name)
	if err != nil {
		return err
	}
	rpc, ok := found.(protoreflect.MethodDescriptor)
	if !ok {
		return fault.New(fault.Internal, "INTERNAL", "%s is no method", name)
	}
	taken := c.bodyField(rpc)
	for key := range c.query {
		field, _, _ := strings.Cut(key, "[") // of a map, as in labels[team]
		top, _, _ := strings.Cut(field, ".")
		_, inPath := c.path[field]
		if taken == "*" || taken == top || inPath || !hasField(rpc.Input(), field) {
			return fault.Invalid(key, "QUERY_PARAMETER_UNKNOWN", "unknown query parameter %q", key)
		}
	}
	return nil
}

// bodyField returns the field of the request that the body fills, or "*" for all of it.
func (c *restCall) bodyField(rpc protoreflect.MethodDescriptor) string {
	rule, _ := proto.GetExtension(rpc.Options(), annotations.E_Http).(*annotations.HttpRule)
	for _, r := range append([]*annotations.HttpRule{rule}, rule.GetAdditionalBindings()...) {
		if verbOf(r) == c.verb {
			return r.GetBody()
		}
	}
	return ""
}

func verbOf(r *annotations.HttpRule) string {
	switch p := r.GetPattern().(type) {
	case *annotations.HttpRule_Get:
		return "GET"
	case *annotations.HttpRule_Put:
		return "PUT"
	case *annotations.HttpRule_Post:
		return "POST"
	case *annotations.HttpRule_Delete:
		return "DELETE"
	case *annotations.HttpRule_Patch:
		return "PATCH"
	case *annotations.HttpRule_Custom:
		return p.Custom.GetKind()
	}
	return ""
}

// hasField reports whether the dotted path names a field of message, by JSON or proto names.
func hasField(message protoreflect.MessageDescriptor, path string) bool {
	names := strings.Split(path, ".")
	for i, name := range names {
		field := message.Fields().ByTextName(name)
		if field == nil {
			field = message.Fields().ByJSONName(name)
		}
		if field == nil {
			return false
		}
		if i < len(names)-1 {
			if message = field.Message(); message == nil || field.Cardinality() == protoreflect.Repeated {
				return false
			}
		}
	}
	return true
}

// IfMatch returns the etag in the If-Match header of the REST request behind ctx, without quotes; it is empty when there is
// none or when any version will do.
func IfMatch(ctx context.Context) string {
	values := metadata.ValueFromIncomingContext(ctx, "if-match")
	if len(values) != 1 || slices.Contains(values, "*") {
		return ""
	}
	return strings.Trim(values[0], `"`)
}

// LastEventID returns the number in the Last-Event-ID header of the REST request behind ctx, with which a reader of server-sent events takes a stream up
// again, or 0 when there is none. Anything but a number is an InvalidArgument fault with the reason LAST_EVENT_ID_INVALID.
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
