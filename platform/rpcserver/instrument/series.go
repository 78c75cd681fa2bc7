package instrument

import (
	"net/http"
	"strings"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
)

// maxSeries is as many as the metrics keep for one instrument.
const maxSeries = 2000

// requestSeries returns the metric attributes of requests. They name nothing that a caller can invent, such as a host: what goes beyond the number of series that
// metrics keep is counted as one, so that a stranger could hide all requests that come after its own.
type requestSeries struct {
	mu   sync.RWMutex
	kept map[requestKind][]metric.RecordOption // guarded by mu
}

// requestKind identifies a series: requests with the same value are counted together.
type requestKind struct {
	method, version, route string
	status                 int
	encrypted              bool
}

func newRequestSeries() *requestSeries {
	return &requestSeries{kept: make(map[requestKind][]metric.RecordOption)}
}

// of returns the attributes of a request that was answered with status, as options for recording a measurement.
func (s *requestSeries) of(r *http.Request, status int) []metric.RecordOption {
	kind := requestKind{knownMethod(r.Method), versionOf(r), routeOf(r), status, r.TLS != nil}
	s.mu.RLock()
	options, ok := s.kept[kind]
	s.mu.RUnlock()
	if !ok {
		kind.method = strings.Clone(kind.method) // it may be part of something larger
		options = []metric.RecordOption{metric.WithAttributeSet(attribute.NewSet(kind.attributes()...))}
		s.keep(kind, options)
	}
	return options
}

func (s *requestSeries) keep(kind requestKind, options []metric.RecordOption) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.kept) < maxSeries {
		s.kept[kind] = options
	}
}

// versionOf returns the version of HTTP that a request is answered in: to a higher minor version than 1.1, servers speak 1.1 (RFC 9110, section 2.5).
func versionOf(r *http.Request) string {
	switch {
	case r.ProtoMajor > 1:
		return "2.0"
	case r.ProtoMinor > 0:
		return "1.1"
	}
	return "1.0"
}

func (k requestKind) attributes() []attribute.KeyValue {
	list := []attribute.KeyValue{
		semconv.HTTPRequestMethodKey.String(k.method), schemeOf(k.encrypted),
		semconv.NetworkProtocolName("http"), semconv.NetworkProtocolVersion(k.version), semconv.HTTPResponseStatusCode(k.status),
	}
	if k.route != "" {
		list = append(list, semconv.HTTPRoute(k.route))
	}
	return list
}
