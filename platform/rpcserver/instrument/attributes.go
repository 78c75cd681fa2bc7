package instrument

import (
	"net"
	"net/http"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
)

// otherMethod stands for all methods that HTTP does not define, as the semantic conventions ask.
const otherMethod = "_OTHER"

func requestAttributes(r *http.Request) []attribute.KeyValue {
	encrypted := r.TLS != nil
	_, version, _ := strings.Cut(r.Proto, "/")
	method := knownMethod(r.Method)
	list := append(hostAttributes(r.Host, encrypted), semconv.HTTPRequestMethodKey.String(method), schemeOf(encrypted),
		semconv.URLPath(r.URL.Path), semconv.NetworkProtocolVersion(version))
	if method != r.Method {
		list = append(list, semconv.HTTPRequestMethodOriginal(r.Method))
	}
	client, _, _ := strings.Cut(r.Header.Get("X-Forwarded-For"), ",")
	if peer, port := splitPort(r.RemoteAddr); peer != "" {
		list = append(list, semconv.NetworkPeerAddress(peer))
		if port > 0 {
			list = append(list, semconv.NetworkPeerPort(port))
		}
		if client == "" {
			client = peer
		}
	}
	if client != "" {
		list = append(list, semconv.ClientAddress(client))
	}
	if agent := r.UserAgent(); agent != "" {
		list = append(list, semconv.UserAgentOriginal(agent))
	}
	return list
}

// answerAttributes returns what the span of a request says about its answer, and of the request what was not known before: its route and the bytes that were
// read of its body.
func answerAttributes(a Answer, route string, read int64) []attribute.KeyValue {
	list := []attribute.KeyValue{semconv.HTTPResponseStatusCode(a.Status)}
	if route != "" {
		list = append(list, semconv.HTTPRoute(route))
	}
	if a.Status >= http.StatusInternalServerError {
		list = append(list, semconv.ErrorTypeKey.String(strconv.Itoa(a.Status)))
	}
	if read > 0 {
		list = append(list, semconv.HTTPRequestBodySize(int(read)))
	}
	if a.Bytes > 0 {
		list = append(list, semconv.HTTPResponseBodySize(int(a.Bytes)))
	}
	return list
}

// hostAttributes returns the attributes for a Host header; the scheme's default port is left out.
func hostAttributes(host string, encrypted bool) []attribute.KeyValue {
	name, port := splitPort(host)
	if port == 0 || port == 443 && encrypted || port == 80 && !encrypted {
		return []attribute.KeyValue{semconv.ServerAddress(name)}
	}
	return []attribute.KeyValue{semconv.ServerAddress(name), semconv.ServerPort(port)}
}

func schemeOf(encrypted bool) attribute.KeyValue {
	if encrypted {
		return semconv.URLScheme("https")
	}
	return semconv.URLScheme("http")
}

// splitPort splits an address; port is zero when there is none.
func splitPort(address string) (host string, port int) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return strings.Trim(address, "[]"), 0
	}
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return host, 0
	}
	return host, int(n)
}

// knownMethod returns the method in upper case if HTTP defines it, and otherMethod if not.
func knownMethod(method string) string {
	switch method = strings.ToUpper(method); method {
	case http.MethodConnect, http.MethodDelete, http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodPatch, http.MethodPost, http.MethodPut, http.MethodTrace:
		return method
	}
	return otherMethod
}
