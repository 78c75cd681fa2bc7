package otlp_test

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/consultation/otlp"
	"github.com/quorate/quorate/platform/fault"
)

const (
	protobuf = "application/x-protobuf"
	jsonType = "application/json"
)

func zip(tb testing.TB, body []byte) []byte {
	tb.Helper()
	var buffer bytes.Buffer
	w := gzip.NewWriter(&buffer)
	_, err := w.Write(body)
	if err := errors.Join(err, w.Close()); err != nil {
		tb.Fatalf("compressing = %v, want no error", err)
	}
	return buffer.Bytes()
}

// wrap returns body as the field number of a message.
func wrap(number protowire.Number, body []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), body)
}

// spansBody returns a request of n empty spans.
func spansBody(n int) []byte {
	return wrap(1, wrap(2, bytes.Repeat(wrap(2, nil), n)))
}

// verdictsBody returns a request of n verdicts on nothing.
func verdictsBody(n int) []byte {
	return wrap(1, wrap(2, bytes.Repeat(wrap(2, wrap(5, []byte(otlp.SpanName))), n)))
}

func nestedJSON(depth int) []byte {
	value := strings.Repeat(`{"arrayValue":{"values":[`, depth) + `{"stringValue":"[{\"["}` + strings.Repeat(`]}}`, depth)
	return []byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"attributes":[{"key":"k","value":` + value + `}]}]}]}]}`)
}

func TestHTTPAnswers(t *testing.T) {
	t.Parallel()
	const big = 4<<20 + 1
	tests := map[string]struct {
		method, contentType, encoding string
		body                          []byte
		code                          int
		reason                        string
	}{
		"an empty protobuf request":           {contentType: protobuf, code: 200},
		"an empty JSON request":               {contentType: jsonType, body: []byte(`{}`), code: 200},
		"a charset is fine":                   {contentType: "application/json; charset=utf-8", body: []byte(`{}`), code: 200},
		"gzip":                                {contentType: protobuf, encoding: "gzip", body: zip(t, spansBody(3)), code: 200},
		"a JSON request after another":        {contentType: jsonType, body: []byte(`{}` + "\n" + `{}`), code: 400, reason: "TRACES_INVALID"},
		"unknown fields in JSON":              {contentType: jsonType, body: []byte(`{"x":{"y":[1]}}`), code: 200},
		"ten thousand spans":                  {contentType: protobuf, body: spansBody(10_000), code: 200},
		"lists in lists in JSON":              {contentType: jsonType, body: nestedJSON(10), code: 200},
		"many short lists in JSON":            {contentType: jsonType, body: []byte(`{"x":[` + strings.Repeat(`[],{},`, 200) + `0]}`), code: 200},
		"brackets in a string of JSON":        {contentType: jsonType, body: []byte(`{"x":"` + strings.Repeat(`\"[{`, 200) + `"}`), code: 200},
		"GET":                                 {method: http.MethodGet, contentType: protobuf, code: 405, reason: "METHOD_NOT_ALLOWED"},
		"no content type":                     {code: 415, reason: "CONTENT_TYPE_UNSUPPORTED"},
		"text":                                {contentType: "text/plain", code: 415, reason: "CONTENT_TYPE_UNSUPPORTED"},
		"another encoding":                    {contentType: jsonType, encoding: "br", code: 415, reason: "CONTENT_ENCODING_UNSUPPORTED"},
		"garbage":                             {contentType: protobuf, body: []byte("garbage"), code: 400, reason: "TRACES_INVALID"},
		"a field that is cut off":             {contentType: protobuf, body: []byte{0x80}, code: 400, reason: "TRACES_INVALID"},
		"a message that is cut off":           {contentType: protobuf, body: spansBody(3)[:5], code: 400, reason: "TRACES_INVALID"},
		"a number that is cut off":            {contentType: protobuf, body: []byte{7 << 3, 0x80}, code: 400, reason: "TRACES_INVALID"},
		"a number in place of a message":      {contentType: protobuf, body: []byte{1 << 3, 1}, code: 400, reason: "TRACES_INVALID"},
		"JSON that is cut off":                {contentType: jsonType, body: []byte(`{"resourceSpans":[`), code: 400, reason: "TRACES_INVALID"},
		"JSON behind a value":                 {contentType: jsonType, body: []byte(`null{"resourceSpans":[]}`), code: 400, reason: "TRACES_INVALID"},
		"JSON behind a bracket too many":      {contentType: jsonType, body: []byte(`{}]{"resourceSpans":{}}`), code: 400, reason: "TRACES_INVALID"},
		"words behind JSON":                   {contentType: jsonType, body: []byte(`{} and more`), code: 400, reason: "TRACES_INVALID"},
		"JSON of another shape":               {contentType: jsonType, body: []byte(`{"resourceSpans":"x"}`), code: 400, reason: "TRACES_INVALID"},
		"gzip in capitals":                    {contentType: protobuf, encoding: "GZIP", body: zip(t, spansBody(3)), code: 200},
		"what is no gzip":                     {contentType: protobuf, encoding: "gzip", body: []byte("garbage"), code: 400, reason: "BODY_UNREADABLE"},
		"gzip that is cut off":                {contentType: protobuf, encoding: "gzip", body: zip(t, spansBody(1000))[:20], code: 400, reason: "BODY_UNREADABLE"},
		"a body that is too large":            {contentType: protobuf, body: make([]byte, big), code: 413, reason: "BODY_TOO_LARGE"},
		"a small body that unpacks too large": {contentType: jsonType, encoding: "gzip", body: zip(t, make([]byte, big)), code: 413, reason: "BODY_TOO_LARGE"},
		"a thousand verdicts":                 {contentType: protobuf, body: verdictsBody(1_000), code: 200},
		"one verdict too many":                {contentType: protobuf, body: verdictsBody(1_001), code: 400, reason: "TRACES_INVALID"},
		"one span too many":                   {contentType: protobuf, body: spansBody(10_001), code: 400, reason: "TRACES_INVALID"},
		"one span too many in JSON":           {contentType: jsonType, body: []byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[` + strings.Repeat(`{},`, 10_000) + `{}]}]}]}`), code: 400, reason: "TRACES_INVALID"},
		"more attributes than memory likes":   {contentType: protobuf, body: wrap(1, wrap(1, bytes.Repeat(wrap(1, nil), 500_000))), code: 400, reason: "TRACES_INVALID"},
		"more objects than memory likes":      {contentType: jsonType, body: []byte(`{"x":[` + strings.Repeat(`{},`, 300_000) + `{}]}`), code: 400, reason: "TRACES_INVALID"},
		"lists too deep in JSON":              {contentType: jsonType, body: nestedJSON(100), code: 400, reason: "TRACES_INVALID"},
		"lists too deep behind a quotation":   {contentType: jsonType, body: []byte(`{"x":"\"","y":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`), code: 400, reason: "TRACES_INVALID"},
		"a group":                             {contentType: protobuf, body: protowire.AppendTag(protowire.AppendTag(nil, 7, protowire.StartGroupType), 7, protowire.EndGroupType), code: 400, reason: "TRACES_INVALID"},
	}
	s := newServer(t)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			method := test.method
			if method == "" {
				method = http.MethodPost
			}
			resp := s.post(t, method, test.contentType, test.encoding, "reviewer-token", bytes.NewReader(test.body))
			if resp.Code != test.code {
				t.Fatalf("%s = %d %q, want %d", method, resp.Code, resp.Body, test.code)
			}
			if test.reason != "" {
				if st := statusOf(t, resp); !strings.Contains(st.String(), test.reason) {
					t.Errorf("%s answers %v, want the reason %s", method, st, test.reason)
				}
			}
			if test.code == http.StatusMethodNotAllowed && resp.Header().Get("Allow") != http.MethodPost {
				t.Errorf("%s allows %q, want POST", method, resp.Header().Get("Allow"))
			}
		})
	}
}

