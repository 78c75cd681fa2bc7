package webfetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/quorate/quorate/agents/webfetch/extract"
	"github.com/quorate/quorate/agents/webfetch/httpcache"
	"github.com/quorate/quorate/agents/webfetch/session"
	"github.com/quorate/quorate/platform/bounded"
	"github.com/quorate/quorate/platform/fault"
)

const maxRedirects = 10

// body is the body of an answer.
type body struct {
	url         *url.URL // of the answer, after redirects
	data        []byte   // decompressed
	cut         bool     // there was more of it
	contentType string   // as in the header
	refresh     string   // the Refresh header
}

// get reads u, following redirects unless the plan forbids it. Each hop must pass the guard, the allowlist and robots.txt.
func (f *Fetcher) get(ctx context.Context, p plan, u *url.URL, page *Page) (body, error) {
	named := true // no other origin has decided on u
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
		resp, err := f.ask(ctx, p, named, u, jar)
		if err != nil {
			return body{}, err
		}
		b, next, err := f.answer(ctx, p, u, resp, page)
		if isPage := b.url != nil; err != nil || next == nil || isPage && hop == maxRedirects {
			return b, err
		}
		page.Redirects = append(page.Redirects, Redirect{URL: printable(u.String()), StatusCode: resp.StatusCode})
		if hop == maxRedirects {
			return body{}, failure(fault.FailedPrecondition, ReasonTooManyRedirects, u, "it redirects more than %d times; give the final URL", maxRedirects).With("limit", strconv.Itoa(maxRedirects))
		}
		named = named && sameOrigin(u, next)
		u = next
	}
}

// answer reads the answer of one hop: a page, or a redirect, or a page that sends its readers on, which is both. next is where it leads, or nil.
func (f *Fetcher) answer(ctx context.Context, p plan, u *url.URL, resp *http.Response, page *Page) (b body, next *url.URL, err error) {
	next, err = redirect(u, resp)
	if err != nil || next != nil && !p.NoRedirects {
		return body{}, next, errors.Join(err, resp.Body.Close())
	}
	if b, err = f.read(ctx, p, u, resp, page); err != nil {
		return body{}, nil, err
	}
	return b, f.refresh(ctx, p, b), nil
}

// refresh returns the URL that b sends its readers to by itself, or nil when it is a page of its own, or may not be left for that URL.
func (f *Fetcher) refresh(ctx context.Context, p plan, b body) *url.URL {
	if p.NoRedirects || p.format == extract.Raw || !p.profile.polite {
		return nil
	}
	to := cmp.Or(extract.RefreshURL(b.refresh), extract.Refresh(extract.Source{Data: b.data, ContentType: b.contentType}))
	if to == "" {
		return nil
	}
	next, err := extract.ParseReference(b.url, to)
	if err != nil || normalise(next) != nil || f.admit(ctx, p, next) != nil || f.checkRobots(ctx, p, next) != nil {
		return nil
	}
	here, there := *b.url, *next
	here.Fragment, there.Fragment = "", ""
	if here.String() == there.String() {
		return nil
	}
	return next
}

// redirectBlocked returns a fault about the URL that a redirect led to as one of the page's: its message says so, and it is no mistake in the request.
func redirectBlocked(err error) error {
	known, ok := errors.AsType[*fault.Error](err)
	if !ok || !outOfBounds(err) {
		return err
	}
	told := *known
	told.Message = strings.Replace(told.Message, ": ", ": the page redirects there, and ", 1)
	if told.Kind == fault.InvalidArgument {
		told.Kind, told.Violations = fault.FailedPrecondition, nil
	}
	return &told
}

// ask sends one request.
func (f *Fetcher) ask(ctx context.Context, p plan, named bool, u *url.URL, jar *session.Jar) (*http.Response, error) {
	req, err := f.request(ctx, p, named, u)
	if err != nil {
		return nil, err
	}
	for _, cookie := range jar.Cookies(u) {
		req.AddCookie(cookie)
	}
	resp, err := f.roundTripper(p).RoundTrip(req)
	if err != nil {
		return nil, p.networkError(ctx, u, ReasonNetwork, err)
	}
	jar.Keep(u, resp.Cookies())
	return resp, nil
}

