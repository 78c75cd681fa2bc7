package webfetch

import (
	"cmp"
	"context"
	"log/slog"
	"net/url"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/quorate/quorate/agents/webfetch/allowlist"
	"github.com/quorate/quorate/agents/webfetch/pace"
	"github.com/quorate/quorate/platform/netguard"
)

// Options configure a Fetcher. The zero value allows no page at all.
type Options struct {
	Policy        *netguard.Policy      // which addresses may be connected to; nil means public ones only
	Open          bool                  // every public host may be read; otherwise only those of AllowedHosts and Allowlist
	AllowedHosts  []string              // hosts that may always be read, in the form of allowlist.Parse
	Allowlist     *allowlist.List       // nil: an empty one in memory
	Profile       string                // for requests that name none; empty means the default one
	Format        Format                // overrides the profile's
	Limits        Limits                // override the profile's, field by field
	UserAgent     string                // overrides the profile's; empty means one that names Quorate
	Disabled      bool                  // refuse every fetch
	MaxConcurrent int                   // fetches at a time, shared among sites as by pace.Slots; others wait: 0 means 16
	IgnoreRobots  bool                  // read what robots.txt disallows
	Pace          pace.Options          // how often a site may be read
	Credentials   map[string]Credential // by name, for requests to refer to
	Proxy         *url.URL              // for all connections: http://user:password@host:port
	Remote        MarkdownService       // the engine "remote"; nil means there is none
	Browser       Browser               // renders pages that need scripts; nil means there is none
	Logger        *slog.Logger          // each fetch is one INFO record; nil means none
	Tracer        trace.TracerProvider  // nil means the global one
	Meter         metric.MeterProvider  // nil means the global one
}

// MarkdownService is an external service that turns the page at a URL into Markdown.
type MarkdownService interface {
	// Markdown returns the page as Markdown. Its faults are FETCH_TIMEOUT and MARKDOWN_SERVICE_FAILED.
	Markdown(ctx context.Context, u *url.URL) (string, error)
}

// Rendered is a page as rendered by a browser.
type Rendered struct {
	HTML       string   // empty with a status of 400 or above
	URL        *url.URL // after redirects and scripts
	StatusCode int      // 0 when there was no answer
	Unfinished bool     // parts that the document waits for did not come in time
}

// Browser renders pages. It must make all connections through the Gate.
type Browser interface {
	// Render returns the page at u after its scripts have run, as HTML of at most maxSize bytes. Its faults are RENDER_FAILED, BODY_TOO_LARGE and those
	// of the Gate. With an error, URL is where the page led when the Gate refused it; nil when that is not known.
	Render(ctx context.Context, u *url.URL, gate Gate, maxSize int64) (Rendered, error)
}

// profile returns the profile of the options, with the fields that they override.
func (o Options) profile() (Profile, error) {
	p, err := ProfileNamed(o.Profile)
	if err != nil {
		return p, err
	}
	p.Format = cmp.Or(o.Format, p.Format)
	if err := p.Format.Check(); err != nil {
		return p, err
	}
	if err := o.Limits.check(ours); err != nil {
		return p, err
	}
	p.Limits = o.Limits.or(p.Limits)
	p.most = Limits{max(p.most.Timeout, p.Limits.Timeout), max(p.most.MaxSize, p.Limits.MaxSize), max(p.most.MaxCharacters, p.Limits.MaxCharacters)}
	return p, nil
}
