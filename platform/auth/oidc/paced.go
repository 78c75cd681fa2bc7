package oidc

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"sync"
	"time"

	"github.com/quorate/quorate/platform/bounded"
)

const (
	pace     = 5 * time.Second // minimum time between two requests for a URL
	maxBytes = 1 << 20         // of a response
)

// paced requests each URL of the provider at most once within pace, and repeats the last result, good or bad, in between. go-oidc reads the keys again for each
// token that no known key has signed, and anybody can send such tokens. There are two URLs, the configuration's and the keys', and those that the provider sends
// on to, which may be others each time.
type paced struct {
	next http.RoundTripper

	mu   sync.Mutex         // held while the provider answers
	last map[string]*answer // those within pace
}

// answer is the result of a request.
type answer struct {
	at   time.Time
	head http.Response // without the body
	body []byte
	err  error
}

func newPaced(next http.RoundTripper) *paced {
	if next == nil {
		next = http.DefaultTransport
	}
	return &paced{next: next, last: make(map[string]*answer)}
}

// RoundTrip implements http.RoundTripper.
func (p *paced) RoundTrip(req *http.Request) (*http.Response, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	maps.DeleteFunc(p.last, func(_ string, a *answer) bool { return time.Since(a.at) >= pace })
	url := req.URL.String()
	a := p.last[url]
	if a == nil {
		a = p.ask(req)
		p.last[url] = a
	}
	if a.err != nil {
		return nil, a.err
	}
	resp := a.head
	resp.Body, resp.Request = io.NopCloser(bytes.NewReader(a.body)), req
	return &resp, nil
}

func (p *paced) ask(req *http.Request) *answer {
	resp, err := p.next.RoundTrip(req)
	if err != nil {
		return &answer{at: time.Now(), err: err}
	}
	defer func() { _ = resp.Body.Close() }() // nothing was written
	body, err := bounded.Read(resp.Body, "the answer of "+req.URL.Redacted(), maxBytes)
	return &answer{at: time.Now(), head: *resp, body: body, err: err}
}
