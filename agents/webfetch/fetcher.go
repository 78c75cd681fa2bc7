package webfetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
)

const (
	defaultUserAgent  = "Quorate-WebFetch/0.1 (+https://github.com/quorate/quorate)"
	defaultConcurrent = 16
)

// Options configure a Fetcher. The zero value allows no page at all.
type Options struct {
	Policy        *netguard.Policy // which addresses may be called; nil means public ones only
	AllowedHosts  []string         // origins that may be fetched, exactly: "host" for the default ports, or "host:port"
	UserAgent     string           // sent with every request; empty means one that names Quorate
	Limits        Limits           // for requests that name none
	MaxConcurrent int              // fetches at once, the others wait: 0 means 16
	Logger        *slog.Logger     // each fetch is one INFO record; nil means none
}

// Fetcher fetches pages. It is safe for concurrent use.
type Fetcher struct {
	policy    *netguard.Policy
	allowed   origins
	userAgent string
	limits    Limits
	client    *http.Client
	slots     chan struct{}
	logger    *slog.Logger
}

// New returns a Fetcher, or an error when an allowed host is not a host or host:port, or a limit is out of bounds.
func New(o Options) (*Fetcher, error) {
	allowed, err := parseOrigins(o.AllowedHosts)
	if err != nil {
		return nil, err
	}
	limits, err := o.Limits.or(Limits{Timeout: DefaultTimeout, MaxSize: DefaultMaxSize, MaxCharacters: DefaultMaxCharacters})
	if err != nil {
		return nil, err
	}
	policy := o.Policy
	if policy == nil {
		policy = &netguard.Policy{}
	}
	return &Fetcher{
		policy:    policy,
		allowed:   allowed,
		userAgent: cmp.Or(o.UserAgent, defaultUserAgent),
		limits:    limits,
		// The context of each fetch bounds its time; redirects are followed here, so that each hop meets the list of origins.
		client: policy.Client(netguard.ClientOptions{}),
		slots:  make(chan struct{}, cmp.Or(max(o.MaxConcurrent, 0), defaultConcurrent)),
		logger: cmp.Or(o.Logger, slog.New(slog.DiscardHandler)),
	}, nil
}

// Close closes the connections that wait for a next fetch.
func (f *Fetcher) Close() { f.client.CloseIdleConnections() }

// Fetch reads the page that req names. A failure is a fault with a reason of this package; only the end of ctx by cancellation
// is reported as ctx's own error.
func (f *Fetcher) Fetch(ctx context.Context, req Request) (Page, error) {
	start := time.Now()
	page, err := f.fetch(ctx, req)
	page.Duration = time.Since(start)

	outcome := "fetched"
	if err != nil {
		outcome = fault.ReasonOf(err)
	}
	f.logger.InfoContext(ctx, "page fetch",
		slog.String("url", redactText(req.URL)), slog.String("outcome", outcome), slog.Int("status_code", page.StatusCode),
		slog.Int64("content_length", page.ContentLength), slog.Duration("duration", page.Duration))
	if err != nil {
		return Page{}, err
	}
	return page, nil
}

func (f *Fetcher) fetch(ctx context.Context, req Request) (Page, error) {
	limits, err := req.limits(f.limits)
	if err != nil {
		return Page{}, err
	}
	u, err := parseURL(req.URL)
	if err != nil {
		return Page{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, limits.Timeout)
	defer cancel()
	select {
	case f.slots <- struct{}{}:
		defer func() { <-f.slots }()
	case <-ctx.Done():
		return Page{}, f.ended(ctx, u, limits)
	}

	body, page, err := f.get(ctx, u, limits)
	if err != nil {
		return page, err
	}
	page.ContentLength = int64(len(body.data))
	if err := render(ctx, &page, body, req.format()); err != nil {
		if ctx.Err() != nil {
			return page, f.ended(ctx, body.url, limits)
		}
		return page, err
	}
	page.truncate(limits.MaxCharacters)
	return page, nil
}

// ended says why ctx is over: cancelled by the caller, or out of time.
func (f *Fetcher) ended(ctx context.Context, u *url.URL, limits Limits) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return fmt.Errorf("fetch %s: %w", Redact(u), ctx.Err())
	}
	return failure(fault.DeadlineExceeded, ReasonTimeout, u, "it took longer than %s; allow more time (at most %s) or try later", limits.Timeout, MaxTimeout)
}

func redactText(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return "[not a URL]"
	}
	return Redact(u)
}
