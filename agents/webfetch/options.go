package webfetch

import (
	"context"
	"log/slog"
	"net/url"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/quorate/quorate/agents/webfetch/allowlist"
	"github.com/quorate/quorate/agents/webfetch/httpcache"
	"github.com/quorate/quorate/agents/webfetch/pace"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
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
	MaxConcurrent int                   // fetches at once, shared out among sites as by pace.Slots, the others wait: 0 means 16
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
