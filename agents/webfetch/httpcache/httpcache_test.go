package httpcache_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/agents/webfetch/httpcache"
)

// origin is a server in a function: it counts what reaches it.
type origin struct {
	calls  int
	last   http.Header
	answer func(calls int, req *http.Request) (status int, header, body string, err error)
}

// RoundTrip implements http.RoundTripper.
func (o *origin) RoundTrip(req *http.Request) (*http.Response, error) {
	o.calls++
	o.last = req.Header.Clone()
	status, header, body, err := o.answer(o.calls, req)
	if err != nil {
		return nil, err
	}
	resp := &http.Response{StatusCode: status, Header: http.Header{"Date": {time.Now().UTC().Format(http.TimeFormat)}}, Body: io.NopCloser(strings.NewReader(body)), Request: req}
	for line := range strings.SplitSeq(header, "\n") {
		if name, value, ok := strings.Cut(line, ": "); ok {
			if value == "none" {
				resp.Header.Del(name)
			} else {
				resp.Header.Add(name, strings.ReplaceAll(value, "NOW", time.Now().UTC().Format(http.TimeFormat)))
			}
		}
	}
	return resp, nil
}

// get asks with "Name: value" headers and returns the body and what the cache did.
func get(t *testing.T, cache http.RoundTripper, url string, headers ...string) (body string, did httpcache.Status) {
	t.Helper()
	return ask(t, cache, http.MethodGet, url, headers...)
}

// ask is get with a method.
func ask(t *testing.T, cache http.RoundTripper, method, url string, headers ...string) (body string, did httpcache.Status) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Add(name, value)
	}
	resp, err := cache.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	read, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(read), httpcache.StatusOf(resp)
}

func counting(header string) *origin {
	return &origin{answer: func(calls int, req *http.Request) (int, string, string, error) {
		if etag := req.Header.Get("If-None-Match"); etag != "" && strings.Contains(header, etag) {
			return http.StatusNotModified, header, "", nil
		}
		return http.StatusOK, header, strconv.Itoa(calls), nil
	}}
}

const page = "https://example.com/page"

