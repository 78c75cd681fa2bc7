package webfetch

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"

	"github.com/quorate/quorate/platform/fault"
)

// renderHTML fills page with the main content and the title of an HTML document.
func renderHTML(ctx context.Context, page *Page, u *url.URL, text []byte, format Format) error {
	root, err := parse(ctx, text)
	if err != nil {
		return tooComplex(u, err)
	}
	doc := goquery.NewDocumentFromNode(root)
	page.Title = title(doc)
	base := baseURL(doc, u)
	content := mainContent(doc)
	absolute(content, base)
	page.Format = format
	switch format {
	case Text:
		page.Content = plainText(content.Get(0))
	case HTML:
		page.Content, err = goquery.OuterHtml(content)
	default:
		page.Content, err = markdown(ctx, content.Get(0))
	}
	if errors.Is(err, errTooComplex) {
		return tooComplex(u, err)
	}
	if err != nil {
		return fmt.Errorf("convert %s to %s: %w", Redact(u), format, err)
	}
	page.Content = strings.TrimSpace(clean(page.Content))
	return nil
}

func tooComplex(u *url.URL, err error) error {
	failed := failure(fault.FailedPrecondition, ReasonTooComplex, u, "its HTML is too large or too deeply nested to convert; choose a smaller page")
	failed.Cause = err
	return failed
}

// title returns what the document calls itself: its title, the one it gives for sharing, or its first heading.
func title(doc *goquery.Document) string {
	shared, _ := doc.Find(`meta[property="og:title"]`).First().Attr("content")
	for _, text := range []string{doc.Find("head > title").First().Text(), shared, doc.Find("h1").First().Text()} {
		if text = strings.Join(strings.Fields(clean(text)), " "); text != "" {
			return prefix(text, maxTitle)
		}
	}
	return ""
}

const (
	// invisible is what a reader of the page never sees: it must not reach a prompt either.
	invisible = `head, script, style, noscript, template, [hidden], [aria-hidden="true"]`
	// machinery is what a reader operates instead of reading.
	machinery = `iframe, frame, object, embed, canvas, svg, audio, video, button, input, select, textarea, dialog, map`
	// boilerplate stands around the content on every page of a site.
	boilerplate = `nav, aside, footer, [role="navigation"], [role="banner"], [role="contentinfo"], [role="complementary"], [role="search"], body > header:not(:has(h1))`
)

// mainContent strips doc and returns the element that holds its content: main, else an article that is most of the page, else
// the body.
func mainContent(doc *goquery.Document) *goquery.Selection {
	doc.Find(invisible).Remove()
	doc.Find("[style]").FilterFunction(func(_ int, s *goquery.Selection) bool { return hiddenByStyle(s.AttrOr("style", "")) }).Remove()
	doc.Find(machinery).Remove()
	removeComments(doc.Get(0))
	doc.Find(boilerplate).Remove()

	body := doc.Find("body").First()
	if body.Length() == 0 {
		body = doc.Selection // a frameset
	}
	whole := textLength(body)
	for _, candidate := range []struct {
		selector string
		share    int // of the text in percent that it must hold
	}{{`main, [role="main"]`, 1}, {"article", 50}} {
		best, size := longest(doc.Find(candidate.selector))
		if size > 0 && size*100 >= whole*candidate.share {
			return best
		}
	}
	return body
}

func longest(s *goquery.Selection) (best *goquery.Selection, size int) {
	s.Each(func(_ int, each *goquery.Selection) {
		if n := textLength(each); n > size {
			best, size = each, n
		}
	})
	return best, size
}

func textLength(s *goquery.Selection) int { return len(strings.TrimSpace(s.Text())) }

// hiddenByStyle tells whether an inline style takes the element off the screen.
func hiddenByStyle(style string) bool {
	squeezed := strings.ToLower(strings.Join(strings.Fields(style), ""))
	for declaration := range strings.SplitSeq(squeezed, ";") {
		switch strings.TrimSuffix(declaration, "!important") {
		case "display:none", "visibility:hidden", "opacity:0", "font-size:0", "font-size:0px":
			return true
		}
	}
	return false
}

func removeComments(n *html.Node) {
	for child := n.FirstChild; child != nil; {
		next := child.NextSibling
		if child.Type == html.CommentNode {
			n.RemoveChild(child)
		} else {
			removeComments(child)
		}
		child = next
	}
}
