package cli

import (
	"context"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
	"github.com/quorate/quorate/platform/terminal"
	webfetchv1 "github.com/quorate/quorate/proto/gen/quorate/webfetch/v1"
)

const (
	maxFetch    = 5 * time.Minute // longest time for the server to read a page; without --timeout the server's own limit applies
	fetchMargin = time.Minute     // added for everything else
)

// fetching holds the flags of fetch.
type fetching struct {
	request    webfetchv1.FetchPageRequest
	timeout    time.Duration
	headers    []string
	noRedirect bool
}

func (a *app) fetch() *cobra.Command {
	f := &fetching{}
	cmd := &cobra.Command{
		Use:   "fetch URL",
		Short: "Read a web page through the server and print its main content",
		Long: "Read the page at URL through the server and print its main content as Markdown, or as --format says.\n" +
			"The host has to be on the server's list: see quorate domains. What a page says is a stranger's word.",
		Example: "  quorate fetch https://example.com/article\n  quorate fetch --format links https://example.com/\n" +
			"  quorate fetch --selector 'h1, h2' -o json https://example.com/",
		Args: arguments("URL"),
		RunE: a.calls(func(ctx context.Context, s *session, args []string) error { return a.fetchPage(ctx, s, f, args[0]) }),
	}
	a.clientFlags(cmd.Flags())
	flags, r := cmd.Flags(), &f.request
	flags.StringVar(&r.Format, "format", "", "markdown, text, html, json, links or raw (default: the server's)")
	flags.DurationVar(&f.timeout, "timeout", 0, "how long it may take, at most 5m (default: the server's)")
	flags.Int64Var(&r.MaxSize, "max-size", 0, "bytes of the page that are read; a longer page is an error (default: the server's)")
	flags.Int32Var(&r.MaxCharacters, "max-characters", 0, "characters that are printed (default: the server's)")
	flags.Int32Var(&r.StartIndex, "start-index", 0, "first character to print, to continue where a page was cut")
	flags.StringArrayVarP(&f.headers, "header", "H", nil, `header to send, such as "Accept: text/plain"; repeated`)
	flags.BoolVar(&f.noRedirect, "no-redirects", false, "print the redirect instead of following it")
	flags.StringVar(&r.Selector, "selector", "", "print only what this CSS selector matches")
	flags.StringVar(&r.Xpath, "xpath", "", "print only what this XPath matches")
	flags.StringVar(&r.JsonPath, "json-path", "", "print only what this JSONPath matches")
	flags.StringVar(&r.Render, "render", "", "whether a browser renders the page first: never, auto or always")
	flags.StringVar(&r.Engine, "engine", "", "http, or remote for the server's Markdown service")
	flags.StringVar(&r.Credential, "credential", "", "name of a credential of the server's configuration")
	flags.StringVar(&r.Session, "session", "", "share cookies between fetches with this name")
	flags.StringVar(&r.Profile, "profile", "", "whose defaults and limits: default, slack, adk, glados or myao")
	flags.StringVar(&r.Locale, "locale", "", "language of messages: en or ja")
	flags.BoolVar(&r.NoCache, "no-cache", false, "fetch from the site even when the server has a fresh copy")
	cmd.MarkFlagsMutuallyExclusive("selector", "xpath", "json-path")
	return cmd
}