// roundTripper returns the transport for a request. The cache is shared by all callers, so requests with headers, cookies or credentials of the
// caller's own bypass it.
func (f *Fetcher) roundTripper(p plan) http.RoundTripper {
	switch {
	case !p.profile.polite:
		return f.web.paced
	case len(p.Headers) > 0, p.Session != "", p.Credential != "":
		return f.web.retried
	}
	return f.web.cached
}

// request returns the request for one hop. The caller's own headers and credential are sent only to the origin that the caller named, and, as named says,
// no longer once another origin has decided on the URL, not even back there: it must not choose what they are used for.
func (f *Fetcher) request(ctx context.Context, p plan, named bool, u *url.URL) (*http.Request, error) {
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
	if named {
		for name, value := range p.Headers {
			req.Header.Set(name, value)
		}
		if err := f.authorise(ctx, p, u, req.Header); err != nil {
			return nil, err
		}
	}
	return req, nil
}

// userAgentOf returns the User-Agent for the plan's requests.
func (f *Fetcher) userAgentOf(p plan) string {
	if p.profile.Name != f.profile.Name && p.profile.UserAgent != "" {
		return p.profile.UserAgent
	}
	return f.userAgent
}

func sameOrigin(a, b *url.URL) bool { return a.Scheme == b.Scheme && strings.EqualFold(a.Host, b.Host) }

// redirect returns the URL to which resp redirects, or nil.
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
	next, err := extract.ParseReference(from, location)
	if err != nil {
		return nil, failure(fault.FailedPrecondition, ReasonURLInvalid, from, "it redirects to a URL that cannot be read")
	}
	return next, redirectBlocked(normalise(next))
}

// read reads and closes the body of the final answer.
func (f *Fetcher) read(ctx context.Context, p plan, u *url.URL, resp *http.Response, page *Page) (body, error) {
	page.URL, page.Domain, page.StatusCode = printable(u.String()), u.Hostname(), resp.StatusCode
	page.ContentType = printable(resp.Header.Get("Content-Type"))
	page.Headers = headersOf(resp.Header)
	page.Cache = string(httpcache.StatusOf(resp))
	redirected := p.NoRedirects && resp.StatusCode >= 300 && resp.StatusCode < 400
	if (resp.StatusCode < 200 || resp.StatusCode > 299) && !redirected {
		return body{}, errors.Join(statusError(u, resp.StatusCode, retryAfter(resp)), resp.Body.Close())
	}
	data, cut, err := readBody(u, resp, p.limits.MaxSize, p.profile.overlong)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return body{}, p.networkError(ctx, u, ReasonRead, err)
	}
	cut = cut || partial(resp)
	page.ContentLength, page.Truncated = int64(len(data)), cut
	b := body{url: u, data: data, cut: cut, contentType: page.ContentType, refresh: resp.Header.Get("Refresh")}
	if p.format == extract.Raw || !p.profile.polite {
		return b, nil
	}
	return b.unpacked(p.limits.MaxSize)
}

// partial reports whether an answer is a part of a page, which nobody has asked for.
func partial(resp *http.Response) bool {
	if resp.StatusCode != http.StatusPartialContent {
		return false
	}
	var first, last, size int64
	_, err := fmt.Sscanf(resp.Header.Get("Content-Range"), "bytes %d-%d/%d", &first, &last, &size)
	return err != nil || first != 0 || last+1 != size
}

// commonHeaders are the response headers that are useful to a reader.
var commonHeaders = []string{"Cache-Control", "Content-Language", "Content-Length", "Content-Type", "Date", "Etag", "Expires", "Last-Modified", "Link", "Location", "Retry-After", "Server", "X-Robots-Tag"}

func headersOf(h http.Header) map[string]string {
	const longest = 1024
	headers := map[string]string{}
	for _, name := range commonHeaders {
		if value := h.Get(name); value != "" {
			headers[name] = bounded.Characters(printable(value), longest)
		}
	}
	return headers
}
