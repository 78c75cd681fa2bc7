package oidc

import (
	"bytes"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/quorate/quorate/platform/bounded"
)

const (
	pace     = 5 * time.Second // between two requests for one URL
	maxBytes = 1 << 20         // of an answer
)

// paced asks the provider for the same at most once within pace, whatever comes of it. go-oidc reads the keys anew for each token that none of them signed, and
// anybody can send such tokens. It asks for two URLs: the configuration's and the keys'.
type paced struct {
	next http.RoundTripper

	mu   sync.Mutex // held while the provider answers
	last map[string]*answer
}

// answer is what came of a request.
type answer struct {
	at   time.Time
	head http.Response // without its body
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
	url := req.URL.String()
	a := p.last[url]
	if a == nil || time.Since(a.at) >= pace {
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
	defer func() { _ = resp.Body.Close() }() // it was only read
	body, err := bounded.Read(resp.Body, "the answer of "+req.URL.Redacted(), maxBytes)
	return &answer{at: time.Now(), head: *resp, body: body, err: err}
}
