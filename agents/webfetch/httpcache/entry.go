package httpcache

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// entry is one stored answer; it is never changed.
type entry struct {
	status  int
	header  http.Header
	body    []byte
	vary    http.Header   // the request's headers by which the answer varies
	age     time.Duration // of the answer when it arrived (section 4.2.3)
	arrived time.Time
	fresh   time.Duration
}

// hopHeaders belong to one connection and are not stored (section 3.1).
var hopHeaders = []string{"Connection", "Proxy-Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Authentication-Info", "Te", "Trailer", "Transfer-Encoding", "Upgrade", statusHeader}

func newEntry(req *http.Request, resp *http.Response, body []byte, sent, arrived time.Time) *entry {
	e := &entry{status: resp.StatusCode, header: stored(resp.Header), body: body, vary: http.Header{}}
	for _, name := range listOf(resp.Header, "Vary") {
		e.vary[name] = slices.Clone(req.Header.Values(name))
	}
	e.setTimes(sent, arrived)
	return e
}

func stored(h http.Header) http.Header {
	kept := h.Clone()
	for _, name := range append(listOf(h, "Connection"), hopHeaders...) {
		kept.Del(name)
	}
	said := directives(h)
	for _, name := range []string{"no-cache", "private"} { // with names, they are about those headers only
		for _, field := range splitList(said[name]) {
			kept.Del(strings.TrimSpace(field))
		}
	}
	return kept
}

// setTimes sets the numbers of section 4.2.
func (e *entry) setTimes(sent, arrived time.Time) {
	date, err := http.ParseTime(e.header.Get("Date"))
	if err != nil {
		date = arrived
	}
	apparent := max(arrived.Sub(date), 0)
	told := time.Duration(0)
	if seconds, err := strconv.ParseInt(strings.TrimSpace(strings.Split(e.header.Get("Age"), ",")[0]), 10, 32); err == nil && seconds > 0 {
		told = time.Duration(seconds) * time.Second
	}
	e.age = max(apparent.Truncate(time.Second), told+arrived.Sub(sent))
	e.fresh, e.arrived = lifetime(e.header, e.status, date), arrived
}

// matches reports whether the answer is also valid for req (section 4.1).
func (e *entry) matches(req *http.Request) bool {
	for name, values := range e.vary {
		if normal(values) != normal(req.Header.Values(name)) {
			return false
		}
	}
	return true
}

// normal joins the values of a header, whose order counts and whose spaces do not.
func normal(values []string) string {
	var parts []string
	for _, part := range splitList(strings.Join(values, ",")) {
		parts = append(parts, strings.Join(strings.Fields(part), " "))
	}
	return strings.Join(parts, ",")
}

func (e *entry) ageAt(now time.Time) time.Duration { return e.age + now.Sub(e.arrived) }

// usable reports whether the answer may be used without asking the server (section 4.2).
func (e *entry) usable(now time.Time) bool {
	value, asks := directives(e.header)["no-cache"]
	return (!asks || value != "") && e.ageAt(now) < e.fresh
}

// usableOnError reports whether the answer may be used when the server fails (RFC 5861 section 4).
func (e *entry) usableOnError(now time.Time) bool {
	said := directives(e.header)
	most, ok := said.seconds("stale-if-error")
	return ok && !said.has("must-revalidate") && !said.has("no-cache") && e.ageAt(now)-e.fresh <= most
}

// revalidate makes req conditional, and reports whether the answer has a validator.
func (e *entry) revalidate(req **http.Request) bool {
	etag, modified := e.header.Get("ETag"), e.header.Get("Last-Modified")
	if etag == "" && modified == "" {
		return false
	}
	conditional := (*req).Clone((*req).Context())
	if etag != "" {
		conditional.Header.Set("If-None-Match", etag)
	}
	if modified != "" {
		conditional.Header.Set("If-Modified-Since", modified)
	}
	*req = conditional
	return true
}

// refreshed returns the answer updated by a 304 (section 3.2).
func (e *entry) refreshed(said http.Header, sent, arrived time.Time) *entry {
	updated := *e
	updated.header = e.header.Clone()
	news := stored(said)
	for _, name := range []string{"Content-Length", "Content-Encoding", "Content-Type", "Content-Range"} { // these describe the body, which does not change
		news.Del(name)
	}
	maps.Copy(updated.header, news)
	if said.Get("Age") == "" {
		updated.header.Del("Age")
	}
	updated.setTimes(sent, arrived)
	return &updated
}

func (e *entry) response(req *http.Request) *http.Response {
	header := e.header.Clone()
	header.Set("Age", strconv.Itoa(int(max(e.ageAt(time.Now()), 0).Seconds())))
	return &http.Response{
		StatusCode: e.status, Status: strconv.Itoa(e.status) + " " + http.StatusText(e.status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: io.NopCloser(bytes.NewReader(e.body)), ContentLength: int64(len(e.body)), Request: req,
	}
}

// size estimates the memory of an entry.
func (e *entry) size() int {
	const overhead = 512
	n := overhead + len(e.body)
	for _, h := range []http.Header{e.header, e.vary} {
		for name, values := range h {
			n += len(name)
			for _, v := range values {
				n += len(v) + 16
			}
		}
	}
	return n
}
