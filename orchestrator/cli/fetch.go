package cli

import (
	"cmp"
	"context"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/fault/rpcfault"
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
	reason := cmp.Or(page.GetErrorReason(), strings.ToUpper(page.GetErrorCode()))
	return fault.New(rpcfault.KindOfCode(page.GetErrorStatus()), reason, "%s", page.GetError()).With("url", page.GetUrl())
}

func (a *app) pageContent(page *webfetchv1.FetchPageResponse) {
	if !page.GetSuccess() {
		return
	}
	text := page.GetOpening() + page.GetContent() + page.GetClosing()
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
