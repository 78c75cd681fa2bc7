package webfetch

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/quorate/quorate/agents/webfetch/robots"
	"github.com/quorate/quorate/platform/bounded"
	"github.com/quorate/quorate/platform/fault"
)

// Limits of what is kept of robots.txt files, and of requests for them.
const (
	robotsTime      = time.Hour // RFC 9309 section 2.4 allows a day
	maxRobots       = 2000
	maxRobotsBytes  = 16 << 20 // of all files as they came; parsed, a hostile one takes five times as much
	robotsRedirects = 5        // section 2.3.1.2
	robotsTimeout   = 10 * time.Second
)

// robotsCache keeps the robots.txt of recently read origins.
type robotsCache struct {
	patience time.Duration // how long to wait for one file

	mu    sync.Mutex
	files map[string]*robotsFile // by origin; guarded by mu
	bytes int                    // of the files that came since files was empty; guarded by mu
}

// robotsFile is the robots.txt of one origin, which may still be on its way.
type robotsFile struct {
	done    chan struct{} // closed when the other fields are set
	expires time.Time
	file    *robots.File // nil: there is no readable file
	size    int          // bytes of it
	status  int          // that prevents reading the file: 500 or above
	err     error        // why the request failed
	beyond  *url.URL     // a redirect's target that the requesting caller may not read; nil when the file was found
}

// checkRobots returns a fault if the site's robots.txt disallows u, or cannot be read because the server fails.
func (f *Fetcher) checkRobots(ctx context.Context, p plan, u *url.URL) error {
	if f.robots == nil || !p.profile.polite {
		return nil
	}
	entry, err := f.robotsOf(ctx, p, u)
	if err != nil {
		return err
	}
	if entry.status != 0 {
		return failure(fault.PermissionDenied, ReasonRobots, u, "the site's robots.txt answered %d, and what it allows is unknown; try later", entry.status)
	}
	if entry.file == nil {
		return nil
	}
	path := u.EscapedPath()
	if path == "" {
		path = "/"
	}
	if u.RawQuery != "" {
		path += "?" + u.RawQuery
	}
	verdict := entry.file.Test(f.userAgentOf(p), path)
	if verdict.Delay > 0 {
		f.web.paced.limiter.Slow(u.Hostname(), verdict.Delay, entry.expires)
	}
	if !verdict.Allowed {
		return failure(fault.PermissionDenied, ReasonRobots, u, "the site's robots.txt disallows it (%s)", printable(bounded.Characters(verdict.Rule, 100))).With("rule", printable(bounded.Characters(verdict.Rule, 100)))
	}
	return nil
}

// robotsOf returns the file of u's origin. The first caller fetches it; the others wait.
func (f *Fetcher) robotsOf(ctx context.Context, p plan, u *url.URL) (*robotsFile, error) {
	origin := u.Scheme + "://" + u.Host
	for {
		entry, mine := f.robots.entry(origin)
		if mine {
			entry.fetch(ctx, f, p, u)
			if entry.err != nil {
				f.robots.forget(origin, entry)
			}
			f.robots.count(entry)
			close(entry.done)
			return entry, entry.err
		}
		select {
		case <-entry.done:
		case <-ctx.Done():
			return nil, p.ended(ctx, u)
		}
		if entry.err == nil && entry.beyond == nil {
			return entry, nil
		}
		if entry.err == nil {
			if err := f.admit(ctx, p, entry.beyond); outOfBounds(err) {
				return entry, nil
			} else if err != nil {
				return nil, err
			}
			f.robots.forget(origin, entry) // this caller may follow the redirect
		}
		if ctx.Err() != nil { // what stopped the other caller may not stop this one
			return nil, p.ended(ctx, u)
		}
	}
}

