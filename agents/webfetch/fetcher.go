package webfetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/quorate/quorate/agents/webfetch/allowlist"
	"github.com/quorate/quorate/agents/webfetch/httpcache"
	"github.com/quorate/quorate/agents/webfetch/pace"
	"github.com/quorate/quorate/agents/webfetch/session"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
)

const (
	defaultUserAgent  = "Quorate-WebFetch/0.1 (+https://github.com/quorate/quorate)"
	defaultConcurrent = 16
)

// Options configure a Fetcher. The zero value allows no page at all.
type Options struct {
	Policy        *netguard.Policy      // which addresses may be called; nil means public ones only
	Open          bool                  // every public host may be read; else only those of AllowedHosts and Allowlist
	AllowedHosts  []string              // hosts that may be read whatever Allowlist says, as allowlist.Parse reads them
	Allowlist     *allowlist.List       // nil: one that is empty and ends with the process
	Profile       string                // for requests that name none; empty means the default one
	Format        Format                // instead of the profile's
	Limits        Limits                // instead of the profile's, field by field
	UserAgent     string                // instead of the profile's; empty means one that names Quorate
	Disabled      bool                  // every fetch is refused
	MaxConcurrent int                   // fetches at once, the others wait: 0 means 16
	MaxRetries    int                   // of a request that failed safely: 0 means 2, less than 0 none
	IgnoreRobots  bool                  // read what robots.txt disallows
	Pace          pace.Options          // how often one site is asked
	Cache         httpcache.Options     // how much is kept
	Credentials   map[string]Credential // that a request may name
	Proxy         *url.URL              // every connection goes through it: http://host:port, its password with it
	Remote        MarkdownService       // the engine "remote"; nil means there is none
	Browser       Browser               // shows pages that need scripts; nil means there is none
	Logger        *slog.Logger          // each fetch is one INFO record; nil means none
	Tracer        trace.TracerProvider  // nil means the process's
	Meter         metric.MeterProvider  // nil means the process's
}

// MarkdownService turns the page at a URL into Markdown somewhere else.
type MarkdownService interface {
	// Markdown returns the page. Its faults are FETCH_TIMEOUT and MARKDOWN_SERVICE_FAILED.
	Markdown(ctx context.Context, u *url.URL) (string, error)
}

// Rendered is a page as a browser shows it.
type Rendered struct {
	HTML       string
	URL        *url.URL // after redirects and scripts
	StatusCode int
}

// Browser shows pages. It must reach nothing but through the Gate.
type Browser interface {
	// Render returns the page at u after its scripts ran, as HTML of at most maxSize bytes. Its fault is RENDER_FAILED.
	Render(ctx context.Context, u *url.URL, gate Gate, maxSize int64) (Rendered, error)
}

// Fetcher fetches pages. It is safe for concurrent use.
type Fetcher struct {
	policy    *netguard.Policy
	open      bool
	allowlist *allowlist.List
	profile   Profile
	userAgent string
	disabled  bool
	slots     chan struct{}

	web         *web
	robots      *robotsCache // nil ignores robots.txt
	jars        session.Jars
	credentials map[string]*credential
	remote      MarkdownService
	browser     Browser
	observer    *observer
}

// New returns a Fetcher, or an error when an option is out of bounds.
func New(o Options) (*Fetcher, error) {
	profile, err := o.profile()
	if err != nil {
		return nil, err
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
		slots:     make(chan struct{}, cmp.Or(max(o.MaxConcurrent, 0), defaultConcurrent)),
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
		f.robots = &robotsCache{}
	}
	if f.credentials, err = newCredentials(o.Credentials, f.policy); err != nil {
		return nil, err
	}
	f.observer, err = newObserver(o)
	return f, err
}

// profile returns the profile of the options with what they replace in it.
func (o Options) profile() (Profile, error) {
	p, ok := ProfileNamed(o.Profile)
	if !ok {
		return p, fault.Invalid("profile", ReasonRequestInvalid, "there is no profile %q", o.Profile)
	}
	if o.Format != "" {
		if !o.Format.Known() {
			return p, fault.Invalid("format", ReasonRequestInvalid, "there is no format %q", o.Format)
		}
		p.Format = o.Format
	}
	if err := o.Limits.check(ours); err != nil {
		return p, err
	}
	p.Limits = o.Limits.or(p.Limits)
	p.most = Limits{max(p.most.Timeout, p.Limits.Timeout), max(p.most.MaxSize, p.Limits.MaxSize), max(p.most.MaxCharacters, p.Limits.MaxCharacters)}
	return p, nil
}

// Close closes the connections that wait for a next fetch.
func (f *Fetcher) Close() { f.web.close() }

// Allowlist returns the list of hosts that may be read.
func (f *Fetcher) Allowlist() *allowlist.List { return f.allowlist }

// Profile returns the profile of requests that name none.
func (f *Fetcher) Profile() Profile { return f.profile }

// Disabled tells whether every fetch is refused.
func (f *Fetcher) Disabled() bool {
	return f.disabled || f.profile.Engine == EngineRemote && f.remote == nil
}

