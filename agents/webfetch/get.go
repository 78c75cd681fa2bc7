package webfetch

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/quorate/quorate/agents/webfetch/httpcache"
	"github.com/quorate/quorate/agents/webfetch/session"
	"github.com/quorate/quorate/platform/fault"
)

const maxRedirects = 10

// body is what a server answered with.
type body struct {
	url         *url.URL // that answered
	data        []byte   // decompressed
	cut         bool     // whether there was more of it
	contentType string   // the header
}

// get follows redirects from u, unless the plan says not to, and reads the answer. Every hop meets the guard, the allowlist and
// robots.txt anew.
func (f *Fetcher) get(ctx context.Context, p plan, u *url.URL, page *Page) (body, error) {
	first := u
	jar := f.jars.Get(p.Tenant+"\x00"+p.Owner, p.Session)
	for hop := 0; ; hop++ {
		if hop > 0 {
			if err := f.admit(ctx, p, u); err != nil {
				return body{}, redirectBlocked(err)
			}
		}
		if err := f.checkRobots(ctx, p, u); err != nil {
			return body{}, err
		}
		resp, err := f.ask(ctx, p, first, u, jar)
		if err != nil {
			return body{}, err
		}
		next, err := redirect(u, resp)
		if err == nil && (next == nil || p.NoRedirects) {
			return f.read(ctx, p, u, resp, page)
		}
		if err := errors.Join(err, resp.Body.Close()); err != nil {
			return body{}, err
		}
		page.Redirects = append(page.Redirects, Redirect{URL: printable(u.String()), StatusCode: resp.StatusCode})
		if hop == maxRedirects {
			return body{}, failure(fault.FailedPrecondition, ReasonTooManyRedirects, u, "it redirects more than %d times; give the final URL", maxRedirects).With("limit", strconv.Itoa(maxRedirects))
		}
		u = next
	}
}

// redirectBlocked tells that it was a redirect that led out of bounds; the address stays the guard's to name.
func redirectBlocked(err error) error {
	known, ok := errors.AsType[*fault.Error](err)
	if !ok || known.Reason != ReasonDomain {
		return err
	}
	told := *known
	told.Message = strings.Replace(told.Message, ": ", ": the page redirects there, and ", 1)
	return &told
}

// ask sends one request.
func (f *Fetcher) ask(ctx context.Context, p plan, first, u *url.URL, jar *session.Jar) (*http.Response, error) {
	req, err := f.request(ctx, p, first, u)
	if err != nil {
		return nil, err
	}
	for _, cookie := range jar.Cookies(u) {
		req.AddCookie(cookie)
	}
	resp, err := f.roundTripper(p).RoundTrip(req)
	if refused, ok := errors.AsType[*fault.Error](err); ok {
		return nil, refusal(u, refused)
	}
	if err != nil {
		return nil, f.networkError(ctx, u, p.limits, ReasonNetwork, err)
	}
	if p.Session != "" {
		jar.Keep(u, resp.Cookies())
	}
	return resp, nil
}

// roundTripper returns what sends the request. The cache serves every caller, so that whoever sends what others do not passes by
// it: headers of one's own, cookies, credentials.
func (f *Fetcher) roundTripper(p plan) http.RoundTripper {
	switch {
	case !p.profile.polite:
		return f.web.paced
	case len(p.Headers) > 0, p.Session != "", p.Credential != "":
		return f.web.retried
	}
	return f.web.cached
}

// request returns the request for one hop. What the caller adds goes to the origin that it named and to no other.
func (f *Fetcher) request(ctx context.Context, p plan, first, u *url.URL) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return nil, failure(fault.InvalidArgument, ReasonURLInvalid, u, "it cannot be put in a request; check how it is written")
	}
	req.Header.Set("User-Agent", f.userAgentOf(p))
	req.Header.Set("Accept", "text/html,application/xhtml+xml,application/json;q=0.9,application/pdf;q=0.9,text/*;q=0.8,*/*;q=0.5")
	req.Header.Set("Accept-Encoding", acceptEncoding)
	if p.NoCache {
		req.Header.Set("Cache-Control", "no-cache")
	}
	if sameOrigin(first, u) {
		for name, value := range p.Headers {
			req.Header.Set(name, value)
		}
		if err := f.authorise(ctx, p, u, req.Header); err != nil {
			return nil, err
		}
	}
	return req, nil
}

// userAgentOf returns the name that the plan's requests go by.
func (f *Fetcher) userAgentOf(p plan) string {
	if p.profile.Name != f.profile.Name && p.profile.UserAgent != "" {
		return p.profile.UserAgent
	}
	return f.userAgent
}

func sameOrigin(a, b *url.URL) bool { return a.Scheme == b.Scheme && strings.EqualFold(a.Host, b.Host) }

// redirect returns the URL that resp sends to, or nil when it sends nowhere.
func redirect(from *url.URL, resp *http.Response) (*url.URL, error) {
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return nil, nil
	}
	location := resp.Header.Get("Location")
	if location == "" {
		return nil, nil
	}
	next, err := from.Parse(location)
	if err != nil {
		return nil, failure(fault.FailedPrecondition, ReasonURLInvalid, from, "it redirects to a URL that cannot be read")
	}
	return next, normalise(next)
}

// read reads the body of an answer that is the last, and closes it.
func (f *Fetcher) read(ctx context.Context, p plan, u *url.URL, resp *http.Response, page *Page) (body, error) {
	page.URL, page.Domain, page.StatusCode = printable(u.String()), u.Hostname(), resp.StatusCode
	page.ContentType = printable(resp.Header.Get("Content-Type"))
	page.Headers = headersOf(resp.Header)
	page.Cache = string(httpcache.StatusOf(resp))
	redirected := p.NoRedirects && resp.StatusCode >= 300 && resp.StatusCode < 400
	if (resp.StatusCode < 200 || resp.StatusCode > 299) && !redirected {
		return body{}, errors.Join(statusError(u, resp), resp.Body.Close())
	}
	data, cut, err := readBody(u, resp, p.limits.MaxSize, p.profile.overlong)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return body{}, f.networkError(ctx, u, p.limits, ReasonRead, err)
	}
	page.ContentLength, page.Truncated = int64(len(data)), cut
	return body{url: u, data: data, cut: cut, contentType: page.ContentType}, nil
}