// post calls the handler; a recorder in place of a connection lets a test send more than the server reads.
func (s *server) post(t *testing.T, method, contentType, encoding, token string, body io.Reader) *httptest.ResponseRecorder {
	t.Helper()
	req := httptest.NewRequestWithContext(t.Context(), method, "/v1/traces", body)
	req.Header.Set("Authorization", "Bearer "+token)
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	if encoding != "" {
		req.Header.Set("Content-Encoding", encoding)
	}
	resp := httptest.NewRecorder()
	s.handler().ServeHTTP(resp, req)
	return resp
}

// statusOf decodes an error in the encoding that its content type names.
func statusOf(t *testing.T, resp *httptest.ResponseRecorder) *status.Status {
	t.Helper()
	st := &status.Status{}
	var err error
	switch contentType := resp.Header().Get("Content-Type"); contentType {
	case jsonType:
		err = protojson.Unmarshal(resp.Body.Bytes(), st)
	case protobuf:
		err = proto.Unmarshal(resp.Body.Bytes(), st)
	default:
		err = fmt.Errorf("content type %q", contentType)
	}
	if err != nil {
		t.Fatalf("decoding the status %q = %v, want no error", resp.Body, err)
	}
	return st
}

func TestHTTPTellsWhoTheCallerIsNot(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	resp := s.post(t, http.MethodPost, protobuf, "", "nobody", http.NoBody)
	if resp.Code != http.StatusUnauthorized || resp.Header().Get("WWW-Authenticate") == "" || statusOf(t, resp).GetCode() != 16 {
		t.Errorf("POST without a token = %d %v, want 401 with a challenge", resp.Code, resp.Header())
	}
	resp = s.post(t, http.MethodPost, jsonType, "", "viewer-token", http.NoBody)
	if resp.Code != http.StatusForbidden || statusOf(t, resp).GetCode() != 7 {
		t.Errorf("POST as a viewer = %d %q, want 403", resp.Code, resp.Body)
	}
}

