// Package session keeps the cookies of a caller's fetches apart from everybody else's, in memory and bounded.
package session

import (
	"container/list"
	"math"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/publicsuffix"
)

// Limits of the jars: net/http/cookiejar has none.
const (
	maxSessions = 1024
	maxAge      = 24 * time.Hour // after the last use
	maxCookies  = 200            // in one session
	maxCookie   = 4 << 10        // bytes of one, with its attributes
	maxPerHop   = 50             // of one answer
	maxBytes    = 64 << 20       // of all cookies; the least recently used sessions are dropped for new ones
)

// Jars holds the jars of all sessions. The zero value is empty. It is safe for concurrent use.
type Jars struct {
	mu    sync.Mutex
	byKey map[string]*list.Element // guarded by mu
	order list.List                // of *Jar, the last used in front; guarded by mu
	bytes int                      // of their cookies; guarded by mu
}

// Jar holds one session's cookies.
type Jar struct {
	key   string
	jars  *Jars     // nil without a session
	used  time.Time // guarded by Jars.mu
	bytes int       // guarded by Jars.mu; its size as counted by Jars
	jar   *cookiejar.Jar

	mu   sync.Mutex
	has  map[cookie]held // what is in jar; guarded by mu
	size int             // bytes of has; guarded by mu
}

// held describes a cookie in a jar.
type held struct {
	end  time.Time // zero for a cookie without an end
	size int       // bytes
}

// cookie is the identity of a cookie (RFC 6265 section 5.3). A cookie for a whole domain counts once for each of its hosts that set it.
type cookie struct{ host, domain, path, name string }

// Get returns the jar of an owner's session. For an empty session it returns a new jar each time.
func (j *Jars) Get(owner, session string) *Jar {
	if session == "" {
		return newJar("", nil)
	}
	key := owner + "\x00" + session
	now := time.Now()
	j.mu.Lock()
	defer j.mu.Unlock()
	for last := j.order.Back(); last != nil; last = j.order.Back() {
		old, _ := last.Value.(*Jar)
		if j.order.Len() <= maxSessions && now.Sub(old.used) < maxAge {
			break
		}
		j.forget(last)
	}
	if element := j.byKey[key]; element != nil {
		j.order.MoveToFront(element)
		jar, _ := element.Value.(*Jar)
		jar.used = now
		return jar
	}
	if j.byKey == nil {
		j.byKey = make(map[string]*list.Element)
	}
	jar := newJar(key, j)
	jar.used = now
	j.byKey[key] = j.order.PushFront(jar)
	return jar
}

// forget drops a session. The caller holds mu.
func (j *Jars) forget(element *list.Element) {
	jar, _ := j.order.Remove(element).(*Jar)
	delete(j.byKey, jar.key)
	j.bytes -= jar.bytes
}

// count updates the size of a session, and drops others when all together are too large.
func (j *Jars) count(jar *Jar, bytes int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	element := j.byKey[jar.key]
	if element == nil || element.Value != jar {
		return // it was dropped, and ends with its fetch
	}
	j.bytes += bytes - jar.bytes
	jar.bytes = bytes
	for last := j.order.Back(); j.bytes > maxBytes && last != nil; last = j.order.Back() {
		if last == element {
			if last = last.Prev(); last == nil {
				return
			}
		}
		j.forget(last)
	}
}

func newJar(key string, jars *Jars) *Jar {
	jar, _ := cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List}) // its error is always nil
	return &Jar{key: key, jars: jars, jar: jar, has: make(map[cookie]held)}
}

// Cookies returns the cookies to send to u.
func (j *Jar) Cookies(u *url.URL) []*http.Cookie { return j.jar.Cookies(u) }

// Keep stores the cookies of an answer from u. Those beyond the limits are dropped.
func (j *Jar) Keep(u *url.URL, cookies []*http.Cookie) {
	j.mu.Lock()
	defer j.mu.Unlock()
	now := time.Now()
	var kept []*http.Cookie
	for _, c := range cookies[:min(len(cookies), maxPerHop)] {
		if j.counts(u, c, now) {
			kept = append(kept, c)
		}
	}
	j.jar.SetCookies(u, kept)
	if j.jars != nil {
		j.jars.count(j, j.size)
	}
}

// counts counts c in or, when it ends one, out, and reports whether there is room for it. It needs mu.
func (j *Jar) counts(u *url.URL, c *http.Cookie, now time.Time) bool {
	is := cookie{u.Hostname(), c.Domain, pathOf(u, c), c.Name}
	end := c.Expires
	if c.MaxAge != 0 {
		end = now.Add(time.Duration(min(c.MaxAge, math.MaxInt32)) * time.Second)
	}
	if c.MaxAge < 0 || !end.IsZero() && !end.After(now) {
		j.drop(is)
		return true
	}
	if _, known := j.has[is]; !known && len(j.has) >= maxCookies {
		j.dropEnded(now)
		if len(j.has) >= maxCookies {
			return false
		}
	}
	size := len(is.host) + len(c.Domain) + len(is.path) + len(c.Name) + len(c.Value)
	if size > maxCookie {
		return false
	}
	j.drop(is)
	j.has[is] = held{end: end, size: size}
	j.size += size
	return true
}

// pathOf returns the path of a cookie that u has set: without one of its own, the folder of u (section 5.1.4).
func pathOf(u *url.URL, c *http.Cookie) string {
	if strings.HasPrefix(c.Path, "/") {
		return c.Path
	}
	if end := strings.LastIndexByte(u.Path, '/'); end > 0 {
		return u.Path[:end]
	}
	return "/"
}

// drop no longer counts a cookie. It needs mu.
func (j *Jar) drop(is cookie) {
	j.size -= j.has[is].size
	delete(j.has, is)
}

// dropEnded drops the cookies whose time is over. It needs mu.
func (j *Jar) dropEnded(now time.Time) {
	for is, h := range j.has {
		if !h.end.IsZero() && !h.end.After(now) {
			j.drop(is)
			j.jar.Cookies(&url.URL{Scheme: "https", Host: is.host}) // the jar drops those of a site when it is asked for them
		}
	}
}
