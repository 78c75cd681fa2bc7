package webfetch

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"time"

	"go.opentelemetry.io/otel/trace"
	"golang.org/x/net/http/httpguts"

	"github.com/quorate/quorate/agents/webfetch/allowlist"
	"github.com/quorate/quorate/agents/webfetch/pace"
	"github.com/quorate/quorate/agents/webfetch/session"
	"github.com/quorate/quorate/platform/bounded"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
)

const (
	defaultUserAgent  = "Quorate-WebFetch/0.1 (+https://github.com/quorate/quorate)"
	defaultConcurrent = 16
)

// Fetcher fetches pages. It is safe for concurrent use.
type Fetcher struct {
	policy    *netguard.Policy
	open      bool
	allowlist *allowlist.List
	profile   Profile
	userAgent string
	disabled  bool
	slots     *pace.Slots
	large     chan struct{} // has a token for each large body that is converted

	web         *web
	robots      *robotsCache // nil: robots.txt is ignored
	jars        session.Jars
	credentials map[string]*credential
	remote      MarkdownService
	browser     Browser
	observer    *observer
}

// New returns a Fetcher. It returns an error if an option is out of bounds.
func New(o Options) (*Fetcher, error) {
	profile, err := o.profile()
	if err != nil {
		return nil, err
	}
	if !httpguts.ValidHeaderFieldValue(o.UserAgent) {
		return nil, fault.Invalid("user_agent", ReasonRequestInvalid, "the user agent %q cannot be sent; it is one line without control characters", bounded.Characters(o.UserAgent, 100))
	}
	list := o.Allowlist
	if list == nil {
		list, err = allowlist.New(&allowlist.Memory{}, o.AllowedHosts...)
	} else {
		list, err = list.With(o.AllowedHosts...)
	}
	if err != nil {
		return nil, err
	}
	f := &Fetcher{
		policy:    o.Policy,
		open:      o.Open,
		allowlist: list,
		profile:   profile,
		userAgent: cmp.Or(o.UserAgent, profile.UserAgent, defaultUserAgent),
		disabled:  o.Disabled,
		slots:     pace.NewSlots(cmp.Or(max(o.MaxConcurrent, 0), defaultConcurrent)),
		large:     make(chan struct{}, maxLarge),
		remote:    o.Remote,
		browser:   o.Browser,
	}
	if f.policy == nil {
		f.policy = &netguard.Policy{}
	}
	if f.web, err = newWeb(f.policy, o); err != nil {
		return nil, err
	}
	if !o.IgnoreRobots {
		f.robots = &robotsCache{patience: robotsTimeout}
	}
	if f.credentials, err = newCredentials(o.Credentials, f.policy); err != nil {
		return nil, err
	}
	f.observer, err = newObserver(o)
	return f, err
}

// Close closes idle connections.
func (f *Fetcher) Close() { f.web.close() }

// Allowlist returns the list of hosts that may be read.
func (f *Fetcher) Allowlist() *allowlist.List { return f.allowlist }

// Profile returns the profile for requests that name none.
func (f *Fetcher) Profile() Profile { return f.profile }

// Disabled reports whether all fetches are refused.
func (f *Fetcher) Disabled() bool {
	return f.disabled || f.profile.Engine == EngineRemote && f.remote == nil
}

// Fetch reads the page that req names. A failure is a fault with a reason of this package and a message in the caller's language; only cancellation
// of ctx is returned as ctx's own error. After a failure the page has Success false, the same message, its code, and whatever else is known.
func (f *Fetcher) Fetch(ctx context.Context, req Request) (Page, error) {
	start := time.Now()
	ctx, span := f.observer.tracer.Start(ctx, spanName, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(attrURL.String(redactText(req.URL))))
	defer span.End()
	p, err := f.plan(req)
	page := Page{RequestedURL: req.URL, URL: req.URL, Format: p.format, Engine: p.engine}
	if err == nil {
		err = f.fetch(ctx, p, &page)
	}
	page.Duration = time.Since(start)
	page.DurationMS = page.Duration.Milliseconds()
	f.observer.end(ctx, span, p, &page, err)
	if err == nil {
		page.Success = true
		return page, nil
	}
	page.Content, page.Opening, page.Closing, page.Trust = "", "", "", ""
	page.Failure, err = explain(err, p.profile, p.language)
	return page, err
}

func (f *Fetcher) fetch(ctx context.Context, p plan, page *Page) error {
	if f.Disabled() {
		return fault.New(fault.FailedPrecondition, ReasonDisabled, "fetching is switched off; ask an operator")
	}
	u, err := parseURL(p.URL)
	if err != nil {
		return err
	}
	page.URL, page.Domain = printable(u.String()), u.Hostname()
	if err := f.admit(ctx, p, u); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, p.limits.Timeout)
	defer cancel()
	done, err := f.slots.Take(ctx, u.Hostname())
	if err != nil {
		return p.ended(ctx, u)
	}
	defer done()
	if p.engine == EngineRemote {
		err = f.fetchRemotely(ctx, p, u, page)
	} else {
		err = f.fetchHere(ctx, p, u, page)
	}
	if err != nil && ctx.Err() != nil {
		if _, isFault := errors.AsType[*fault.Error](err); !isFault {
			return p.ended(ctx, u)
		}
	}
	if err != nil {
		return err
	}
	return f.present(p, u, page)
}

// present reduces the page's content to the part that was asked for.
func (f *Fetcher) present(p plan, u *url.URL, page *Page) error {
	page.Content = printable(page.Content)
	cut := page.Truncated // the body was cut
	page.Truncated = false
	page.window(p.StartIndex, p.limits.MaxCharacters)
	if p.ContentSHA256 != "" && p.ContentSHA256 != page.ContentSHA256 {
		return failure(fault.Conflict, ReasonContentChanged, u, "its content is no longer the one that start_index counts in; read it from the start")
	}
	if cut && !page.Truncated {
		page.Truncated, page.TruncatedAt = true, int64(len(page.Content))
	}
	page.Trust = Untrusted
	page.mark = truncationMarks[p.language]
	switch {
	case p.profile.mark == noMark:
		page.mark = ""
	case p.profile.mark == markInAll && page.Truncated:
		page.Content, page.mark = page.Content+page.mark, ""
	}
	return nil
}
