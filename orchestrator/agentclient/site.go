package agentclient

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"go.opentelemetry.io/otel/propagation"
)

// site holds the beginning that all requests to one URL share.
type site struct {
	url  *url.URL
	addr string
	head []byte // as net/http writes it, up to what differs between requests
}

// maxSites bounds how many sites are kept. Making one takes a microsecond or two.
const maxSites = 1000

// sites holds the sites that were called.
type sites struct {
	mu   sync.Mutex
	list map[[2]string]*site // guarded by mu; by URL and Accept
}

// of returns the site of a URL for requests with an Accept header, or nil when the URL cannot be called by plainHTTP.
func (s *sites) of(raw, accept string) *site {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := [2]string{raw, accept}
	if found, ok := s.list[key]; ok {
		return found
	}
	if len(s.list) >= maxSites || s.list == nil {
		s.list = make(map[[2]string]*site)
	}
	made := newSite(raw, accept)
	s.list[key] = made
	return made
}

// newSite has net/http write a GET request and turns it into the beginning of a POST.
func newSite(raw, accept string) *site {
	u, err := url.Parse(raw)
	if err != nil || !isPlain(u) {
		return nil
	}
	req := &http.Request{Method: http.MethodGet, URL: u, Header: headerOf(accept, true)}
	var b bytes.Buffer
	if err := req.Write(&b); err != nil {
		return nil // the ordinary way reports the error
	}
	head := "POST" + strings.TrimSuffix(strings.TrimPrefix(b.String(), http.MethodGet), "\r\n")
	return &site{u, hostPort(u), []byte(head)}
}

// takes reports whether post can send a request: it has no credential and is not too large.
func (p *plainHTTP) takes(s *site, body []byte) bool {
	return len(body) <= maxPlainRequest && p.credentials.For(s.url) == nil
}

// post sends content to a site without making an http.Request: to make one and have it written costs as much as to read the answer.
func (p *plainHTTP) post(ctx context.Context, s *site, body []byte) (*http.Response, error) {
	message := p.buffer()
	defer p.spare.Put(message)
	message.Write(s.head)
	var trace pairs
	propagation.TraceContext{}.Inject(ctx, &trace)
	for i := 0; i < len(trace); i += 2 {
		message.WriteString(trace[i] + ": " + trace[i+1] + "\r\n") // OpenTelemetry allows no line breaks in it
	}
	message.WriteString("Content-Length: ")
	message.Write(strconv.AppendInt(message.AvailableBuffer(), int64(len(body)), 10))
	message.WriteString("\r\n\r\n")
	message.Write(body)
	return p.exchange(ctx, s.addr, message.Bytes(), nil)
}
