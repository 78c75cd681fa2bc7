// Package dialect serves the JSON-RPC interface of an older web-fetch agent (document 000) beside A2A: the method execute_task, whose answer is one
// message with the page's text, or the error -32603 with a message in Japanese.
package dialect

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"strings"

	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/platform/prose"
)

// Method is the dialect's one method.
const Method = "execute_task"

// Codes of JSON-RPC 2.0 section 5.1. Any failure to read a page is an internal error, as in the older agent.
const (
	codeInvalidParams = -32602
	codeInternal      = -32603
)

const (
	maxPeek         = 1 << 20 // bytes of a request of the dialect; A2A has its own limit
	maxID           = 256
	missingURL      = "URLスキームエラー: http:// または https:// で始まるURLを指定してください"
	maxCorrelations = 256
)

// request and response are the two bodies.
type request struct {
	Version string          `json:"jsonrpc"`
	Method  string          `json:"method"`
	ID      json.RawMessage `json:"id"`
	Params  params          `json:"params"`
}

type params struct {
	Messages []message `json:"messages"`
	Context  struct {
		CorrelationID string `json:"correlation_id"`
		ThreadTS      string `json:"thread_ts"`
	} `json:"context"`
}

type message struct {
	Role    string    `json:"role"`
	Content []content `json:"content"`
}

type content struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type response struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  *result         `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

type result struct {
	Messages []message `json:"messages"`
}

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// server answers the dialect.
type server struct {
	fetcher *webfetch.Fetcher
	logger  *slog.Logger
}

// Wrap returns a handler that answers execute_task at POST / and passes everything else on.
func Wrap(f *webfetch.Fetcher, logger *slog.Logger) func(next http.Handler) http.Handler {
	s := server{f, logger}
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodPost || r.URL.Path != "/" {
				next.ServeHTTP(w, r)
				return
			}
			head, err := io.ReadAll(io.LimitReader(r.Body, maxPeek))
			req, mine := read(head)
			if err == nil && mine {
				s.answer(w, r, req)
				return
			}
			r.Body = &replayed{Reader: io.MultiReader(bytes.NewReader(head), failing{r.Body, err}), Closer: r.Body}
			next.ServeHTTP(w, r)
		})
	}
}

// replayed is a body that was partly read and is read from its beginning again.
type replayed struct {
	io.Reader
	io.Closer
}

// failing repeats the error at which reading has ended.
type failing struct {
	io.Reader

	err error
}

// Read implements io.Reader.
func (f failing) Read(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return f.Reader.Read(p)
}

var methodInText = regexp.MustCompile(`"method"\s*:\s*"` + Method + `"`)

// read decodes the request in a body, and reports whether it belongs to the dialect.
func read(body []byte) (req request, mine bool) {
	if !methodInText.Match(body) {
		return req, false // requests of others are not decoded
	}
	var head struct {
		Method string          `json:"method"`
		ID     json.RawMessage `json:"id"`
	}
	if json.Unmarshal(body, &head) != nil || head.Method != Method {
		return req, false
	}
	if err := json.Unmarshal(body, &req); err != nil {
		req = request{ID: head.ID} // its params have another type; Method is set, so it is answered
	}
	return req, true
}

func (s server) answer(w http.ResponseWriter, r *http.Request, req request) {
	resp := response{Version: "2.0", ID: req.ID}
	if len(req.ID) == 0 || len(req.ID) > maxID {
		resp.ID = json.RawMessage("null")
	}
	if req.Method != Method || req.Version != "2.0" {
		resp.Error = &rpcError{codeInvalidParams, "the request must be JSON-RPC 2.0 with params.messages"}
	} else {
		resp.Result, resp.Error = s.execute(r.Context(), req.Params, r.Header.Get("Accept-Language"))
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(resp); err != nil {
		s.logger.InfoContext(r.Context(), "dialect answer was not sent", slog.Any("error", err))
	}
}

// urlInText finds the URL in a prompt. It also finds URLs with other schemes, so that they are refused because of the scheme.
var urlInText = regexp.MustCompile(`(?i)\b[a-z][a-z0-9+.-]*://[^\s<>"'` + "`" + `、。，「」『』（）]+`)

func (s server) execute(ctx context.Context, p params, accept string) (*result, *rpcError) {
	var prompt strings.Builder
	for _, m := range p.Messages {
		for _, c := range m.Content {
			if m.Role == "user" && c.Type == "text" {
				prompt.WriteString(c.Text + "\n")
			}
		}
	}
	s.logger.InfoContext(ctx, "execute_task", slog.String("correlation_id", cut(p.Context.CorrelationID)), slog.String("thread_ts", cut(p.Context.ThreadTS)))
	url := prose.TrimURL(urlInText.FindString(prompt.String()))
	if url == "" {
		return nil, &rpcError{codeInternal, missingURL}
	}
	page, err := s.fetcher.Fetch(ctx, webfetch.Request{URL: url, Profile: webfetch.ProfileSlack, Language: accept})
	if err != nil {
		return nil, &rpcError{codeInternal, page.Error}
	}
	return &result{Messages: []message{{Role: "agent", Content: []content{{Type: "text", Text: page.Text()}}}}}, nil
}

func cut(id string) string { return id[:min(len(id), maxCorrelations)] }
