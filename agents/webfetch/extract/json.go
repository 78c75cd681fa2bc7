package extract

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// Bounds of JSON that is indented: indentation grows with the square of the depth, and a byte at the deepest level takes 130.
const (
	maxJSONDepth  = 64
	maxJSONIndent = 16 << 20 // bytes that indentation may add
	maxJSONGrowth = 8        // bytes that it may add for each that is there, when it adds more than 64 KiB
)

// renderJSON indents JSON, and fences it for Markdown. JSON that is broken, nested deeply or much longer when it is indented stays as it is.
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
	s := shapeOfJSON(text)
	wide := s.added > maxJSONIndent || s.added > 64<<10 && s.added/maxJSONGrowth > len(text)
	if s.deepest > maxJSONDepth || wide || json.Indent(&out, bytes.TrimSpace([]byte(text)), "", "  ") != nil {
		return text
	}
	return out.String()
}

// fenceJSON marks the text of content, which is JSON, as what the format asked for allows. It is cleaned first: backticks with something
// invisible between them would become the end of the fence, in JSON that is broken at the beginning of a line.
func fenceJSON(content *Content, o Options) {
	content.cleanText()
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

// jsonShape is what reading and writing JSON costs.
type jsonShape struct {
	deepest int // levels of brackets
	values  int // at most
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

// marshalAll writes values as a JSON array, indented within the bounds of indentation, or tells that this takes more than limit bytes: a
// document that nests is in its own parts again and again.
func marshalAll(values []any, limit int) (text string, ok bool, err error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false) // as in marshal
	for i, value := range values {
		out.WriteByte("[,"[min(i, 1)])
		if err := encoder.Encode(value); err != nil {
			return "", false, fmt.Errorf("write JSON: %w", err)
		}
		if out.Len() > limit {
			return "", false, nil
		}
	}
	out.WriteByte(']')
	return indent(out.String()), true, nil
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