// Fetch reads the page that req names. A failure is a fault with a reason of this package, its message in the caller's language;
// only the end of ctx by cancellation is reported as ctx's own error. The page then holds what is known of it, with Success
// false, and the same message and its code.
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
	page.Content, page.Trust = "", ""
	page.Error, page.ErrorCode, err = explain(err, p.profile, p.language)
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
	select {
	case f.slots <- struct{}{}:
		defer func() { <-f.slots }()
	case <-ctx.Done():
		return f.ended(ctx, u, p.limits)
	}
	if p.engine == EngineRemote {
		err = f.fetchRemotely(ctx, p, u, page)
	} else {
		err = f.fetchHere(ctx, p, u, page)
	}
	if err != nil && ctx.Err() != nil {
		if _, isFault := errors.AsType[*fault.Error](err); !isFault {
			return f.ended(ctx, u, p.limits)
		}
	}
	if err != nil {
		return err
	}
	return f.present(p, u, page)
}

// present makes the page's content the part of it that was asked for.
func (f *Fetcher) present(p plan, u *url.URL, page *Page) error {
	page.Content = printable(page.Content)
	cut := page.Truncated // the body was
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

// Gate makes the connections of a browser for one fetch, and no others than the fetch itself could make.
type Gate struct {
	fetcher *Fetcher
	plan    plan
}

// Dial connects to host and port, a web page's or what it asks for, when the allowlist and the guard admit it.
func (g Gate) Dial(ctx context.Context, host, port string) (net.Conn, error) {
	u := &url.URL{Scheme: "https", Host: net.JoinHostPort(host, port)}
	if err := g.fetcher.policy.CheckURL(u); err != nil {
		return nil, refusal(u, fault.From(err))
	}
	if err := g.fetcher.admitHost(ctx, g.plan, u, host, port); err != nil {
		return nil, err
	}
	return g.fetcher.web.network.DialContext(ctx, "tcp", u.Host)
}

// admit returns a fault unless the guard and the allowlist admit u. It resolves nothing.
func (f *Fetcher) admit(ctx context.Context, p plan, u *url.URL) error {
	if err := f.policy.CheckURL(u); err != nil {
		return refusal(u, fault.From(err))
	}
	return f.admitHost(ctx, p, u, u.Hostname(), portOf(u))
}

// webPorts are what web servers listen on; any other has to be listed with its host.
var webPorts = []string{"80", "443", "8080", "8443"}

// admitHost returns a fault unless the allowlist admits the host, and the port is the web's or listed.
func (f *Fetcher) admitHost(ctx context.Context, p plan, u *url.URL, host, port string) error {
	entry, listed, err := f.allowlist.AllowsHost(ctx, p.Tenant, host, port)
	if err != nil {
		return fmt.Errorf("fetch %s: %w", Redact(u), err)
	}
	if !listed && (!f.open || p.profile.Allowlist) {
		return failure(fault.PermissionDenied, ReasonDomain, u, "%s is not on the list of allowed hosts; ask an operator to allow it", u.Host).With("domain", host)
	}
	number, _ := strconv.Atoi(port)
	switch {
	case slices.Contains(webPorts, port), slices.Contains(f.policy.AllowPorts, number), listed && strings.HasSuffix(string(entry.Domain), ":"+port):
		return nil
	case slices.ContainsFunc(f.policy.AllowOrigins, func(o string) bool { return strings.EqualFold(o, net.JoinHostPort(host, port)) }):
		return nil
	}
	return failure(fault.PermissionDenied, ReasonPort, u, "port %s is not one of web servers; an operator can list %s with it", port, host)
}

// ended says why ctx is over: cancelled by the caller, or out of time.
func (f *Fetcher) ended(ctx context.Context, u *url.URL, limits Limits) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return fmt.Errorf("fetch %s: %w", Redact(u), ctx.Err())
	}
	return failure(fault.DeadlineExceeded, ReasonTimeout, u, "it took longer than %s; allow more time (at most %s) or try later", limits.Timeout, MaxTimeout).
		With("timeout", limits.Timeout.String())
}

// commonHeaders are those of an answer that are of use to a reader.
var commonHeaders = []string{"Cache-Control", "Content-Language", "Content-Length", "Content-Type", "Date", "Etag", "Expires", "Last-Modified", "Link", "Location", "Retry-After", "Server", "X-Robots-Tag"}

func headersOf(h http.Header) map[string]string {
	const longest = 1024
	headers := map[string]string{}
	for _, name := range commonHeaders {
		if value := h.Get(name); value != "" {
			headers[name] = prefix(printable(value), longest)
		}
	}
	return headers
}

// Refusal is why a URL may not be asked for; the zero value is none.
type Refusal struct {
	Message string
	Code    Code
}

// Test says by which entry of the allowlist req's URL may be asked for; the empty one when every public host may be. It opens no
// connection and resolves nothing.
func (f *Fetcher) Test(ctx context.Context, req Request) (entry string, refused Refusal) {
	p, err := f.plan(req)
	var u *url.URL
	if err == nil {
		u, err = parseURL(req.URL)
	}
	if err == nil {
		err = f.admit(ctx, p, u)
	}
	if err != nil {
		text, code, _ := explain(err, p.profile, p.language)
		return "", Refusal{text, code}
	}
	if e, ok, err := f.allowlist.Allows(ctx, p.Tenant, u); ok && err == nil {
		entry = string(e.Domain)
	}
	return entry, Refusal{}
}
