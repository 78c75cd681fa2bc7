package extract

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// renderHTML fills content from an HTML document.
func renderHTML(ctx context.Context, content *Content, d document, o Options) error {
	if content.MediaType == xhtmlType {
		d.text = withEndTags(d.text)
	}
	root, size, err := parse(ctx, d.text)
	if errors.Is(err, errTooComplex) {
		return renderTokens(content, d, o)
	}
	if err != nil {
		return err
	}
	base := baseURL(root, d.url)
	content.Metadata = metadataOf(root, base)
	content.Title, content.Language = content.Metadata.title, content.Metadata.language
	if size.forArticle() {
		if shown, shownSize, ok := withoutScripts(ctx, root, d.text); ok {
			root, size = shown, shownSize
			content.warn(WarnHidden)
		}
	}
	openWrappers(content, root)
	if o.Selector.Expression != "" {
		return renderSelected(ctx, content, root, size, base, o)
	}
	showFrames(root)
	hidden, placed := hiddenFrom(content, root)
	if o.Format == Links {
		return writeLinks(content, linksOf(root, base, either(hidden, placed)))
	}
	open(content, root, either(hidden, placed))
	removeWhere(root, hidden)
	plainDocumentation(root)
	plainLayout(root)
	keepApart(root)
	main := mainContent(content, root, base, size, placed)
	return write(ctx, content, main, base, o)
}

// minArticle is the amount of text of a page, in bytes without spaces, below which content cannot be told from the rest.
const minArticle = 400

// mainContent returns the element of root with the main content, and reduces root to it. It is without what is hidden.
func mainContent(content *Content, root *html.Node, base *url.URL, size cost, hidden func(*html.Node) bool) *html.Node {
	content.Extractor = ByPage
	visible := textSize(root, isAroundContent)
	if !size.forArticle() {
		content.warn(WarnComplex)
	}
	if !size.forArticle() || visible < minArticle && !content.Metadata.holdsArticle() {
		removeWhere(root, hidden)
		return pageContent(root)
	}
	dropSideContent(root, visible, !isArticlePage(root, content.Metadata) && !isDiscussion(root, content.Metadata))
	visible = textSize(root, isAroundContent)
	found, err := contentNode(root, base, visible, content.Metadata)
	whole := textSize(root, nil)
	removeWhere(root, hidden)
	clean := textSize(root, nil) == whole // nothing in found is hidden
	if stated := statedText(content.Metadata.body); textSize(stated, nil) > visible && (err != nil || textSize(stated, nil) > 2*textSize(found, nil)) {
		found, err, clean = stated, nil, true // a script would show it
	}
	if err != nil || tooLittle(found, visible, isArticlePage(root, content.Metadata)) {
		return pageContent(root)
	}
	if graft(root, found, base, content.Metadata, content.Format != Text) {
		content.Extractor = ByArticle
		if body := find(root, atom.Body); body != nil {
			return body
		}
		return root
	}
	if textSize(found, nil) <= visible || !clean {
		return pageContent(root) // it has the same words in a worse form, or what is hidden
	}
	content.Extractor = ByArticle
	return restored(found)
}

// write fills content with main, which it changes, in the requested format.
func write(ctx context.Context, content *Content, main *html.Node, base *url.URL, o Options) error {
	content.prepare(main, base)
	content.Format = o.Format
	if o.Format == JSON {
		content.Format = Markdown
	}
	if err := writeForm(ctx, content, main); err != nil {
		return err
	}
	if o.Format == JSON {
		return describe(content, nil)
	}
	return nil
}

// writeForm fills content with main as text, HTML or Markdown, or as text if the other forms take too much work.
func writeForm(ctx context.Context, content *Content, main *html.Node) error {
	var err error
	if content.Format != HTML {
		spell(main)
	}
	switch content.Format {
	case Text:
		content.Text = plainText(main)
	case HTML:
		content.Text, err = htmlText(main)
	default:
		content.Text, err = markdown(ctx, main)
	}
	if errors.Is(err, errTooComplex) {
		content.Text, content.Format = plainText(main), Text
		content.warn(WarnComplex)
		return nil
	}
	if err != nil {
		return fmt.Errorf("convert to %s: %w", content.Format, err)
	}
	return nil
}

func htmlText(n *html.Node) (string, error) {
	var out strings.Builder
	if err := html.Render(&out, n); err != nil {
		return "", err
	}
	return out.String(), nil
}

// renderTokens fills content with the plain text of a document that is not parsed.
func renderTokens(content *Content, d document, o Options) error {
	if o.Selector.Expression != "" {
		return selectorTooComplex()
	}
	content.Text, content.Format, content.Extractor = tokenText(d.text), Text, ByTokens
	content.Title = tokenTitle(d.text)
	content.warn(WarnComplex)
	switch o.Format {
	case Links:
		return writeLinks(content, tokenLinks(d.text, d.url))
	case JSON:
		return describe(content, nil)
	default:
	}
	return nil
}
