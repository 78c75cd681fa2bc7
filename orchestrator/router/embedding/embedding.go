// Package embedding gets vectors of texts from an OpenAI-compatible endpoint (POST {base}/embeddings), as served by OpenAI, vLLM, Ollama, llama.cpp
// and text-embeddings-inference. Answers are not trusted: they are bounded and checked.
package embedding

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strings"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
)

const (
	maxAnswer = 512 << 10 // bytes for each text
	maxLength = 8192      // maximum dimension of a vector
	maxError  = 500       // bytes of an error message that are shown
)

// Reasons of the faults of Embed.
const (
	ReasonUnavailable = "EMBEDDING_UNAVAILABLE" // Unavailable: no answer, or one that says to try later
	ReasonInvalid     = "EMBEDDING_INVALID"     // FailedPrecondition: an invalid answer, or a refusal
	ReasonRefused     = "EMBEDDING_REFUSED"     // InvalidArgument: a refusal of what was sent, say a text that is longer than the model reads
)

// Client calls one endpoint.
type Client struct {
	url   string
	model string
	key   auth.Secret
	http  *http.Client
}

// New returns a client for a model at the endpoint base, such as https://api.openai.com/v1. key may be empty. hc must refuse forbidden addresses, and
// redirects.
func New(base, model string, key auth.Secret, hc *http.Client) (*Client, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" || u.User != nil {
		return nil, fault.Invalid("url", "CONFIG_INVALID", "%q is not the http or https URL of an endpoint", base)
	}
	if model == "" {
		return nil, fault.Invalid("model", "CONFIG_INVALID", "the endpoint at %s needs the name of a model", base)
	}
	return &Client{url: u.JoinPath("embeddings").String(), model: model, key: key, http: hc}, nil
}

// Embed implements router.Embedder.
func (c *Client) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	body, err := json.Marshal(map[string]any{"model": c.model, "input": texts, "encoding_format": "float"})
	if err != nil {
		return nil, fmt.Errorf("encode texts: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", c.url, err)
	}
	req.Header.Set("Content-Type", "application/json")
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key.Reveal())
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, fault.New(fault.Unavailable, ReasonUnavailable, "%s did not answer: %w", c.url, err)
	}
	defer func() { _ = resp.Body.Close() }()
	most := maxAnswer * len(texts)
	answer, err := io.ReadAll(io.LimitReader(resp.Body, int64(most)+1))
	if err != nil {
		return nil, fault.New(fault.Unavailable, ReasonUnavailable, "%s stopped in its answer: %w", c.url, err)
	}
	switch resp.StatusCode {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return nil, fault.New(fault.InvalidArgument, ReasonRefused, "%s answered HTTP %d: %s", c.url, resp.StatusCode, clip(answer))
	}
	switch {
	case resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode >= http.StatusInternalServerError:
		return nil, fault.New(fault.Unavailable, ReasonUnavailable, "%s answered HTTP %d: %s", c.url, resp.StatusCode, clip(answer))
	case resp.StatusCode != http.StatusOK:
		return nil, fault.New(fault.FailedPrecondition, ReasonInvalid, "%s answered HTTP %d: %s", c.url, resp.StatusCode, clip(answer))
	case len(answer) > most:
		return nil, c.invalid("more than %d bytes", most)
	}
	return c.vectors(answer, len(texts))
}

func (c *Client) invalid(format string, args ...any) error {
	return fault.New(fault.FailedPrecondition, ReasonInvalid, "%s answered %s", c.url, fmt.Sprintf(format, args...))
}

// vectors decodes an answer.
func (c *Client) vectors(answer []byte, n int) ([][]float32, error) {
	var a struct {
		Data []struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		} `json:"data"`
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		return nil, c.invalid("what is not of the OpenAI form: %v", err)
	}
	if len(a.Data) != n {
		return nil, c.invalid("%d vectors for %d texts", len(a.Data), n)
	}
	out := make([][]float32, n)
	for _, x := range a.Data {
		switch {
		case x.Index < 0 || x.Index >= n || out[x.Index] != nil:
			return nil, c.invalid("a vector with the index %d, which is taken or not one of %d", x.Index, n)
		case len(x.Embedding) == 0 || len(x.Embedding) > maxLength || len(x.Embedding) != len(a.Data[0].Embedding):
			return nil, c.invalid("a vector of %d numbers beside one of %d; the limit is %d", len(x.Embedding), len(a.Data[0].Embedding), maxLength)
		case !normalize(x.Embedding):
			return nil, c.invalid("a vector without a direction")
		}
		out[x.Index] = x.Embedding
	}
	return out, nil
}

// normalize scales a vector to length 1. It returns false for a vector without direction.
func normalize(v []float32) bool {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	length := math.Sqrt(sum)
	if length == 0 || math.IsInf(length, 0) || math.IsNaN(length) {
		return false
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / length)
	}
	return true
}

func clip(b []byte) string {
	return strings.ToValidUTF8(strings.TrimSpace(string(b[:min(len(b), maxError)])), "")
}
