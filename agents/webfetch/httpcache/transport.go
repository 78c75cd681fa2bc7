package httpcache

import (
	"io"
	"net/http"
	"strings"
	"time"
)

// Status is what the cache did for an answer.
type Status string

// What the cache did.
const (
	Hit         Status = "hit"         // answered from the cache
	Revalidated Status = "revalidated" // answered from the cache after the server confirmed that it is unchanged
	Miss        Status = "miss"        // answered by the server
	Bypass      Status = "bypass"      // answered by the server; the request bypassed the cache
	Stale       Status = "stale"       // answered from the cache because the server could not be reached, as the answer permits
)

const statusHeader = "Cache-Status"

// StatusOf returns what the Transport did for an answer of its own.
func StatusOf(resp *http.Response) Status {
	values := resp.Header.Values(statusHeader)
	if len(values) == 0 {
		return Bypass
	}
	_, detail, _ := strings.Cut(values[len(values)-1], "; detail=")
	return Status(detail)
}

// Options bound a Transport. Zero fields mean the defaults.
type Options struct {
	MaxBytes     int // of all answers: 0 means 64 MiB
	MaxBodyBytes int // of an answer that is stored: 0 means 4 MiB
}

// Transport answers from the cache, or else by next. It is safe for concurrent use.
type Transport struct {
	next    http.RoundTripper
	store   *store
	maxBody int
}

var _ http.RoundTripper = (*Transport)(nil)

// New returns a Transport over next.
func New(next http.RoundTripper, o Options) *Transport {
	if o.MaxBytes <= 0 {
		o.MaxBytes = 64 << 20
	}
	if o.MaxBodyBytes <= 0 {
		o.MaxBodyBytes = 4 << 20
	}
	return &Transport{next: next, store: newStore(o.MaxBytes), maxBody: min(o.MaxBodyBytes, o.MaxBytes/2)}
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if bypasses(req) {
		resp, err := t.next.RoundTrip(req)
		return label(resp, Bypass), err
	}
	key := keyOf(req)
	stored := t.store.find(key, req)
	if stored != nil && req.Header.Get("Cache-Control") == "" && stored.usable(time.Now()) {
		return label(stored.response(req), Hit), nil
	}
	return t.ask(req, key, stored)
}

// ask asks the server for something other than what is stored.
func (t *Transport) ask(req *http.Request, key string, stored *entry) (*http.Response, error) {
	outgoing := req
	conditional := stored != nil && stored.revalidate(&outgoing)
	sent := time.Now()
	resp, err := t.next.RoundTrip(outgoing)
	if err != nil || resp.StatusCode >= http.StatusInternalServerError {
		if stored != nil && stored.usableOnError(time.Now()) && req.Context().Err() == nil {
			if err == nil {
				_ = resp.Body.Close() // the stored answer takes its place
			}
			return label(stored.response(req), Stale), nil
		}
		return label(resp, Miss), err
	}
	if conditional && resp.StatusCode == http.StatusNotModified {
		_ = resp.Body.Close() // it has none
		fresh := stored.refreshed(resp.Header, sent, time.Now())
		answer := fresh.response(req)
		if storable(answer) {
			t.store.put(key, fresh)
		} else { // it may be kept no longer, or has a cookie for this caller alone
			t.store.forget(key)
		}
		return label(answer, Revalidated), nil
	}
	if storable(resp) {
		resp.Body = &recorder{ReadCloser: resp.Body, limit: t.maxBody, done: func(body []byte) {
			t.store.put(key, newEntry(req, resp, body, sent, time.Now()))
		}}
	}
	return label(resp, Miss), nil
}

// label records in the answer what the cache did.
func label(resp *http.Response, status Status) *http.Response {
	if resp == nil {
		return nil
	}
	resp.Header = resp.Header.Clone()
	name := "quorate; fwd=miss"
	if status == Hit || status == Revalidated || status == Stale {
		name = "quorate; hit"
	}
	resp.Header.Add(statusHeader, name+"; detail="+string(status))
	return resp
}

// recorder passes the body to done once it was read completely, if it is not too long.
type recorder struct {
	io.ReadCloser

	body  []byte
	limit int
	done  func(body []byte)
}

// Read implements io.Reader.
func (r *recorder) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	if r.done == nil {
		return n, err
	}
	if len(r.body)+n > r.limit {
		r.body, r.done = nil, nil
		return n, err
	}
	r.body = append(r.body, p[:n]...)
	if err == io.EOF {
		r.done(r.body)
		r.done = nil
	}
	return n, err
}
