package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/spf13/pflag"

	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/platform/terminal"
)

// fetching is one fetch from the command line.
type fetching struct {
	settings

	output          string
	headers         []string
	followRedirects bool
	request         webfetch.Request // the rest of what the flags say
}

func (f *fetching) pageFlags(flags *pflag.FlagSet) {
	r := &f.request
	flags.StringVarP(&f.output, "output", "o", "text", "with a URL: text prints the content, json every field")
	flags.StringArrayVarP(&f.headers, "header", "H", nil, `with a URL: header to send, such as "Accept: text/plain"; repeat it for more`)
	flags.BoolVar(&f.followRedirects, "follow-redirects", true, "with a URL: follow redirects")
	flags.BoolVar(&r.NoCache, "no-cache", false, "with a URL: ask the server for a fresh answer")
	flags.IntVar(&r.StartIndex, "start-index", 0, "with a URL: first character to print, to read on where a page was cut")
	flags.StringVar(&r.Selector, "selector", "", "with a URL: print only what this CSS selector matches")
	flags.StringVar(&r.XPath, "xpath", "", "with a URL: print only what this XPath matches")
	flags.StringVar(&r.JSONPath, "json-path", "", "with a URL: print only what this JSONPath matches")
	flags.StringVar((*string)(&r.Render), "render", "", "with a URL: whether a browser shows the page first: never, auto or always")
	flags.StringVar((*string)(&r.Engine), "engine", "", "with a URL: http or remote")
	flags.StringVar(&r.Credential, "credential", "", "with a URL: name of a credential of the configuration")
	flags.StringVar(&r.Language, "locale", "", "with a URL: language of messages, en or ja; default: the profile's")
}

// fetch prints one page. The host of a URL on the command line is allowed.
func (f *fetching) fetch(ctx context.Context, raw string, headers map[string]string, out, notes io.Writer) (err error) {
	var hosts []string
	if u, err := url.Parse(raw); err == nil && u.Hostname() != "" && u.User == nil {
		hosts = []string{strings.TrimSuffix(u.Host, ":")} // a URL may have a colon and no port
	}
	fetcher, err := f.fetcher(ctx, nil, hosts...)
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := fetcher.close(); err == nil {
			err = closeErr
		}
	}()
	request := f.request
	request.URL, request.Headers, request.NoRedirects = raw, headers, !f.followRedirects
	page, fetchErr := fetcher.Fetch(ctx, request)
	if f.output == "json" {
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(page); err != nil {
			return fmt.Errorf("print the page: %w", err)
		}
		return fetchErr
	}
	if fetchErr != nil {
		return fetchErr
	}
	text := page.Opening + page.Content + page.Closing
	if terminal.Is(out) { // a page could command it
		text = terminal.Escape(text, true)
	}
	if _, err := fmt.Fprintln(out, text); err != nil {
		return fmt.Errorf("print the page: %w", err)
	}
	note(notes, page)
	return nil
}

// note tells what is missing from a page that was printed, and what else a reader should know of it.
func note(notes io.Writer, page webfetch.Page) {
	switch missing := page.Missing(); {
	case missing != "":
		_, _ = fmt.Fprintf(notes, "the page %s\n", missing)
	case page.NextIndex > 0:
		_, _ = fmt.Fprintf(notes, "cut at %d characters of %d; raise --max-characters for more, or read on with --start-index %d\n", page.NextIndex, page.TotalCharacters, page.NextIndex)
	case page.Truncated:
		_, _ = fmt.Fprintf(notes, "cut at %d bytes of the page's body; raise --max-size for more\n", page.ContentLength)
	}
	if len(page.Warnings) > 0 {
		_, _ = fmt.Fprintf(notes, "warning: %s\n", strings.Join(page.Warnings, ", "))
	}
}

func parseHeaders(lines []string) (map[string]string, error) {
	headers := make(map[string]string, len(lines))
	for _, line := range lines {
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return nil, fmt.Errorf("--header %q: write it as \"Name: value\"", line)
		}
		headers[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	return headers, nil
}
