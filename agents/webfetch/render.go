package webfetch

import (
	"bytes"
	"context"
	"encoding/json"
	"mime"
	"net/http"
	"strings"

	"github.com/quorate/quorate/platform/fault"
)

// maxJSONDepth bounds the nesting of JSON that is indented: indentation grows with the square of the depth.
const maxJSONDepth = 64

// render fills page with the content of b in the format asked for.
func render(ctx context.Context, page *Page, b body, format Format) error {
	mediaType, err := mediaTypeOf(b)
	if err != nil {
		return err
	}
	text, err := decode(b.data, b.contentType)
	if err != nil {
		failed := failure(fault.FailedPrecondition, ReasonContentType, b.url, "its characters cannot be decoded")
		failed.Cause = err
		return failed
	}
	switch {
	case isHTML(mediaType):
		return renderHTML(ctx, page, b.url, text, format)
	case isJSON(mediaType):
		renderJSON(page, text, format)
	default:
		page.Content, page.Format = clean(string(text)), Text
		if mediaType == "text/markdown" && format == Markdown {
			page.Format = Markdown
		}
	}
	return nil
}

// mediaTypeOf returns what kind of document b is, or a fault when it is none that can be read.
func mediaTypeOf(b body) (string, error) {
	declared := b.contentType
	if strings.TrimSpace(declared) == "" {
		declared = http.DetectContentType(b.data)
	}
	mediaType, _, err := mime.ParseMediaType(declared)
	if mediaType == "" && err != nil {
		mediaType = strings.ToLower(strings.TrimSpace(strings.Split(declared, ";")[0])) // real servers send broken parameters
	}
	if isHTML(mediaType) || isJSON(mediaType) || strings.HasPrefix(mediaType, "text/") {
		return mediaType, nil
	}
	return "", failure(fault.FailedPrecondition, ReasonContentType, b.url, "it is %q, and only HTML, text and JSON can be read; look for a page about it", prefix(mediaType, 80))
}

func isHTML(mediaType string) bool {
	return mediaType == "text/html" || mediaType == "application/xhtml+xml"
}

func isJSON(mediaType string) bool {
	return mediaType == "application/json" || mediaType == "text/json" || strings.HasSuffix(mediaType, "+json")
}

// renderJSON indents JSON, and fences it for Markdown. JSON that is broken or nested deeply stays as it is.
func renderJSON(page *Page, text []byte, format Format) {
	var out bytes.Buffer
	if depth(text) > maxJSONDepth || json.Indent(&out, bytes.TrimSpace(text), "", "  ") != nil {
		out.Reset()
		out.Write(text)
	}
	page.Content, page.Format = clean(out.String()), Text
	if format == Markdown {
		fence := "```"
		for strings.Contains(page.Content, fence) {
			fence += "`"
		}
		page.Content, page.Format = fence+"json\n"+page.Content+"\n"+fence, Markdown
	}
}

// depth returns how deep the brackets of JSON nest.
func depth(text []byte) int {
	deepest, now, quoted, escaped := 0, 0, false, false
	for _, c := range text {
		switch {
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
