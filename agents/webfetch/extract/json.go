package extract

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// maxJSONDepth bounds the nesting of JSON that is indented: indentation grows with the square of the depth.
const maxJSONDepth = 64

// renderJSON indents JSON, and fences it for Markdown. JSON that is broken or nested deeply stays as it is.
func renderJSON(ctx context.Context, content *Content, d document, o Options) error {
	if o.Selector.Expression != "" {
		return renderJSONPath(ctx, content, d, o)
	}
	if o.Format == Links {
		return writeLinks(content, plainLinks(strings.ReplaceAll(d.text, `\/`, "/")))
	}
	content.Text = indent(d.text)
	fenceJSON(content, o)
	return nil
}

func indent(text string) string {
	var out bytes.Buffer
	if depth(text) > maxJSONDepth || json.Indent(&out, bytes.TrimSpace([]byte(text)), "", "  ") != nil {
		return text
	}
	return out.String()
}

// fenceJSON marks the text of content, which is JSON, as what the format asked for allows.
func fenceJSON(content *Content, o Options) {
	switch o.Format {
	case JSON:
		content.Format = JSON
	case Markdown:
		fence := "```"
		for strings.Contains(content.Text, fence) {
			fence += "`"
		}
		content.Text, content.Format = fence+"json\n"+content.Text+"\n"+fence, Markdown
	default:
		content.Format = Text
	}
}

// depth returns how deep the brackets of JSON nest.
func depth(text string) int {
	deepest, now, quoted, escaped := 0, 0, false, false
	for i := range len(text) {
		switch c := text[i]; {
		case escaped:
			escaped = false
		case quoted:
			escaped, quoted = c == '\\', c != '"'
		case c == '"':
			quoted = true
		case c == '[' || c == '{':
			now++
			deepest = max(deepest, now)
		case c == ']' || c == '}':
			now--
		}
	}
	return deepest
}

// description is the form of a document in the format JSON.
type description struct {
	Title     string   `json:"title,omitempty"`
	Language  string   `json:"language,omitempty"`
	MediaType string   `json:"media_type"`
	Metadata  Metadata `json:"metadata"`
	Content   string   `json:"content"` // Markdown, or plain text when Format says so
	Format    Format   `json:"content_format"`
	Entries   []Link   `json:"entries,omitempty"` // of a feed or sitemap
}

// describe puts what is known about a document that is no JSON, and its text, into a JSON object.
func describe(content *Content, entries []Link) error {
	text, err := marshal(description{
		Title: content.Title, Language: content.Language, MediaType: content.MediaType, Metadata: content.Metadata,
		Content: strings.TrimSpace(clean(content.Text)), Format: content.Format, Entries: entries,
	})
	content.Text, content.Format = text, JSON
	return err
}

// marshal writes value as indented JSON. Nothing is escaped for HTML: nobody puts it there.
func marshal(value any) (string, error) {
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		return "", fmt.Errorf("write JSON: %w", err)
	}
	return strings.TrimSpace(out.String()), nil
}