// jsonVerdict returns the honest answer to c as OTLP/JSON.
func jsonVerdict(c consultation.Consultation, outcome string) string {
	text := func(key, value string) string {
		return fmt.Sprintf(`{"key":%q,"value":{"stringValue":%q}},`, key, value)
	}
	return fmt.Sprintf(`{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":%q}}]},"scopeSpans":[{"spans":[
		{"traceId":%q,"spanId":"0000000000000007","parentSpanId":%q,"name":%q,"kind":1,"attributes":[`,
		c.TargetAgent, c.TraceID, c.SpanID, otlp.SpanName) +
		text(otlp.IDKey, c.ID) + text(otlp.TaskKey, c.TaskID) + text(otlp.RequirementKey, c.RequirementID) + text(otlp.PhaseKey, c.Phase) +
		text(otlp.SourceKey, c.SourceAgent) + text(otlp.TargetKey, c.TargetAgent) + text(otlp.OutcomeKey, outcome) + text(otlp.DigestKey, c.SubjectDigest) +
		fmt.Sprintf(`{"key":%q,"value":{"intValue":"%d"}},{"key":%q,"value":{"intValue":1}}]}]}]}]}`, otlp.AttemptKey, c.Attempt, otlp.SchemaVersionKey)
}

func TestHTTPTakesJSON(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	c := s.issue(t)
	resp := s.post(t, http.MethodPost, jsonType, "", "coder-token", strings.NewReader(jsonVerdict(c, "approved")))
	if body := resp.Body.String(); resp.Code != http.StatusOK || !strings.Contains(body, `"rejectedSpans"`) || !strings.Contains(body, "EVIDENCE_NOT_THE_TARGET") {
		t.Errorf("POST by the source = %d %s, want 200 with a partial success", resp.Code, body)
	}
	resp = s.post(t, http.MethodPost, jsonType, "gzip", "reviewer-token", bytes.NewReader(zip(t, []byte(jsonVerdict(c, "deferred")))))
	if body := resp.Body.String(); resp.Code != http.StatusOK || strings.Contains(body, "rejectedSpans") {
		t.Errorf("POST by the target = %d %s, want 200 and nothing rejected", resp.Code, body)
	}
	twice := strings.Replace(jsonVerdict(c, "rejected"), `{"key":"service.name"`, `{"key":"service.name","value":{"stringValue":"coder"}},{"key":"service.name"`, 1)
	resp = s.post(t, http.MethodPost, jsonType, "", "reviewer-token", strings.NewReader(twice))
	if body := resp.Body.String(); !strings.Contains(body, "EVIDENCE_DUPLICATE_KEY") {
		t.Errorf("POST with two service names = %d %s, want EVIDENCE_DUPLICATE_KEY", resp.Code, body)
	}
	if got := s.state(t); got != "answered deferred" {
		t.Errorf("the consultation is %s, want answered deferred", got)
	}
}

func TestHTTPAsksForARetryInSeconds(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	c := s.issue(t)
	s.store.err = errors.New("disk on fire")
	resp := s.post(t, http.MethodPost, jsonType, "", "reviewer-token", strings.NewReader(jsonVerdict(c, "approved")))
	if resp.Code != http.StatusServiceUnavailable || resp.Header().Get("Retry-After") != "1" || strings.Contains(resp.Body.String(), "fire") {
		t.Errorf("POST = %d %v %s, want 503 and Retry-After 1", resp.Code, resp.Header(), resp.Body)
	}
}

// TestHTTPPassesOnWhyABodyIsNotRead has the server refuse to read more of what it has too much of: an exporter that is told to retry does.
func TestHTTPPassesOnWhyABodyIsNotRead(t *testing.T) {
	t.Parallel()
	full := fault.New(fault.ResourceExhausted, "REQUESTS_WAITING", "too much waits")
	full.RetryAfter = time.Second
	for _, encoding := range []string{"", "gzip"} {
		resp := newServer(t).post(t, http.MethodPost, protobuf, encoding, "reviewer-token", iotest.ErrReader(full))
		if resp.Code != http.StatusTooManyRequests || resp.Header().Get("Retry-After") != "1" {
			t.Errorf("POST as %q = %d %v %s, want 429 and Retry-After 1", encoding, resp.Code, resp.Header(), resp.Body)
		}
	}
}

