package instrument

import (
	"context"
	"maps"
	"net"
	"slices"
	"strings"
	"sync/atomic"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"

	"github.com/quorate/quorate/platform/auth"
)

const lastCode = codes.Unauthenticated

// method holds the attributes that spans and metrics of an RPC have, which are computed once.
type method struct {
	name       string // of the span
	attributes []attribute.KeyValue
	failed     func(codes.Code) bool
	outcomes   [lastCode + 1]atomic.Pointer[outcome] // by code; nil until a call ended with it
}

// outcome holds the attributes for calls of a method that ended with one code.
type outcome struct {
	failed  bool
	code    attribute.KeyValue
	options []metric.RecordOption // all attributes
}

type methodKey struct{}

// newMethods returns the methods that have a rule. Each has the attributes more besides its own.
func newMethods(rules auth.Rules, failed func(codes.Code) bool, more ...attribute.KeyValue) map[string]*method {
	methods := make(map[string]*method, len(rules))
	for full := range rules {
		name := strings.TrimPrefix(full, "/")
		methods[full] = &method{name: name, attributes: append([]attribute.KeyValue{semconv.RPCMethod(name), semconv.RPCSystemNameGRPC}, more...), failed: failed}
	}
	return methods
}

func (m *method) outcomeOf(c codes.Code) *outcome {
	if c > lastCode {
		c = codes.Unknown // as gRPC does for a code that it does not know
	}
	if known := m.outcomes[c].Load(); known != nil {
		return known
	}
	name := code.Code(c).String()
	made := &outcome{failed: m.failed(c), code: semconv.RPCResponseStatusCode(name)}
	all := append([]attribute.KeyValue{made.code}, m.attributes...)
	if made.failed {
		all = append(all, semconv.ErrorTypeKey.String(name))
	}
	made.options = []metric.RecordOption{metric.WithAttributeSet(attribute.NewSet(all...))}
	m.outcomes[c].Store(made)
	return made
}

func clientFailed(c codes.Code) bool { return c != codes.OK }

// serverFailed reports whether code c means that the server is at fault.
func serverFailed(c codes.Code) bool {
	switch c {
	case codes.Unknown, codes.DeadlineExceeded, codes.Unimplemented, codes.Internal, codes.Unavailable, codes.DataLoss:
		return true
	default:
		return false
	}
}

func addressAttributes(a net.Addr) []attribute.KeyValue {
	host, port := splitPort(a.String())
	if port == 0 {
		return []attribute.KeyValue{semconv.ServerAddress(host)}
	}
	return []attribute.KeyValue{semconv.ServerAddress(host), semconv.ServerPort(port)}
}

// incoming gives propagators the metadata of a call to this server. They read only a few keys.
type incoming struct {
	ctx context.Context //nolint:containedctx // gRPC keeps the metadata there, and copying all of it costs more than reading a key
}

// Get returns the first value of key, or "".
func (c incoming) Get(key string) string {
	if values := metadata.ValueFromIncomingContext(c.ctx, key); len(values) > 0 {
		return values[0]
	}
	return ""
}

// Set does nothing; propagators never write to an incoming call.
func (incoming) Set(string, string) {}

// Keys returns all keys.
func (c incoming) Keys() []string {
	md, _ := metadata.FromIncomingContext(c.ctx)
	return slices.Collect(maps.Keys(md))
}

// outgoing gives propagators the metadata of a call that this process makes.
type outgoing metadata.MD

// Get returns the first value of key, or "".
func (c outgoing) Get(key string) string {
	if values := metadata.MD(c).Get(key); len(values) > 0 {
		return values[0]
	}
	return ""
}

// Set replaces the values of key.
func (c outgoing) Set(key, value string) { metadata.MD(c).Set(key, value) }

// Keys returns all keys.
func (c outgoing) Keys() []string { return slices.Collect(maps.Keys(c)) }