// entry returns the file of an origin, and whether the caller has to fetch it.
func (c *robotsCache) entry(origin string) (e *robotsFile, mine bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if e := c.files[origin]; e != nil && now.Before(e.expires) {
		return e, false
	}
	if c.files == nil || len(c.files) >= maxRobots || c.bytes > maxRobotsBytes { // when full, which is rare, everything is dropped: simpler than choosing
		c.files, c.bytes = make(map[string]*robotsFile), 0
	}
	e = &robotsFile{done: make(chan struct{}), expires: now.Add(robotsTime)}
	c.files[origin] = e
	return e, true
}

func (c *robotsCache) forget(origin string, e *robotsFile) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.files[origin] == e {
		delete(c.files, origin)
	}
}

// count counts a file that has come.
func (c *robotsCache) count(e *robotsFile) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bytes += e.size
}

// fetch reads the robots.txt of u's origin into e.
func (e *robotsFile) fetch(ctx context.Context, f *Fetcher, p plan, u *url.URL) {
	brief, cancel := context.WithTimeout(ctx, f.robots.patience)
	defer cancel()
	e.follow(brief, f, p, u)
	if e.err != nil && brief.Err() != nil && ctx.Err() == nil { // the page's own time is not over
		patience := f.robots.patience.String()
		e.err = failure(fault.DeadlineExceeded, ReasonTimeout, u, "the site's robots.txt did not come within %s, and what it allows is unknown; try later", patience).
			With("timeout", patience)
	}
}

// follow asks for the file, and follows redirects to it (RFC 9309 section 2.3.1).
func (e *robotsFile) follow(ctx context.Context, f *Fetcher, p plan, u *url.URL) {
	at := &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/robots.txt"}
	for range robotsRedirects + 1 {
		if err := f.admit(ctx, p, at); err != nil {
			if e.beyond = at; !outOfBounds(err) { // this says nothing about the site
				e.err = err
			}
			return // a redirect to where this agent may not go counts as no file
		}
		resp, err := f.askRobots(ctx, p, u, at)
		if err != nil {
			e.err = err
			return
		}
		next, err := redirect(at, resp)
		if next == nil && err == nil {
			e.read(ctx, p, u, resp)
			return
		}
		_ = resp.Body.Close() // its content does not matter
		if err != nil {
			return
		}
		at = next
	}
}

// outOfBounds reports whether err means that a URL may not be read, rather than that this could not be determined.
func outOfBounds(err error) bool {
	return slices.Contains([]fault.Kind{fault.PermissionDenied, fault.InvalidArgument}, fault.KindOf(err))
}

// askRobots requests the file of u's origin. Errors are reported about u, because nobody asked for the file.
func (f *Fetcher) askRobots(ctx context.Context, p plan, u, at *url.URL) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("ask for robots.txt: %w", err)
	}
	req.Header.Set("User-Agent", f.userAgentOf(p))
	req.Header.Set("Accept", "text/plain,*/*;q=0.5")
	req.Header.Set("Accept-Encoding", acceptEncoding)
	resp, err := f.web.retried.RoundTrip(req)
	if err != nil {
		return nil, p.networkError(ctx, u, ReasonNetwork, err)
	}
	return resp, nil
}

func (e *robotsFile) read(ctx context.Context, p plan, u *url.URL, resp *http.Response) {
	defer resp.Body.Close()
	switch {
	case resp.StatusCode >= 500:
		e.status, e.expires = resp.StatusCode, time.Now().Add(robotsTime/60)
		return
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		return
	}
	data, _, err := readBody(u, resp, robots.MaxBytes+1, cutBody)
	if err != nil { // the rules that are missing may be those that disallow
		e.err = unreadRobots(u, err)
		if ctx.Err() != nil {
			e.err = p.ended(ctx, u)
		}
		return
	}
	e.file, e.size = robots.Parse(data), len(data)
}

func unreadRobots(u *url.URL, cause error) error {
	failed := failure(fault.Unavailable, ReasonRead, u, "the site's robots.txt cannot be read to its end, and what it allows is unknown; try later")
	failed.Cause = cause
	return failed
}
