// Package jaeger finds consultation verdicts in Jaeger, by version 3 of its query API over HTTP.
//
// A trace is read by the id that Quorate created for the consultation, never searched by attributes: a search may return other traces. Every span is
// checked like one that was received. Jaeger does not record senders, so its spans show what was said, not who said it.
//
// A missing trace does not mean that there is no answer: spans arrive late, and a backend drops old ones.
package jaeger

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/consultation/otlp"
	"github.com/quorate/quorate/platform/bounded"
	"github.com/quorate/quorate/platform/secretfile"
)

const (
	maxAnswerBytes = 4 << 20
	maxVerdicts    = 256 // in one trace; an honest trace has one
	maxAtOnce      = 8   // requests
	defaultTimeout = 2 * time.Second
	clockSkew      = time.Hour // between this machine and those that record spans
	lag            = 30 * time.Second
)

// Config describes a Jaeger.
type Config struct {
	URL     *url.URL           // of its query service, such as http://127.0.0.1:16686, or with a base path
	Token   *secretfile.Secret // sent as bearer token; nil for none
	Client  *http.Client       // connects to URL and follows no redirect
	Timeout time.Duration      // of one query, including the wait for others; default 2 s
}

// Traces queries a Jaeger; create it with New. It is safe for concurrent use.
type Traces struct {
	Config
	turns chan struct{} // a semaphore with room for maxAtOnce requests
}

var _ consultation.Traces = (*Traces)(nil)

// New returns a client for the Jaeger in c.
func New(c Config) *Traces {
	if c.Timeout <= 0 {
		c.Timeout = defaultTimeout
	}
	return &Traces{Config: c, turns: make(chan struct{}, maxAtOnce)}
}

// Name implements consultation.Traces.
func (t *Traces) Name() string { return "jaeger" }

// Lag implements consultation.Traces.
func (t *Traces) Lag() time.Duration { return lag }

// Verdicts implements consultation.Traces.
func (t *Traces) Verdicts(ctx context.Context, c consultation.Consultation) ([]consultation.Claim, error) {
	ctx, cancel := context.WithTimeout(ctx, t.Timeout)
	defer cancel()
	select {
	case t.turns <- struct{}{}:
		defer func() { <-t.turns }()
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting for %d other requests: %w", maxAtOnce, ctx.Err())
	}
	status, body, err := t.get(ctx, c)
	if err != nil {
		return nil, err
	}
	switch {
	case status == http.StatusNotFound && noTrace(body):
		return nil, nil
	case status != http.StatusOK:
		return nil, fmt.Errorf("it answered %d, which is no answer about a trace", status)
	}
	return verdicts(body)
}

// get requests the trace of c as raw traces, as they were recorded: times are not adjusted, and duplicate spans and attributes are kept.
func (t *Traces) get(ctx context.Context, c consultation.Consultation) (status int, body []byte, err error) {
	u := t.URL.JoinPath("api", "v3", "traces", c.TraceID)
	u.RawQuery = url.Values{
		"raw_traces": {"true"},
		"start_time": {c.IssueTime.Add(-clockSkew).UTC().Format(time.RFC3339Nano)},
		"end_time":   {c.ExpireTime.Add(clockSkew).UTC().Format(time.RFC3339Nano)},
	}.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Accept", "application/json")
	if t.Token != nil {
		token, _ := t.Token.Text()
		request.Header.Set("Authorization", "Bearer "+token.Reveal())
	}
	answer, err := t.Client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = answer.Body.Close() }() // it was read, or is abandoned
	if body, err = bounded.Read(answer.Body, "the trace", maxAnswerBytes); err != nil {
		return 0, nil, fmt.Errorf("reading the answer: %w", err)
	}
	return answer.StatusCode, body, nil
}

// noTrace reports whether body says that Jaeger has no such trace, rather than that another server has no such page.
func noTrace(body []byte) bool {
	var answer struct {
		Error struct {
			HTTPCode int `json:"httpCode"`
		} `json:"error"`
	}
	return json.Unmarshal(body, &answer) == nil && answer.Error.HTTPCode == http.StatusNotFound
}

// verdicts decodes an answer: one result or, as the API streams over HTTP, several in sequence.
func verdicts(body []byte) (claims []consultation.Claim, err error) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	for results := 0; ; results++ {
		var answer struct {
			Result json.RawMessage `json:"result"`
			Error  json.RawMessage `json:"error"`
		}
		switch err := decoder.Decode(&answer); {
		case errors.Is(err, io.EOF) && results > 0:
			return claims, nil
		case err != nil:
			return nil, fmt.Errorf("the answer is not of the query API: %w", err)
		case !bytes.HasPrefix(answer.Result, []byte("{")), len(answer.Error) > 0 && string(answer.Error) != "null":
			return nil, errors.New("the answer has something else than results")
		}
		more, err := otlp.Verdicts(answer.Result)
		if err != nil {
			return nil, err
		}
		if claims = append(claims, more...); len(claims) > maxVerdicts {
			return nil, fmt.Errorf("the trace has more than %d verdicts", maxVerdicts)
		}
	}
}
