package mcp

import (
	"context"
	"encoding/json"

	"github.com/quorate/quorate/agents/webfetch"
)

var urlOnly = map[string]any{"url": property("string", "The page's http or https URL.")}

// slackTools is document 000's: a URL in, a text out.
func (s *Server) slackTools() []tool {
	return []tool{{
		name: "fetch_url", description: "指定URLのWebコンテンツをテキストとして取得する。", input: schema(urlOnly, "url"),
		call: func(ctx context.Context, arguments json.RawMessage) (string, any, error) {
			page, err := s.page(ctx, arguments)
			if err != nil {
				return page.Error, map[string]any{"content": page.Error}, err
			}
			return page.Content, map[string]any{"content": page.Content}, nil
		},
	}}
}

// ADKPage is document 001's output.
type ADKPage struct {
	Success         bool              `json:"success"`
	Content         string            `json:"content"`
	URL             string            `json:"url"`
	StatusCode      int               `json:"status_code"`
	ContentType     string            `json:"content_type"`
	ContentLength   int64             `json:"content_length"`
	Headers         map[string]string `json:"headers,omitempty"`
	ProcessedFormat string            `json:"processed_format"`
	TruncatedAt     int64             `json:"truncated_at,omitempty"`
	Error           string            `json:"error,omitempty"`
	ErrorCode       webfetch.Code     `json:"error_code,omitempty"`
	FetchDurationMS int64             `json:"fetch_duration_ms"`
}

// adkTools are those of document 001, where a failure is an ordinary result with success false.
func (s *Server) adkTools() []tool {
	properties := map[string]any{}
	for _, name := range []string{"url", "format", "timeout", "follow_redirects", "max_size", "headers"} {
		properties[name] = requestProperties[name]
	}
	properties["format"] = property("string", "Response format: 'text', 'json', 'html', 'raw' (default: text)")
	return []tool{{
		name: "builtin_fetch_web", description: "Fetches the content of a web URL.", input: schema(properties, "url"),
		call: func(ctx context.Context, arguments json.RawMessage) (string, any, error) {
			page, err := s.page(ctx, arguments)
			if err != nil && page.ErrorCode == "" {
				return "", nil, err
			}
			return answer(ADKPage{
				Success: page.Success, Content: page.Content, URL: page.URL, StatusCode: page.StatusCode, ContentType: page.ContentType,
				ContentLength: page.ContentLength, Headers: page.Headers, ProcessedFormat: string(page.Format), TruncatedAt: page.TruncatedAt,
				Error: page.Error, ErrorCode: page.ErrorCode, FetchDurationMS: page.DurationMS,
			}, nil)
		},
	}}
}

// GLaDOSPage is document 002's output. ContentLength is the length of the whole content, in characters.
type GLaDOSPage struct {
	URL           string `json:"url"`
	Domain        string `json:"domain"`
	Mode          string `json:"mode"`
	Content       string `json:"content"`
	Truncated     bool   `json:"truncated"`
	ContentLength int    `json:"contentLength"`
}

// gladosTools is document 002's fetch; its other tools are about domains.
func (s *Server) gladosTools() []tool {
	properties := map[string]any{
		"url": requestProperties["url"], "mode": property("string", "Content mode.", "html", "markdown", "links"),
		"maxCharacters": property("integer", "Characters of content to return at most."),
	}
	return []tool{{
		name: "web-fetch.fetch", description: "Fetch a URL and return its content.", input: schema(properties, "url"),
		call: func(ctx context.Context, arguments json.RawMessage) (string, any, error) {
			page, err := s.page(ctx, arguments)
			if err != nil {
				return page.Error, nil, err
			}
			mode := page.Format
			if req, err := webfetch.ParseRequest(arguments); err == nil && req.Format != "" {
				mode = req.Format
			}
			return answer(GLaDOSPage{page.URL, page.Domain, string(mode), page.Content, page.Truncated, page.TotalCharacters}, nil)
		},
	}}
}

// myaoTools are those of document 003: a URL in, and Markdown or an error message out, both as plain results.
func (s *Server) myaoTools() []tool {
	return []tool{{
		name: "web_fetch", description: "Webページの内容を取得する。", input: schema(urlOnly, "url"),
		call: func(ctx context.Context, arguments json.RawMessage) (string, any, error) {
			page, err := s.page(ctx, arguments)
			switch {
			case err == nil:
				return page.Content, nil, nil
			case page.ErrorCode == "":
				return "", nil, err
			}
			return page.Error, nil, nil // a failure is an ordinary result
		},
	}}
}

// page fetches the page in the arguments. If the result has no error code, the arguments themselves are wrong.
func (s *Server) page(ctx context.Context, arguments json.RawMessage) (webfetch.Page, error) {
	req, err := webfetch.ParseRequest(arguments)
	if err != nil {
		return webfetch.Page{}, err
	}
	req.Owner, _ = ctx.Value(ownerKey{}).(string)
	return s.fetcher.Fetch(ctx, req)
}