// TestFreshness asks twice, with a time between, and looks at what the second answer came from.
func TestFreshness(t *testing.T) {
	for name, test := range map[string]struct {
		header string
		after  time.Duration
		ask    []string
		want   httpcache.Status
	}{
		"an answer is used for its max-age":                            {"Cache-Control: max-age=60", 59 * time.Second, nil, httpcache.Hit},
		"an answer is not used after its max-age":                      {"Cache-Control: max-age=60", 61 * time.Second, nil, httpcache.Miss},
		"a stale answer with an etag is revalidated":                   {"Cache-Control: max-age=60\nETag: \"a\"", 61 * time.Second, nil, httpcache.Revalidated},
		"directives are read in any case":                              {"Cache-Control: MAX-AGE=60", 59 * time.Second, nil, httpcache.Hit},
		"a quoted max-age counts":                                      {`Cache-Control: max-age="60"`, 59 * time.Second, nil, httpcache.Hit},
		"a max-age that is no number means stale":                      {"Cache-Control: max-age=6x", 0, nil, httpcache.Miss},
		"two different max-ages mean stale":                            {"Cache-Control: max-age=60, max-age=30", 0, nil, httpcache.Miss},
		"a negative max-age means stale":                               {"Cache-Control: max-age=-1", 0, nil, httpcache.Miss},
		"a huge max-age counts":                                        {"Cache-Control: max-age=99999999999999999999", time.Hour, nil, httpcache.Hit},
		"s-maxage is for shared caches":                                {"Cache-Control: s-maxage=1, max-age=60", 30 * time.Second, nil, httpcache.Hit},
		"a private answer is for a private cache":                      {"Cache-Control: private, max-age=60", 30 * time.Second, nil, httpcache.Hit},
		"the age that an answer came with counts":                      {"Cache-Control: max-age=60\nAge: 50", 11 * time.Second, nil, httpcache.Miss},
		"max-age beats expires":                                        {"Cache-Control: max-age=60\nExpires: Thu, 01 Jan 1970 00:00:00 GMT", 30 * time.Second, nil, httpcache.Hit},
		"expires counts":                                               {"Expires: Sat, 01 Jan 2000 00:01:00 GMT", 59 * time.Second, nil, httpcache.Hit},
		"expires in the past means stale":                              {"Expires: Thu, 01 Jan 1970 00:00:00 GMT", 0, nil, httpcache.Miss},
		"expires that is no date means stale":                          {"Expires: 0", 0, nil, httpcache.Miss},
		"a tenth of the age of a document is fresh":                    {"Last-Modified: Fri, 31 Dec 1999 23:50:00 GMT", 59 * time.Second, nil, httpcache.Hit},
		"more than a tenth of the age is not":                          {"Last-Modified: Fri, 31 Dec 1999 23:50:00 GMT", 61 * time.Second, nil, httpcache.Miss},
		"without any word an answer is not stored":                     {"", 0, nil, httpcache.Miss},
		"no-store is not stored":                                       {"Cache-Control: no-store, max-age=60", 0, nil, httpcache.Miss},
		"no-cache is revalidated":                                      {"Cache-Control: no-cache, max-age=60\nETag: \"a\"", 0, nil, httpcache.Revalidated},
		"no-cache for one header is not for the answer":                {"Cache-Control: no-cache=\"X-A\", max-age=60", 0, nil, httpcache.Hit},
		"an answer with a cookie is not stored":                        {"Cache-Control: max-age=60\nSet-Cookie: a=b", 0, nil, httpcache.Miss},
		"an answer that varies by everything is not stored":            {"Cache-Control: max-age=60\nVary: *", 0, nil, httpcache.Miss},
		"an answer that varies is used for the same request":           {"Cache-Control: max-age=60\nVary: Accept-Language", 0, nil, httpcache.Hit},
		"an answer that varies is not used for another request":        {"Cache-Control: max-age=60\nVary: Accept-Language", 0, []string{"Accept-Language: ja"}, httpcache.Miss},
		"a caller may want a new one":                                  {"Cache-Control: max-age=60", 0, []string{"Cache-Control: no-cache"}, httpcache.Miss},
		"a caller may not have its request stored":                     {"Cache-Control: max-age=60", 0, []string{"Cache-Control: no-store"}, httpcache.Bypass},
		"a request with a credential is not answered from the cache":   {"Cache-Control: max-age=60", 0, []string{"Authorization: Bearer x"}, httpcache.Bypass},
		"a request with a cookie is not answered from the cache":       {"Cache-Control: max-age=60", 0, []string{"Cookie: a=b"}, httpcache.Bypass},
		"a request for a part is not answered from the cache":          {"Cache-Control: max-age=60", 0, []string{"Range: bytes=0-1"}, httpcache.Bypass},
		"a request with conditions of its own is not answered from it": {"Cache-Control: max-age=60", 0, []string{`If-None-Match: "x"`}, httpcache.Bypass},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // the clock starts at 2000-01-01
				cache := httpcache.New(counting(test.header), httpcache.Options{})
				if body, did := get(t, cache, page); body != "1" || did != httpcache.Miss {
					t.Fatalf("first Get() = %q (%s), want 1 by the server", body, did)
				}
				time.Sleep(test.after) //nolint:forbidigo // the clock is synctest's
				body, did := get(t, cache, page, test.ask...)
				if did != test.want || (body == "1") != (did == httpcache.Hit || did == httpcache.Revalidated) {
					t.Errorf("second Get() = %q (%s), want %s", body, did, test.want)
				}
			})
		})
	}
}

func TestARevalidatedAnswerIsFreshAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := counting("Cache-Control: max-age=60\nETag: \"a\"\nX-A: 1")
		cache := httpcache.New(server, httpcache.Options{})
		get(t, cache, page)
		time.Sleep(61 * time.Second) //nolint:forbidigo // the clock is synctest's
		for _, want := range []httpcache.Status{httpcache.Revalidated, httpcache.Hit} {
			if body, did := get(t, cache, page); body != "1" || did != want {
				t.Errorf("Get() = %q (%s), want the first body, %s", body, did, want)
			}
		}
		if server.calls != 2 || server.last.Get("If-None-Match") != `"a"` {
			t.Errorf("the server was asked %d times, with %v, want twice, the second on a condition", server.calls, server.last)
		}
	})
}

