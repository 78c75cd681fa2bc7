package extract

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"github.com/quorate/quorate/agents/webfetch/extract/pdftext"
	"github.com/quorate/quorate/platform/fault"
)

// renderPDF fills content with the text of a PDF.
func renderPDF(ctx context.Context, content *Content, source Source, o Options) error {
	if o.Selector.Expression != "" {
		return fault.Invalid("selector", ReasonSelector, "the document is a PDF, and selectors read HTML and JSON only; leave the selector out")
	}
	found, err := pdftext.Read(ctx, source.Data)
	text := strings.TrimSpace(clean(strings.ToValidUTF8(found.Text, "\ufffd")))
	if strings.Trim(text, "\ufffd \n") == "" {
		text = "" // of letters that nobody knows
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, pdftext.ErrNumbers):
		return fault.New(fault.FailedPrecondition, ReasonTooComplex, "it is a PDF whose tables are too large to read; look for another form of the document")
	case errors.Is(err, pdftext.ErrWork) && text == "":
		return fault.New(fault.FailedPrecondition, ReasonTooComplex, "it is a PDF that takes too long to read before any text comes; look for another form of the document")
	case errors.Is(err, pdftext.ErrWork):
		content.warn(WarnComplex)
		content.warn(WarnIncomplete)
	case err != nil && text != "":
		content.warn(WarnIncomplete)
	case err != nil:
		failed := fault.New(fault.FailedPrecondition, ReasonInvalid, "it is a PDF that cannot be read: broken, encrypted or of an unknown kind; look for another form of the document")
		failed.Cause = err
		return failed
	}
	if text == "" {
		return fault.New(fault.FailedPrecondition, ReasonInvalid, "it is a PDF without text, probably scanned; look for another form of the document")
	}
	content.Text, content.Format, content.Title = text, Text, line(found.Title, maxTitle)
	switch o.Format {
	case Links:
		return writeLinks(content, pdfLinks(text, found.Links, source.URL))
	case JSON:
		return describe(content, nil)
	default:
	}
	return nil
}

// pdfLinks returns the URLs in the text of a PDF and those of its links.
func pdfLinks(text string, links []string, base *url.URL) *linkList {
	list := plainLinks(text)
	for _, to := range links {
		if href, ok := list.resolve(base, to); ok {
			list.add("", href)
		}
	}
	return list
}
