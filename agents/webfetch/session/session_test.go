package session_test

import (
	"fmt"
	"net/http"
	"net/url"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/agents/webfetch/session"
)

func at(t *testing.T, raw string) *url.URL {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestCookiesStayInTheirSession(t *testing.T) {
	var jars session.Jars
	site := at(t, "https://a.example.co.jp/")
	jars.Get("alice", "s").Keep(site, []*http.Cookie{{Name: "a", Value: "1", Path: "/"}, {Name: "super", Value: "1", Domain: "co.jp"}})
	for name, test := range map[string]struct {
		owner, session, url string
		want                int
	}{
		"the same session":              {"alice", "s", "https://a.example.co.jp/x", 1},
		"another host":                  {"alice", "s", "https://b.example.co.jp/", 0},
		"another session":               {"alice", "t", "https://a.example.co.jp/", 0},
		"another owner":                 {"bob", "s", "https://a.example.co.jp/", 0},
		"no session":                    {"alice", "", "https://a.example.co.jp/", 0},
		"a cookie for a public suffix":  {"alice", "s", "https://evil.co.jp/", 0},
		"an owner and a session in one": {"alice\x00s", "", "https://a.example.co.jp/", 0},
	} {
		if got := jars.Get(test.owner, test.session).Cookies(at(t, test.url)); len(got) != test.want {
			t.Errorf("%s: Cookies(%s) = %v, want %d", name, test.url, got, test.want)
		}
	}
}

func TestSessionsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var jars session.Jars
		site := at(t, "https://example.com/")
		jar := jars.Get("o", "first")
		for i := range 1000 {
			jar.Keep(site, []*http.Cookie{{Name: fmt.Sprint("c", i), Value: "v"}})
		}
		jar.Keep(site, []*http.Cookie{{Name: "long", Value: strings.Repeat("x", 5000)}})
		if got := len(jar.Cookies(site)); got != 200 {
			t.Errorf("%d of 1,000 cookies were kept, want 200", got)
		}
		for i := range 1100 {
			jars.Get("o", strconv.Itoa(i))
		}
		if got := len(jars.Get("o", "first").Cookies(site)); got != 0 {
			t.Errorf("a session that 1,100 newer ones followed has %d cookies, want it forgotten", got)
		}
		jars.Get("o", "old").Keep(site, []*http.Cookie{{Name: "a", Value: "1"}})
		time.Sleep(25 * time.Hour) //nolint:forbidigo // the clock is synctest's
		jars.Get("o", "other")
		if got := len(jars.Get("o", "old").Cookies(site)); got != 0 {
			t.Errorf("a session that nobody used for a day has %d cookies, want it forgotten", got)
		}
	})
}

func TestCookiesOfManyFoldersCountEach(t *testing.T) {
	var jars session.Jars
	jar := jars.Get("o", "s")
	kept := 0
	for i := range 300 {
		page := at(t, fmt.Sprintf("https://example.com/%d/page", i))
		jar.Keep(page, []*http.Cookie{{Name: "a", Value: "1"}}) // without a path, so for the page's folder
		kept += len(jar.Cookies(page))
	}
	if kept != 200 {
		t.Errorf("of the cookies of 300 folders %d were kept, want 200", kept)
	}
}

func TestSessionsAreBoundedInBytes(t *testing.T) {
	var jars session.Jars
	site := at(t, "https://example.com/")
	var large []*http.Cookie
	for i := range 40 {
		large = append(large, &http.Cookie{Name: fmt.Sprint("c", i), Value: strings.Repeat("x", 4000)})
	}
	jars.Get("o", "first").Keep(site, large[:1])
	jars.Get("o", "used").Keep(site, large[:1])
	for i := range 900 {
		jar := jars.Get("o", strconv.Itoa(i))
		for range 3 { // the same cookies count once
			jar.Keep(site, large)
		}
		jars.Get("o", "used").Keep(site, large[:1])
	}
	kept := 0
	for i := range 900 {
		kept += len(jars.Get("o", strconv.Itoa(i)).Cookies(site))
	}
	if kept < 60<<20/4000 || kept > 64<<20/4000 {
		t.Errorf("%d cookies of 4,000 bytes are kept, want 64 MiB of them", kept)
	}
	if got := len(jars.Get("o", "first").Cookies(site)); got != 0 {
		t.Errorf("the session that nobody used has %d cookies, want it forgotten", got)
	}
	if got := len(jars.Get("o", "used").Cookies(site)); got != 1 {
		t.Errorf("the session that was used has %d cookies, want 1", got)
	}
}

func TestEndedCookiesTakeNoMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var jars session.Jars
		jar := jars.Get("o", "s")
		before := inUse()
		for i := range 1000 {
			var cookies []*http.Cookie
			for c := range 50 {
				cookies = append(cookies, &http.Cookie{Name: fmt.Sprint("c", c), Value: strings.Repeat(strconv.Itoa(c%10), 4000), MaxAge: 1})
			}
			jar.Keep(at(t, fmt.Sprintf("https://site%d.test/", i)), cookies)
			time.Sleep(2 * time.Second) //nolint:forbidigo // the clock is synctest's
		}
		if grown := int64(inUse()) - int64(before); grown > 16<<20 {
			t.Errorf("50,000 cookies that ended take %d MiB, want less than 16", grown>>20)
		}
		runtime.KeepAlive(jar)
	})
}

// inUse returns how many bytes of the heap are reachable.
func inUse() uint64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

func TestCookiesOfALongSessionChangeAndEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var jars session.Jars
		site := at(t, "https://example.com/")
		jar := jars.Get("o", "s")
		for i := range 1000 {
			jar.Keep(site, []*http.Cookie{{Name: "token", Value: strconv.Itoa(i)}, {Name: fmt.Sprint("flash", i), Value: "v"}})
			jar.Keep(site, []*http.Cookie{{Name: fmt.Sprint("flash", i), MaxAge: -1}, {Name: fmt.Sprint("short", i), Value: "v", MaxAge: 1}})
			time.Sleep(time.Second) //nolint:forbidigo // the clock is synctest's
		}
		if got := jar.Cookies(site); len(got) != 1 || got[0].Value != "999" {
			t.Errorf("after 1,000 changes of a cookie, and as many that ended, there are %v, want the last one", got)
		}
		jar.Keep(site, []*http.Cookie{{Name: "token", Expires: time.Now().Add(-time.Hour)}})
		if got := jar.Cookies(site); len(got) != 0 {
			t.Errorf("after its end there are %v, want none", got)
		}
		jar.Keep(site, []*http.Cookie{{Name: "long", Value: "v", Path: "/" + strings.Repeat("x", 5000)}})
		if got := jar.Cookies(site.JoinPath(strings.Repeat("x", 5000), "/")); len(got) != 0 {
			t.Errorf("a cookie whose path is too long is kept as %.40v, want none", got)
		}
	})
}
