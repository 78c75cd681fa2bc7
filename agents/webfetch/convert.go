package webfetch

import (
	"context"

	"github.com/quorate/quorate/agents/webfetch/extract"
	"github.com/quorate/quorate/platform/fault"
)

// Warnings in addition to those of package extract.
const (
	WarnCut        = "body_cut"          // the body was longer than what was read
	WarnRender     = "render_failed"     // a browser should have rendered the page but could not
	WarnUnfinished = "render_unfinished" // what the page waits for in a browser, such as a script, did not come in time; it was read without it
)

const (
	largeBody = 4 << 20 // bytes
	maxLarge  = 2       // large bodies at a time
)

// extract is extract.Extract, for few large bodies at a time: it takes up to 15 times the size of a body in memory.
func (f *Fetcher) extract(ctx context.Context, source extract.Source, o extract.Options) (extract.Content, error) {
	if len(source.Data) > largeBody {
		select {
		case f.large <- struct{}{}:
			defer func() { <-f.large }()
		case <-ctx.Done():
			return extract.Content{}, ctx.Err()
		}
	}
	return extract.Extract(ctx, source, o)
}

// convert fills page with what the plan asks for.
func (f *Fetcher) convert(ctx context.Context, p plan, b body, page *Page) error {
	source := extract.Source{Data: b.data, ContentType: b.contentType, URL: b.url}
	o := extract.Options{Format: p.format, Selector: p.selector(), Verbatim: p.profile.verbatim}
	unchanged := p.profile.bodyHTML && o.Format == extract.HTML && o.Selector.Expression == ""
	if unchanged {
		o.Format = extract.Raw
	}
	content, err := f.extract(ctx, source, o)
	if p.profile.anyType && fault.ReasonOf(err) == extract.ReasonContentType {
		content, err = f.extract(ctx, source, extract.Options{Format: extract.Raw})
	}
	if err != nil {
		return withURL(b.url, err)
	}
	page.Content, page.Format = content.Text, content.Format
	if p.profile.Name == ProfileADK || unchanged && source.IsHTML() {
		page.Format = p.format // the requested format, even if the content has another form
	}
	page.Title, page.Language, page.Charset, page.Metadata = content.Title, content.Language, content.Charset, &content.Metadata
	page.Extractor = string(content.Extractor)
	page.warn(content.Warnings)
	if b.cut {
		page.Warnings = append(page.Warnings, WarnCut)
	}
	return nil
}

// warn adds warnings about the content.
func (p *Page) warn(list []extract.Warning) {
	for _, warning := range list {
		p.Warnings = append(p.Warnings, string(warning))
	}
}

func (p *plan) selector() extract.Selector {
	switch {
	case p.XPath != "":
		return extract.Selector{Kind: extract.XPath, Expression: p.XPath}
	case p.JSONPath != "":
		return extract.Selector{Kind: extract.JSONPath, Expression: p.JSONPath}
	}
	return extract.Selector{Kind: extract.CSS, Expression: p.Selector}
}