func FuzzHTTPTraces(f *testing.F) {
	f.Add([]byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"quorate.consultation.verdict"}]}]}]}`), true)
	f.Add(nestedJSON(3), true)
	f.Add(nested([]protowire.Number{1, 2, 2, 9, 2, 5, 1}, nil), false)
	f.Add(spansBody(2), false)
	f.Add(wrap(1, wrap(2, wrap(2, wrap(5, []byte(otlp.SpanName))))), false)
	raw, err := hex.DecodeString("0a0c120a12082a0161320162480a")
	if err != nil {
		f.Fatalf("DecodeString() = %v, want no error", err)
	}
	f.Add(raw, false)
	handler := newServer(f).handler()
	f.Fuzz(func(t *testing.T, body []byte, asJSON bool) {
		req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/traces", bytes.NewReader(body))
		req.Header.Set("Authorization", "Bearer reviewer-token")
		req.Header.Set("Content-Type", map[bool]string{true: jsonType, false: protobuf}[asJSON])
		resp := httptest.NewRecorder()
		handler.ServeHTTP(resp, req)
		if resp.Code != http.StatusOK && resp.Code != http.StatusBadRequest && resp.Code != http.StatusRequestEntityTooLarge {
			t.Errorf("POST %q = %d %q, want 200, 400 or 413", body, resp.Code, resp.Body)
		}
	})
}

// newLoggingServer returns a server whose receiver logs to a buffer.
func newLoggingServer(t *testing.T) (*server, *bytes.Buffer) {
	t.Helper()
	var log bytes.Buffer
	s := newServer(t)
	var err error
	if s.receiver, err = otlp.New(s.ledger, otlp.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}); err != nil {
		t.Fatal(err)
	}
	return s, &log
}

// TestTheLogSaysWhichVerdictWasRefusedAndWhy is for the operator, who has neither the span nor the answer to its sender.
func TestTheLogSaysWhichVerdictWasRefusedAndWhy(t *testing.T) {
	t.Parallel()
	s, log := newLoggingServer(t)
	c := s.issue(t)
	s.post(t, http.MethodPost, jsonType, "", "reviewer-token", strings.NewReader(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"`+c.TraceID+
		`","spanId":"0700000000000000","name":"quorate.consultation.verdict","attributes":[{"key":"quorate.consultation.id","value":{"stringValue":"`+c.ID+
		`"}},{"key":"quorate.consultation.attempt","value":{"doubleValue":1}}]}]}]}]}`))
	for _, want := range []string{
		"consultation_id=" + c.ID, " verdict_span_id=0700000000000000", "reason=EVIDENCE_MALFORMED",
		`error="the attribute quorate.consultation.attempt has the type Double, want an integer"`,
	} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log is %q, want it to contain %s", log.String(), want)
		}
	}
}

// TestManyRefusalsAreFewLinesOfTheLog sends many verdicts that do not count.
func TestManyRefusalsAreFewLinesOfTheLog(t *testing.T) {
	t.Parallel()
	s, log := newLoggingServer(t)
	if resp := s.post(t, http.MethodPost, protobuf, "", "reviewer-token", bytes.NewReader(verdictsBody(500))); resp.Code != http.StatusOK {
		t.Fatalf("POST = %d %q, want 200", resp.Code, resp.Body)
	}
	if lines := strings.Count(log.String(), "\n"); lines > 10 || !strings.Contains(log.String(), "refused=500") {
		t.Errorf("the log has %d lines, want a few with the number of all:\n%.2000s", lines, log.String())
	}
}

// TestNestingIsBoundedWhereverAttributesAre has lists in lists and maps in maps, which the decoder would follow, at each place of a request.
func TestNestingIsBoundedWhereverAttributesAre(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for name, path := range map[string][]protowire.Number{
		"a resource":                      {1, 1, 1},
		"a scope":                         {1, 2, 1, 3},
		"a span":                          {1, 2, 2, 9},
		"an event":                        {1, 2, 2, 11, 3},
		"a link":                          {1, 2, 2, 13, 4},
		"a span as earlier versions send": {1, 1000, 2, 9},
	} {
		for what, level := range map[string][]protowire.Number{"lists": {5, 1}, "maps": {6, 1, 2}} {
			for depth, code := range map[int]int{3: http.StatusOK, 50: http.StatusBadRequest} {
				body := nested(append(slices.Clone(path), 2), nested(slices.Repeat(level, depth), nil)) // 2 is the value of an attribute
				if resp := s.post(t, http.MethodPost, protobuf, "", "reviewer-token", bytes.NewReader(body)); resp.Code != code {
					t.Errorf("%d %s in %s: POST /v1/traces = %d %q, want %d", depth, what, name, resp.Code, resp.Body, code)
				}
			}
		}
	}
}

// nested returns body within the fields of a path.
func nested(path []protowire.Number, body []byte) []byte {
	for _, number := range slices.Backward(path) {
		body = wrap(number, body)
	}
	return body
}
