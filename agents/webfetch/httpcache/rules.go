package httpcache

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// keyOf returns the key of answers: the URL without its fragment.
func keyOf(req *http.Request) string {
	u := url.URL{Scheme: req.URL.Scheme, Host: strings.ToLower(req.URL.Host), Path: req.URL.Path, RawPath: req.URL.RawPath, RawQuery: req.URL.RawQuery}
	return u.String()
}

// bypasses reports whether the cache has nothing to do with a request: it is no GET, its answer may be for this caller alone, it asks for a range or has
// conditions of its own, or it says something of caching but that the server is to be asked.
func bypasses(req *http.Request) bool {
	for _, name := range []string{"Authorization", "Cookie", "Range", "If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range"} {
		if req.Header.Get(name) != "" {
			return true
		}
	}
	said := req.Header.Get("Cache-Control")
	return req.Method != http.MethodGet || said != "" && said != "no-cache"
}

// directiveSet is a parsed Cache-Control header. A directive that occurs twice with different values has the value "invalid".
type directiveSet map[string]string

func directives(h http.Header) directiveSet {
	set := directiveSet{}
	for _, part := range splitList(strings.Join(h.Values("Cache-Control"), ",")) {
		name, value, _ := strings.Cut(part, "=")
		name, value = strings.ToLower(strings.TrimSpace(name)), strings.Trim(strings.TrimSpace(value), `"`)
		if name == "" {
			continue
		}
		if known, ok := set[name]; ok && known != value {
			value = "invalid"
		}
		set[name] = value
	}
	return set
}

// splitList splits a list at its commas, but not inside quotes.
func splitList(s string) []string {
	quoted := false
	return strings.FieldsFunc(s, func(r rune) bool {
		if r == '"' {
			quoted = !quoted
		}
		return r == ',' && !quoted
	})
}

func (d directiveSet) has(name string) bool {
	_, ok := d[name]
	return ok
}

// seconds returns the value of a directive. An invalid value counts as 0: the answer is stale (section 4.2.1).
func (d directiveSet) seconds(name string) (time.Duration, bool) {
	value, ok := d[name]
	if !ok {
		return 0, false
	}
	const most = 1 << 31 // section 1.2.2
	if value == "" || strings.Trim(value, "0123456789") != "" {
		return 0, true
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n > most {
		n = most
	}
	return time.Duration(n) * time.Second, true
}

// heuristic are the status codes that may be stored without explicit freshness (RFC 9110 section 15.1).
var heuristic = []int{200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501}

// storable reports whether an answer may be stored (section 3).
func storable(resp *http.Response) bool {
	said := directives(resp.Header)
	switch {
	case said.has("no-store"), resp.Header.Get("Set-Cookie") != "":
		return false
	case resp.StatusCode < 200 || resp.StatusCode == http.StatusPartialContent || resp.StatusCode == http.StatusNotModified:
		return false
	case slices.Contains(listOf(resp.Header, "Vary"), "*"):
		return false
	case said.has("must-understand") && !slices.Contains(heuristic, resp.StatusCode):
		return false
	}
	if said.has("max-age") || said.has("public") || said.has("private") || resp.Header.Get("Expires") != "" {
		return true
	}
	hasValidator := resp.Header.Get("ETag") != "" || resp.Header.Get("Last-Modified") != ""
	return hasValidator && slices.Contains(heuristic, resp.StatusCode)
}

func listOf(h http.Header, name string) []string {
	var list []string
	for _, part := range splitList(strings.Join(h.Values(name), ",")) {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, http.CanonicalHeaderKey(part))
		}
	}
	return list
}

// maxHeuristic bounds freshness that is estimated from Last-Modified (section 4.2.2).
const maxHeuristic = 24 * time.Hour

// lifetime returns how long an answer is fresh (section 4.2.1).
func lifetime(h http.Header, status int, date time.Time) time.Duration {
	said := directives(h)
	if age, ok := said.seconds("max-age"); ok {
		return age
	}
	if values := h.Values("Expires"); len(values) > 0 {
		expires, err := http.ParseTime(values[0])
		if err != nil || len(values) > 1 {
			return 0 // "0" and other invalid dates are in the past
		}
		return max(expires.Sub(date), 0)
	}
	modified, err := http.ParseTime(h.Get("Last-Modified"))
	if err != nil || !slices.Contains(heuristic, status) && !said.has("public") {
		return 0
	}
	return min(max(date.Sub(modified)/10, 0), maxHeuristic)
}
