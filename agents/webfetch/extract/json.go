package extract

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// Limits of indented JSON: indentation grows with the square of the depth, and a byte at the deepest level takes 130.
const (
	maxJSONDepth  = 64
	maxJSONIndent = 16 << 20 // bytes that indentation may add
	maxJSONGrowth = 8        // bytes that it may add for each existing byte, if it adds more than 64 KiB
)

// renderJSON indents JSON, and fences it for Markdown. JSON that is invalid, deeply nested or would become much longer is left as it is.
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

// beginsJSON reports whether a text may be an object or an array.
func beginsJSON(text string) bool {
	text = strings.TrimLeft(text, " \t\r\n")
	return strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")
}

func indent(text string) string {
	var out bytes.Buffer
	s := shapeOfJSON(text)
	wide := s.added > maxJSONIndent || s.added > 64<<10 && s.added/maxJSONGrowth > len(text)
	if s.deepest > maxJSONDepth || wide || json.Indent(&out, bytes.TrimSpace([]byte(text)), "", "  ") != nil {
		return text
	}
	return out.String()
}

// fenceJSON fences the JSON in content if the format demands it. It cleans the text first: in invalid JSON, backquotes with invisible characters in
// between could otherwise become the end of the fence.
func fenceJSON(content *Content, o Options) {
	content.cleanText()
	switch o.Format {
	case JSON:
		content.Format = JSON
	case Markdown:
		fence := strings.Repeat("`", max(3, longestRun(content.Text, '`')+1))
		content.Text, content.Format = fence+"json\n"+content.Text+"\n"+fence, Markdown
	default:
		content.Format = Text
	}
}

// longestRun returns how many times c stands in s in a row at most.
func longestRun(s string, c byte) (longest int) {
	run := 0
	for i := range len(s) {
		if run++; s[i] != c {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}

// jsonShape measures the cost of reading and writing a JSON text.
type jsonShape struct {
	deepest int // levels of brackets
	values  int // maximum number
	added   int // bytes of indentation, at most
}

func shapeOfJSON(text string) jsonShape {
	s, now, quoted, escaped := jsonShape{values: 1}, 0, false, false
	line := func() { s.added += len("\n") + now*len("  ") }
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
			s.deepest = max(s.deepest, now)
			s.values++
			line()
		case c == ']' || c == '}':
			now = max(now-1, 0)
			line()
		case c == ',':
			s.values++
			line()
		case c == ':':
			s.added++
		}
	}
	return s
}

// description is the form of a document in format JSON.
type description struct {
	Title     string   `json:"title,omitempty"`
	Language  string   `json:"language,omitempty"`
	MediaType string   `json:"media_type"`
	Metadata  Metadata `json:"metadata"`
	Content   string   `json:"content"` // Markdown, or plain text when Format says so
	Format    Format   `json:"content_format"`
	Entries   []Link   `json:"entries,omitempty"` // of a feed or sitemap
}

// describe sets the text of content to a JSON object with what is known about the document, including its text.
func describe(content *Content, entries []Link) error {
	text, err := marshal(description{
		Title: content.Title, Language: content.Language, MediaType: content.MediaType, Metadata: content.Metadata,
		Content: strings.TrimSpace(clean(content.Text)), Format: content.Format, Entries: entries,
	})
	content.Text, content.Format = text, JSON
	return err
}

// marshal returns value as indented JSON, without escapes for HTML, where nobody puts it.
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