func TestARevalidatedAnswerIsNotKeptIfTheServerForbidsIt(t *testing.T) {
	for _, header := range []string{"Cache-Control: no-store, max-age=60", "Cache-Control: max-age=60\nSet-Cookie: id=1", "Cache-Control: max-age=60\nVary: *"} {
		server := &origin{answer: func(calls int, _ *http.Request) (int, string, string, error) {
			if calls == 2 {
				return http.StatusNotModified, header, "", nil
			}
			return http.StatusOK, "Cache-Control: max-age=0\nETag: \"a\"", strconv.Itoa(calls), nil
		}}
		cache := httpcache.New(server, httpcache.Options{})
		get(t, cache, page)
		if body, did := get(t, cache, page); body != "1" || did != httpcache.Revalidated {
			t.Errorf("Get() with a 304 that says %q = %q (%s), want the stored one", header, body, did)
		}
		if body, did := get(t, cache, page); body != "3" || did != httpcache.Miss {
			t.Errorf("Get() after a 304 that says %q = %q (%s), want another answer of the server", header, body, did)
		}
	}
}

func TestStaleIfError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &origin{answer: func(calls int, _ *http.Request) (int, string, string, error) {
			switch calls {
			case 1:
				return http.StatusOK, "Cache-Control: max-age=1, stale-if-error=60", "kept", nil
			case 2:
				return http.StatusServiceUnavailable, "", "busy", nil
			}
			return 0, "", "", errors.New("connection refused")
		}}
		cache := httpcache.New(server, httpcache.Options{})
		get(t, cache, page)
		for range 2 {
			time.Sleep(2 * time.Second) //nolint:forbidigo // the clock is synctest's
			if body, did := get(t, cache, page); body != "kept" || did != httpcache.Stale {
				t.Errorf("Get() while the server fails = %q (%s), want the stored one", body, did)
			}
		}
	})
}

func TestVariantsStandSideBySide(t *testing.T) {
	cache := httpcache.New(counting("Cache-Control: max-age=60\nVary: Accept-Language, Accept"), httpcache.Options{})
	for i, want := range []string{"1", "2", "1", "2", "1"} {
		lang := []string{"en, fr", "ja"}[i%2]
		if i == 4 {
			lang = "en,  fr" // the same in other spaces
		}
		if body, _ := get(t, cache, page, "Accept-Language: "+lang); body != want {
			t.Errorf("Get(%s), call %d = %s, want %s", lang, i+1, body, want)
		}
	}
}

func TestOnlyGETsAreAnswered(t *testing.T) {
	cache := httpcache.New(counting("Cache-Control: max-age=60"), httpcache.Options{})
	get(t, cache, page)
	if body, did := ask(t, cache, http.MethodPost, page); body != "2" || did != httpcache.Bypass {
		t.Errorf("Post() = %q (%s), want an answer of the server", body, did)
	}
}

func TestOnlyWholeBodiesAreStored(t *testing.T) {
	server := counting("Cache-Control: max-age=60")
	cache := httpcache.New(server, httpcache.Options{})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, page, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := cache.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil { // nobody read it
		t.Fatal(err)
	}
	if _, did := get(t, cache, page); did != httpcache.Miss {
		t.Errorf("Get() after a body that nobody read = %s, want a miss", did)
	}
}

func TestTheCacheIsBounded(t *testing.T) {
	big := &origin{answer: func(int, *http.Request) (int, string, string, error) {
		return http.StatusOK, "Cache-Control: max-age=60", strings.Repeat("x", 10_000), nil
	}}
	cache := httpcache.New(big, httpcache.Options{MaxBytes: 50_000})
	for i := range 100 {
		get(t, cache, fmt.Sprintf("%s%d", page, i))
	}
	hits := 0
	for i := range 100 { // the last first: a miss takes the place of what was used longest ago
		if _, did := get(t, cache, fmt.Sprintf("%s%d", page, 99-i)); did == httpcache.Hit {
			hits++
		}
	}
	if hits < 1 || hits > 4 {
		t.Errorf("%d of 100 answers of 10 KB are in a cache of 50 KB, want 1 to 4", hits)
	}
	tooBig := httpcache.New(big, httpcache.Options{MaxBodyBytes: 9999})
	get(t, tooBig, page)
	if _, did := get(t, tooBig, page); did != httpcache.Miss {
		t.Errorf("Get() of a body that is too long to store = %s, want a miss", did)
	}
}
