// Package session keeps the cookies of a caller's fetches together and apart from everybody else's, in memory and bounded.
package session

import (
	"container/list"
	"maps"
	"math"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"sync"
	"time"

	"golang.org/x/net/publicsuffix"
)

// Bounds of the jars: net/http/cookiejar has none.
const (
	maxSessions = 1024
	maxAge      = 24 * time.Hour // after the last use
	maxCookies  = 200            // in one session
	maxCookie   = 4 << 10        // bytes of one, with its attributes
	maxPerHop   = 50             // of one answer
)

// Jars are the jars of all sessions. The zero value is empty. It is safe for concurrent use.
type Jars struct {
	mu    sync.Mutex
	byKey map[string]*list.Element // guarded by mu
	order list.List                // of *Jar, the last used in front; guarded by mu
}

// Jar is one session's cookies.
type Jar struct {
	key  string
	used time.Time // guarded by Jars.mu
	jar  *cookiejar.Jar

	mu   sync.Mutex
	ends map[cookie]time.Time // of the cookies in jar, the zero time of those that last; guarded by mu
}

// cookie is what makes one cookie another than the next, as far as its sender says (RFC 6265 section 5.3).
type cookie struct{ host, domain, path, name string }

// Get returns the jar of a session, which belongs to an owner. An empty session has a jar of its own each time.
func (j *Jars) Get(owner, session string) *Jar {
	if session == "" {
		return newJar("")
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
		j.order.Remove(last)
		delete(j.byKey, old.key)
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
	jar := newJar(key)
	jar.used = now
	j.byKey[key] = j.order.PushFront(jar)
	return jar
}

func newJar(key string) *Jar {
	jar, _ := cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List}) // its error is always nil
	return &Jar{key: key, jar: jar, ends: make(map[cookie]time.Time)}
}

// Cookies returns the cookies to send to u.
func (j *Jar) Cookies(u *url.URL) []*http.Cookie { return j.jar.Cookies(u) }

// Keep keeps the cookies of an answer from u. What is too much is dropped.
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
}

// counts counts c in or, when it ends one, out, and tells whether there is room for it. It needs mu.
func (j *Jar) counts(u *url.URL, c *http.Cookie, now time.Time) bool {
	is := cookie{u.Hostname(), c.Domain, c.Path, c.Name}
	end := c.Expires
	if c.MaxAge != 0 {
		end = now.Add(time.Duration(min(c.MaxAge, math.MaxInt32)) * time.Second)
	}
	if c.MaxAge < 0 || !end.IsZero() && !end.After(now) {
		delete(j.ends, is)
		return true
	}
	if _, known := j.ends[is]; !known && len(j.ends) >= maxCookies {
		maps.DeleteFunc(j.ends, func(_ cookie, end time.Time) bool { return !end.IsZero() && !end.After(now) })
		if len(j.ends) >= maxCookies {
			return false
		}
	}
	if len(is.host)+len(c.Domain)+len(c.Path)+len(c.Name)+len(c.Value) > maxCookie {
		return false
	}
	j.ends[is] = end
	return true
}
