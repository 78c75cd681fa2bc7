package webfetch

import (
	"context"
	"net"
	"net/url"
	"strings"

	"github.com/quorate/quorate/agents/webfetch/extract"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
)

// fetchHere reads the page in this process, with the browser if the plan asks for it or the page needs it.
func (f *Fetcher) fetchHere(ctx context.Context, p plan, u *url.URL, page *Page) error {
	if p.Render == RenderAlways {
		return f.fetchRendered(ctx, p, u, page)
	}
	b, err := f.get(ctx, p, u, page)
	if err != nil {
		return err
	}
	plain := *page
	err = f.convert(ctx, p, b, page)
	if err != nil && fault.ReasonOf(err) != extract.ReasonNoMatch || p.Render != RenderAuto || f.browser == nil || !f.needsBrowser(ctx, b) {
		return err
	}
	rendered := plain
	switch failed := f.fetchRendered(ctx, p, b.url, &rendered); {
	case failed == nil:
		*page = rendered
		return nil
	case err == nil:
		page.Warnings = append(page.Warnings, WarnRender) // the page without scripts is better than nothing
	}
	return err
}

// needsBrowser reports whether the page is a shell that scripts fill: it has scripts and almost no text, whatever was asked for of it.
func (f *Fetcher) needsBrowser(ctx context.Context, b body) bool {
	const shell = 200 // bytes of text
	if !strings.Contains(strings.ToLower(string(b.data)), "<script") {
		return false
	}
	content, err := f.extract(ctx, extract.Source{Data: b.data, ContentType: b.contentType, URL: b.url}, extract.Options{Format: extract.Text})
	return err == nil && len(strings.TrimSpace(content.Text)) < shell
}

// fetchRendered has the browser render the page.
func (f *Fetcher) fetchRendered(ctx context.Context, p plan, u *url.URL, page *Page) error {
	if f.browser == nil {
		return failure(fault.FailedPrecondition, ReasonRender, u, "there is no browser here; leave render out, or ask an operator to install Chromium")
	}
	if len(p.Headers) > 0 || p.Credential != "" || p.Session != "" {
		return failure(fault.InvalidArgument, ReasonRequestInvalid, u, "a browser takes no headers, no session and no credential; leave them or render out")
	}
	if err := f.checkRobots(ctx, p, u); err != nil {
		return err
	}
	shown, err := f.browser.Render(ctx, u, Gate{f, p}, p.limits.MaxSize)
	if err != nil {
		if ctx.Err() != nil {
			return p.ended(ctx, u)
		}
		if shown.URL != nil {
			return redirectBlocked(withURL(shown.URL, err))
		}
		return withURL(u, err)
	}
	if err := f.admit(ctx, p, shown.URL); err != nil {
		return redirectBlocked(err)
	}
	if err := f.checkRobots(ctx, p, shown.URL); err != nil {
		return err
	}
	const contentType = "text/html; charset=utf-8"
	page.URL, page.Domain, page.StatusCode, page.ContentType = printable(shown.URL.String()), shown.URL.Hostname(), shown.StatusCode, contentType
	if shown.StatusCode >= 400 {
		return statusError(shown.URL, shown.StatusCode, 0)
	}
	page.ContentLength, page.Rendered, page.Truncated = int64(len(shown.HTML)), true, false
	if shown.Unfinished {
		page.Warnings = append(page.Warnings, WarnUnfinished)
	}
	return f.convert(ctx, p, body{url: shown.URL, data: []byte(shown.HTML), contentType: contentType}, page)
}

// fetchRemotely has the Markdown service read the page. The service fetches by itself, so it is never given a URL that the guard or the allowlist
// refuses, including in the form in which it decodes the URL.
func (f *Fetcher) fetchRemotely(ctx context.Context, p plan, u *url.URL, page *Page) error {
	if f.remote == nil {
		return failure(fault.FailedPrecondition, ReasonBackend, u, "there is no Markdown service configured")
	}
	if p.format != extract.Markdown || p.selector().Expression != "" || len(p.Headers) > 0 || p.Credential != "" || p.Session != "" {
		return fault.Invalid("engine", ReasonRequestInvalid, "the remote engine answers whole pages in Markdown, without headers, selectors and credentials")
	}
	if err := f.checkDecoded(ctx, p, u); err != nil {
		return err
	}
	markdown, err := f.remote.Markdown(ctx, u)
	if err != nil {
		if ctx.Err() != nil {
			return p.ended(ctx, u)
		}
		return withURL(u, err)
	}
	const contentType = "text/markdown"
	content, err := f.extract(ctx, extract.Source{Data: []byte(markdown), ContentType: contentType + "; charset=utf-8", URL: u}, extract.Options{Format: extract.Markdown})
	if err != nil {
		return withURL(u, err)
	}
	page.Content, page.Format, page.ContentType, page.ContentLength = content.Text, extract.Markdown, contentType, int64(len(markdown))
	page.warn(content.Warnings)
	return nil
}

// checkDecoded checks u after one more decoding, which some services do (crawl4ai), and the addresses of its host.
func (f *Fetcher) checkDecoded(ctx context.Context, p plan, u *url.URL) error {
	decoded, err := url.PathUnescape(u.String())
	if err == nil && decoded != u.String() {
		again, err := url.Parse(decoded)
		if err != nil || !sameOrigin(u, again) || again.User != nil {
			return failure(fault.InvalidArgument, ReasonURLInvalid, u, "decoded once more it is another URL")
		}
	}
	if _, err := f.policy.Resolve(ctx, "tcp", net.JoinHostPort(u.Hostname(), netguard.Port(u))); err != nil {
		return p.networkError(ctx, u, ReasonDNS, err)
	}
	return nil
}
