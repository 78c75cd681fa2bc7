package extract

import (
	"context"
	"fmt"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxSteps bounds the elements that one conversion visits. The converter visits an element again if its first rendering was empty, so nested empty
// links would double the work at each level.
const maxSteps = 4 * maxNodes

// maxSpecial bounds the characters that may need escaping: each costs a microsecond or two.
const maxSpecial = 150_000

// maxIndented bounds the result of indented, of which a million costs some ten milliseconds. The maximum of 181 ordinary pages is 97,885.
const maxIndented = 30_000_000

// indented estimates the bytes that the converter copies to indent n, around which there are so many quotations and items of lists. It indents the lines of
// one again with each one around it, and they grow, so that a line costs as much as the square of its level.
func indented(n *html.Node, level int) int {
	if n.Type == html.TextNode {
		return level*len(n.Data) + level*level*strings.Count(n.Data, "\n")
	}
	if n.DataAtom == atom.Blockquote || n.DataAtom == atom.Li {
		level++
	}
	bytes := 2 * level * level // for a line, and the empty one before it
	for child := range n.ChildNodes() {
		bytes += indented(child, level)
	}
	return bytes
}

// escaped are the characters that the converter may escape.
const escaped = "\\*_-+.>|$#=[]()!~`\"'<&"

// special counts the characters of content that have a meaning in Markdown.
func special(content *html.Node) int {
	n := 0
	for d := range content.Descendants() {
		if d.Type != html.TextNode {
			continue
		}
		for i := range len(d.Data) {
			if strings.IndexByte(escaped, d.Data[i]) >= 0 {
				n++
			}
		}
	}
	return n
}

// markdown converts content, which it changes, to CommonMark with tables.
func markdown(ctx context.Context, content *html.Node) (string, error) {
	if special(content) > maxSpecial || indented(content, 0) > maxIndented {
		return "", errTooComplex
	}
	linkTitles(content)
	boundTables(content)
	flattenCode(content)
	escapeAttributes(content)
	bareEmphasis(content)
	keepReferences(content) // of which bareEmphasis would take the first character
	keepUnderscores(content)
	conv := converter.NewConverter(converter.WithPlugins(
		base.NewBasePlugin(),
		commonmark.NewCommonmarkPlugin(
			commonmark.WithLinkEmptyHrefBehavior(commonmark.LinkBehaviorSkip),
			commonmark.WithLinkEmptyContentBehavior(commonmark.LinkBehaviorSkip),
			commonmark.WithListEndComment(false), // readers would take <!--THE END--> between two lists for text
		),
		strikethrough.NewStrikethroughPlugin(),
		table.NewTablePlugin(
			table.WithHeaderPromotion(true),
			table.WithNewlineBehavior(table.NewlineBehaviorPreserve),
			// Aligned cells would be padded with spaces to the longest cell of their column, in each row.
			table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal),
		),
	))
	steps := 0
	conv.Register.Renderer(func(converter.Context, converter.Writer, *html.Node) converter.RenderStatus {
		steps++
		if steps > maxSteps || ctx.Err() != nil {
			return converter.RenderSuccess // claims the element without visiting its children
		}
		return converter.RenderTryNext
	}, converter.PriorityEarly)

	conv.Register.UnEscaper(alwaysEscaped, converter.PriorityEarly)
	conv.Register.UnEscaper(escapedInQuotes, converter.PriorityEarly)

	text, err := conv.ConvertNode(content, converter.WithContext(ctx))
	switch {
	case err != nil:
		return "", fmt.Errorf("convert to Markdown: %w", err)
	case ctx.Err() != nil:
		return "", ctx.Err()
	case steps > maxSteps:
		return "", errTooComplex
	}
	return strings.ReplaceAll(string(text), unescaped, "_"), nil
}
