package rpcserver

import (
	"net/http"
	"strings"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
)

const (
	maxHosts  = 64   // hosts that metrics name; a caller may put any port, and many addresses, into a Host header
	maxSeries = 2000 // as many as the metrics keep for one instrument
)

// requestSeries returns the metric attributes of requests. The number of series is bounded: hosts that are not ours, and hosts beyond the limit, are
// left out.
type requestSeries struct {
	guard hostGuard
	mu    sync.RWMutex
	hosts map[string]struct{}                   // guarded by mu; hosts that metrics name
	kept  map[requestKind][]metric.RecordOption // guarded by mu
}

// requestKind identifies a series: requests with the same value are counted together.
type requestKind struct {
	method, protocol, host, route string
	status                        int
	encrypted                     bool
}

func newRequestSeries(guard hostGuard) *requestSeries {
	return &requestSeries{guard: guard, hosts: make(map[string]struct{}), kept: make(map[requestKind][]metric.RecordOption)}
}

// of returns the attributes of a request that was answered with status, as options for recording a measurement.
func (s *requestSeries) of(r *http.Request, status int) []metric.RecordOption {
	kind := requestKind{knownMethod(r.Method), r.Proto, r.Host, routeOf(r), status, r.TLS != nil}
	s.mu.RLock()
	options, ok := s.kept[kind]
	s.mu.RUnlock()
	if ok {
		return options
	}
	kind.host = strings.Clone(kind.host) // a clone, since the string may be part of something larger
	named := s.names(kind.host)
	options = []metric.RecordOption{metric.WithAttributeSet(attribute.NewSet(kind.attributes(named)...))}
	if named {
		s.keep(kind, options)
	}
	return options
}

// names reports whether metrics name host. A host that is named once stays named.
func (s *requestSeries) names(host string) bool {
	if !s.guard.allows(host) {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.hosts) < maxHosts {
		s.hosts[host] = struct{}{}
	}
	_, ok := s.hosts[host]
	return ok
}

func (s *requestSeries) keep(kind requestKind, options []metric.RecordOption) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.kept) < maxSeries {
		s.kept[kind] = options
	}
}

func (k requestKind) attributes(named bool) []attribute.KeyValue {
	name, version, _ := strings.Cut(k.protocol, "/")
	list := []attribute.KeyValue{
		semconv.HTTPRequestMethodKey.String(k.method), schemeOf(k.encrypted),
		semconv.NetworkProtocolName(strings.ToLower(name)), semconv.NetworkProtocolVersion(version), semconv.HTTPResponseStatusCode(k.status),
	}
	if k.route != "" {
		list = append(list, semconv.HTTPRoute(k.route))
	}
	if named {
		list = append(list, hostAttributes(k.host, k.encrypted)...)
	}
	return list
}
