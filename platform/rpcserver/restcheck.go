package rpcserver

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strings"

	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/quorate/quorate/platform/fault"
)

// check refuses query parameters, conditions and bodies that would be ignored silently.
func (c *restCall) check(method string) error {
	reads := c.verb == http.MethodGet
	if len(c.query) == 0 && c.match == "" && (c.known == "" || reads) && (c.content == 0 || !reads && c.verb != http.MethodDelete) {
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
	if c.content > 0 && c.bodyField(rpc) == "" {
		return fault.New(fault.InvalidArgument, "BODY_UNSUPPORTED", "this call takes no body, only these query parameters: %s", c.parameters(rpc.Input(), ""))
	}
	if err := c.checkCondition(rpc); err != nil {
		return err
	}
	return c.checkQuery(rpc)
}

// checkCondition refuses If-None-Match for a call that changes something, and If-Match for one without an etag: a client that sends it does not want an
// unconditional call.
func (c *restCall) checkCondition(rpc protoreflect.MethodDescriptor) error {
	if c.known != "" && c.verb != http.MethodGet {
		return fault.Invalid("if-none-match", "CONDITION_UNSUPPORTED", "this call takes no If-None-Match: leave the header out")
	}
	if c.match == "" || c.verb == "GET" || rpc.Input().Fields().ByName("etag") != nil {
		return nil
	}
	if field := rpc.Input().Fields().ByTextName(c.bodyField(rpc)); c.verb == "PATCH" && field != nil && field.Message() != nil && field.Message().Fields().ByName("etag") != nil {
		return nil // the resource that is updated has the etag
	}
	return fault.Invalid("if-match", "CONDITION_UNSUPPORTED", "this call takes no If-Match: leave the header out")
}

// checkQuery refuses the query parameters that the gateway would ignore silently: unknown fields, fields that the path sets, and any parameter where
// the body is the whole request.
func (c *restCall) checkQuery(rpc protoreflect.MethodDescriptor) error {
	taken := c.bodyField(rpc)
	for _, key := range slices.Sorted(maps.Keys(c.query)) { // of several, the same one is named each time
		name, _, _ := strings.Cut(key, "[") // a key of a map, as in labels[team]
		field, known := protoPath(rpc.Input(), name)
		top, _, _ := strings.Cut(field, ".")
		if _, inPath := c.path[field]; taken == "*" || taken == top || inPath || !known {
			return fault.Invalid(key, "QUERY_PARAMETER_UNKNOWN", "unknown query parameter %q; this call takes %s", key, c.parameters(rpc.Input(), taken))
		}
	}
	return nil
}

// parameters lists the fields of a request that a query may set: those that are not in the body or in the path.
func (c *restCall) parameters(in protoreflect.MessageDescriptor, inBody string) string {
	if inBody == "*" {
		return "none"
	}
	var names []string
	for i := range in.Fields().Len() {
		field := in.Fields().Get(i)
		if _, inPath := c.path[string(field.Name())]; !inPath && string(field.Name()) != inBody {
			names = append(names, field.JSONName())
		}
	}
	return cmp.Or(strings.Join(names, ", "), "none")
}

// bodyField returns the field of the request that the body fills, or "*" when the body is the whole request.
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

// protoPath returns the dotted path of a field of message in proto names, which path may give in JSON names. It is false if there is no such field.
func protoPath(message protoreflect.MessageDescriptor, path string) (string, bool) {
	names := strings.Split(path, ".")
	for i, name := range names {
		field := fieldNamed(message, name)
		if field == nil {
			return "", false
		}
		names[i] = string(field.Name())
		if i < len(names)-1 {
			if message = field.Message(); message == nil || field.Cardinality() == protoreflect.Repeated {
				return "", false
			}
		}
	}
	return strings.Join(names, "."), true
}

// fieldNamed returns the field of message with this JSON or proto name, or nil.
func fieldNamed(message protoreflect.MessageDescriptor, name string) protoreflect.FieldDescriptor {
	if field := message.Fields().ByTextName(name); field != nil {
		return field
	}
	return message.Fields().ByJSONName(name)
}
