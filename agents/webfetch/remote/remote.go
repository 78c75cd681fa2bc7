// Package remote reads pages through a Markdown service: a web API that fetches a page itself and returns its Markdown, such as crawl4ai's POST /md.
package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
)

const (
	filter    = "llm"                   // a language model summarizes the page
	maxAnswer = webfetch.MaxMaxSize * 2 // bytes; JSON escapes
)

// Service is a webfetch.MarkdownService.
type Service struct {
	url    string
	client *http.Client
}

var _ webfetch.MarkdownService = (*Service)(nil)

// New returns a Service, or an InvalidArgument fault when the endpoint cannot be used. That is the base URL, to which "/md" is added; the operator sets
// it, so internal addresses are allowed.
func New(endpoint string) (*Service, error) {
	u, err := url.Parse(strings.TrimRight(endpoint, "/"))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fault.Invalid("api_endpoint", webfetch.ReasonRequestInvalid, "the endpoint of the Markdown service must look like http://host:port")
	}
	client := netguard.ForEndpoint(u, nil).Client(netguard.ClientOptions{}) // its context bounds each call; it follows no redirect
	return &Service{url: u.String() + "/md", client: client}, nil
}

// Close closes idle connections.
func (s *Service) Close() { s.client.CloseIdleConnections() }

// request and answer are the two bodies of POST /md.
type request struct {
	URL    string  `json:"url"`
	Filter string  `json:"f"`
	Query  *string `json:"q"`
	Cache  string  `json:"c"`
}

type answer struct {
	Markdown string `json:"markdown"`
	Success  bool   `json:"success"`
}

// Markdown implements webfetch.MarkdownService.
func (s *Service) Markdown(ctx context.Context, u *url.URL) (string, error) {
	body, err := json.Marshal(request{URL: u.String(), Filter: filter, Cache: "0"})
	if err != nil {
		return "", fmt.Errorf("encode the request: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(body))
	if err != nil {
		return "", fmt.Errorf("make the request: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	resp, err := s.client.Do(req)
	if err != nil {
		return "", broken(err, "it could not be reached")
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return "", broken(nil, fmt.Sprintf("it answered %d", resp.StatusCode))
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return "", broken(err, "its answer broke off")
	}
	if len(raw) > maxAnswer {
		return "", broken(nil, "its answer is too long")
	}
	var got answer
	if err := json.Unmarshal(raw, &got); err != nil {
		return "", broken(err, "its answer cannot be read")
	}
	if !got.Success {
		return "", broken(nil, "it could not read the page")
	}
	return got.Markdown, nil
}

// broken returns a fault that does not name the service's address, which callers need not know.
func broken(cause error, what string) error {
	if timeout, ok := errors.AsType[net.Error](cause); ok && timeout.Timeout() {
		failed := fault.New(fault.DeadlineExceeded, webfetch.ReasonTimeout, "the Markdown service did not answer in time")
		failed.Cause = cause
		return failed
	}
	failed := fault.New(fault.Unavailable, webfetch.ReasonBackend, "the Markdown service failed: %s; try later or use the http engine", what)
	failed.Cause = cause
	return failed
}