func (a *app) fetchPage(ctx context.Context, s *session, f *fetching, url string) error {
	f.request.Url = url
	if f.timeout != 0 {
		f.request.Timeout = durationpb.New(f.timeout)
	}
	if f.noRedirect {
		f.request.FollowRedirects = new(bool)
	}
	for _, line := range f.headers {
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return usage("--header %q: write it as \"Name: value\"", line)
		}
		if f.request.Headers == nil {
			f.request.Headers = map[string]string{}
		}
		f.request.Headers[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	page := &webfetchv1.FetchPageResponse{}
	limit := maxFetch
	if f.timeout > 0 {
		limit = min(f.timeout, maxFetch)
	}
	patient := &session{client: s.client.Within(limit + fetchMargin)}
	if err := patient.post(ctx, "/v1/pages:fetch", &f.request, page); err != nil {
		return err
	}
	if err := a.show(page, func() { a.pageContent(page) }); err != nil || page.GetSuccess() {
		return err
	}
	return fetchFault(page)
}

func (a *app) pageContent(page *webfetchv1.FetchPageResponse) {
	if !page.GetSuccess() {
		return
	}
	text := page.GetContent()
	if a.out.terminal() {
		text = terminal.Escape(text, true)
	}
	_, _ = io.WriteString(a.out, text+"\n") // Write keeps the error
	switch status, next := page.GetStatusCode(), page.GetNextIndex(); {
	case status >= 300 && status < 400:
		a.err.line("the page redirects to %q, which was not followed", page.GetHeaders()["Location"])
	case text == "" && page.GetTotalCharacters() == 0:
		a.err.line("the page has no text that can be read; if it needs scripts: --render always")
	case next > 0:
		a.err.line("cut at %d of %d characters; continue with --start-index %d", next, page.GetTotalCharacters(), next)
	}
	if len(page.GetWarnings()) > 0 {
		a.err.line("warning: %s", strings.Join(page.GetWarnings(), ", "))
	}
}

// fetchFaults are what docs/errors.md calls the failures of pages, whose codes in answers are those of earlier fetch tools.
var fetchFaults = map[string]struct {
	kind   fault.Kind
	reason string
}{
	"invalid_argument":         {fault.InvalidArgument, "REQUEST_INVALID"},
	"invalid_url":              {fault.InvalidArgument, "URL_INVALID"},
	"scheme_not_allowed":       {fault.InvalidArgument, "SCHEME_NOT_ALLOWED"},
	"request_error":            {fault.InvalidArgument, "HEADERS_INVALID"},
	"selector_error":           {fault.InvalidArgument, "SELECTOR_INVALID"},
	"domain_not_allowed":       {fault.PermissionDenied, "DOMAIN_NOT_ALLOWED"},
	"port_not_allowed":         {fault.PermissionDenied, "PORT_NOT_ALLOWED"},
	"ssrf_blocked":             {fault.PermissionDenied, netguard.ReasonAddressBlocked},
	"robots_disallowed":        {fault.PermissionDenied, "ROBOTS_DISALLOWED"},
	"auth_required":            {fault.PermissionDenied, "CREDENTIAL_REFUSED"},
	"timeout":                  {fault.DeadlineExceeded, "FETCH_TIMEOUT"},
	"dns_error":                {fault.Unavailable, "DNS_ERROR"},
	"tls_error":                {fault.Unavailable, "TLS_ERROR"},
	"network_error":            {fault.Unavailable, "NETWORK_ERROR"},
	"read_error":               {fault.Unavailable, "READ_ERROR"},
	"backend_error":            {fault.Unavailable, "MARKDOWN_SERVICE_FAILED"},
	"render_error":             {fault.Unavailable, "RENDER_FAILED"},
	"rate_limited":             {fault.ResourceExhausted, "RATE_LIMITED"},
	"status_error":             {fault.FailedPrecondition, "HTTP_STATUS"},
	"too_many_redirects":       {fault.FailedPrecondition, "TOO_MANY_REDIRECTS"},
	"too_large":                {fault.FailedPrecondition, "BODY_TOO_LARGE"},
	"decompression_error":      {fault.FailedPrecondition, "CONTENT_ENCODING_INVALID"},
	"unsupported_content_type": {fault.FailedPrecondition, "CONTENT_TYPE_NOT_SUPPORTED"},
	"parsing_error":            {fault.FailedPrecondition, "DOCUMENT_INVALID"},
	"disabled":                 {fault.FailedPrecondition, "FETCHING_DISABLED"},
	"no_match":                 {fault.NotFound, "NO_MATCH"},
	"content_changed":          {fault.Conflict, "CONTENT_CHANGED"},
	"internal_error":           {fault.Internal, "INTERNAL"},
}

// fetchFault returns the failure in a page's answer as a fault, so that reason and exit code are as for other failures.
func fetchFault(page *webfetchv1.FetchPageResponse) *fault.Error {
	why, ok := fetchFaults[page.GetErrorCode()]
	if !ok {
		why.kind, why.reason = fault.FailedPrecondition, strings.ToUpper(page.GetErrorCode())
	}
	status := int(page.GetStatusCode())
	switch {
	case why.reason != "HTTP_STATUS":
	case status == http.StatusNotFound || status == http.StatusGone:
		why.kind = fault.NotFound
	case status == http.StatusTooManyRequests || status >= http.StatusInternalServerError:
		why.kind = fault.Unavailable
	}
	return fault.New(why.kind, why.reason, "%s", page.GetError()).With("url", page.GetUrl())
}
