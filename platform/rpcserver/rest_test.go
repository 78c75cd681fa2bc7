package rpcserver_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/proto"
)

type errorBody struct {
	Code    int              `json:"code"`
	Message string           `json:"message"`
	Details []map[string]any `json:"details"`
}

func (e errorBody) reason() (reason string) {
	for _, d := range e.Details {
		if d["@type"] == "type.googleapis.com/google.rpc.ErrorInfo" {
			reason, _ = d["reason"].(string)
		}
	}
	return reason
}

func TestRESTErrors(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	const deep = 300
	tests := map[string]struct {
		method, path, body string
		headers            header
		status             int
		reason, text       string
		want               header
	}{
		"an unknown field":                   {method: "POST", path: "/v1/books", body: `{"book":{"name":"a"},"consultationRule":1}`, status: 400, reason: "INVALID_ARGUMENT", text: `unknown field "consultationRule"`},
		"an unknown nested field":            {method: "POST", path: "/v1/books", body: `{"book":{"nam":"a"}}`, status: 400, reason: "INVALID_ARGUMENT", text: `unknown field "nam"`},
		"a duplicate field":                  {method: "POST", path: "/v1/books", body: `{"requestId":"a","requestId":"b"}`, status: 400, reason: "INVALID_ARGUMENT", text: "the field occurs twice"},
		"something after the body":           {method: "POST", path: "/v1/books", body: `{"book":{"name":"a"}} {}`, status: 400, reason: "INVALID_ARGUMENT", text: "unexpected token {"},
		"a value of the wrong kind":          {method: "POST", path: "/v1/books", body: `{"book":5}`, status: 400, reason: "INVALID_ARGUMENT", text: `line 1:9: book: 5 is not an object`},
		"no JSON":                            {method: "POST", path: "/v1/books", body: `<html>`, status: 400, reason: "INVALID_ARGUMENT", text: "syntax error"},
		"deep JSON":                          {method: "POST", path: "/v1/books", body: strings.Repeat(`{"book":`, deep) + "1" + strings.Repeat("}", deep), status: 400, reason: "INVALID_ARGUMENT"},
		"deep JSON of any kind":              {method: "POST", path: "/v1/books", body: `{"note":` + strings.Repeat("[", deep) + strings.Repeat("]", deep) + "}", status: 400, reason: "INVALID_ARGUMENT", text: "lists and objects more than 256 deep"},
		"a body against the rules":           {method: "POST", path: "/v1/books", body: `{"book":{"name":"A B"}}`, status: 400, reason: "VALIDATION_FAILED", text: "book.name: "},
		"a body without what is required":    {method: "POST", path: "/v1/books", body: `{"book":{"name":"a"},"source":{"donor":""}}`, status: 400, reason: "VALIDATION_FAILED", text: "source.donor: value is required"},
		"a body with another word":           {method: "POST", path: "/v1/books", body: `{"book":{"name":"a"},"source":{"kind":"stone"}}`, status: 400, reason: "VALIDATION_FAILED", text: "source.kind: must be one of paper, sound"},
		"an unknown query parameter":         {method: "GET", path: "/v1/books/dune?bogus=1", status: 400, reason: "QUERY_PARAMETER_UNKNOWN", text: `unknown query parameter "bogus"; this call takes viewMode`},
		"several unknown query parameters":   {method: "GET", path: "/v1/books/dune?zeta=1&beta=1&alpha=1&delta=1", status: 400, reason: "QUERY_PARAMETER_UNKNOWN", text: `unknown query parameter "alpha"`},
		"a query parameter beside the body":  {method: "POST", path: "/v1/books?request_id=1", body: `{"book":{"name":"a"}}`, status: 400, reason: "QUERY_PARAMETER_UNKNOWN", text: `"request_id"; this call takes none`},
		"a query parameter over the path":    {method: "GET", path: "/v1/books/dune?name=other", status: 400, reason: "QUERY_PARAMETER_UNKNOWN", text: `"name"`},
		"one over the path, as in JSON":      {method: "PATCH", path: "/v1/orders/1/book?requestId=2", body: `{}`, status: 400, reason: "QUERY_PARAMETER_UNKNOWN", text: `"requestId"; this call takes loan, due, returned, note, others, source, tags, labels`},
		"one over a part of the body":        {method: "PATCH", path: "/v1/orders/1/book?book.name=b", body: `{}`, status: 400, reason: "QUERY_PARAMETER_UNKNOWN", text: `"book.name"; this call takes loan`},
		"a part that is unknown":             {method: "PATCH", path: "/v1/orders/1/book?source.shelf=b", body: `{}`, status: 400, reason: "QUERY_PARAMETER_UNKNOWN", text: `"source.shelf"`},
		"a query parameter into a scalar":    {method: "GET", path: "/v1/books/dune?view_mode.x=1", status: 400, reason: "INVALID_ARGUMENT"},
		"an unknown parameter of a stream":   {method: "GET", path: "/v1/books:watch?bogus=1", status: 400, reason: "QUERY_PARAMETER_UNKNOWN", text: `"bogus"; this call takes count, then`},
		"a parameter of the wrong type":      {method: "GET", path: "/v1/books:watch?count=x", status: 400, reason: "INVALID_ARGUMENT", text: "count"},
		"a parameter that is given twice":    {method: "GET", path: "/v1/books:watch?count=1&count=2", status: 400, reason: "INVALID_ARGUMENT", text: "count: it is given more than once"},
		"one in two spellings":               {method: "GET", path: "/v1/books/dune?viewMode=a&view_mode=a", status: 400, reason: "INVALID_ARGUMENT", text: "view_mode: it is given more than once"},
		"a number that is none":              {method: "GET", path: "/v1/books:watch?count=x", status: 400, reason: "INVALID_ARGUMENT", text: `count: "x" is not a valid number`},
		"a number that is too large":         {method: "GET", path: "/v1/books:watch?count=99999999999999999999", status: 400, reason: "INVALID_ARGUMENT", text: `count: "99999999999999999999" is a number out of range`},
		"a text that is none":                {method: "POST", path: "/v1/books", body: `{"book":{"name":7}}`, status: 400, reason: "INVALID_ARGUMENT", text: `book.name: 7 is not a string`},
		"a body and where it is wrong":       {method: "POST", path: "/v1/books", body: `{"book":{"nam":"a"}}`, status: 400, text: `the body cannot be read, line 1:10: book.nam: unknown field "nam"`},
		"half of a character":                {method: "POST", path: "/v1/books", body: `{"book":{"name":"a\ud83d"}}`, status: 400, reason: "INVALID_ARGUMENT", text: `the body cannot be read: \ud83d is half of a character`},
		"a body that is not UTF-8":           {method: "POST", path: "/v1/books", body: "{\"book\":{\"name\":\"\xff\"}}", status: 400, reason: "INVALID_ARGUMENT", text: "not UTF-8"},
		"a body that is no text":             {method: "POST", path: "/v1/books", body: "\xff\xfe", status: 400, reason: "INVALID_ARGUMENT", text: "not UTF-8"},
		"a path that is not UTF-8":           {method: "GET", path: "/v1/books/%ff", status: 400, reason: "PATH_INVALID", text: `"\xff" in the path is not UTF-8`},
		"a query that is not UTF-8":          {method: "GET", path: "/v1/books/dune?viewMode=%ff", status: 400, reason: "QUERY_INVALID", text: `viewMode: "\xff" in the query`},
		"a parameter that is not UTF-8":      {method: "GET", path: "/v1/books/dune?%ff=1", status: 400, reason: "QUERY_INVALID"},
		"a stream's query that is not UTF-8": {method: "GET", path: "/v1/books:watch?count=%ff", status: 400, reason: "QUERY_INVALID"},
		"a compressed body":                  {method: "POST", path: "/v1/books", body: "\x1f\x8b", headers: header{"Content-Encoding": "gzip"}, status: 415, reason: "CONTENT_ENCODING_UNSUPPORTED", text: `"gzip"`, want: header{"Accept-Encoding": "identity"}},
		"a body that is not compressed":      {method: "POST", path: "/v1/books", body: `<html>`, headers: header{"Content-Encoding": "Identity"}, status: 400, reason: "INVALID_ARGUMENT", text: "syntax error"},
		"a wrong method":                     {method: "DELETE", path: "/v1/books/dune", status: 405, reason: "METHOD_NOT_ALLOWED", text: "DELETE is not allowed here; use GET", want: header{"Allow": "GET, HEAD"}},
		"a wrong method outside the API":     {method: "POST", path: "/healthz", body: "{}", status: 405, reason: "METHOD_NOT_ALLOWED", text: "POST is not allowed here; use GET", want: header{"Allow": "GET, HEAD"}},
		"a wrong method for metrics":         {method: "DELETE", path: "/metrics", status: 405, reason: "METHOD_NOT_ALLOWED", want: header{"Allow": "GET, HEAD"}},
		"a method from a header":             {method: "POST", path: "/v1/books/dune", headers: header{"X-HTTP-Method-Override": "GET", "Content-Type": "application/x-www-form-urlencoded"}, status: 405, reason: "METHOD_NOT_ALLOWED", want: header{"Allow": "GET, HEAD"}},
		"a form instead of a query":          {method: "POST", path: "/v1/books/dune", body: "view_mode=x", headers: header{"Content-Type": "application/x-www-form-urlencoded"}, status: 405, reason: "METHOD_NOT_ALLOWED"},
		"an unknown verb":                    {method: "POST", path: "/v1/books/dune:lend", body: `{}`, status: 404, reason: "ROUTE_NOT_FOUND", text: `there is nothing at /v1/books/dune:lend: no call is named "lend" there`},
		"a verb with a wrong method":         {method: "POST", path: "/v1/books:watch", body: `{}`, status: 405, reason: "METHOD_NOT_ALLOWED", text: "use GET"},
		"a name's verb with GET":             {method: "GET", path: "/v1/books/dune:return", status: 405, reason: "METHOD_NOT_ALLOWED", text: "GET is not allowed here; use POST", want: header{"Allow": "POST"}},
		"a name's verb with another method":  {method: "PUT", path: "/v1/books/dune:return", status: 405, reason: "METHOD_NOT_ALLOWED", text: "PUT is not allowed here; use POST", want: header{"Allow": "POST"}},
		"a name with a colon":                {method: "GET", path: "/v1/books/dune:lend", status: 400, reason: "VALIDATION_FAILED", text: "name: "},
		"a byte order mark":                  {method: "POST", path: "/v1/books", body: "\ufeff{}", status: 400, reason: "INVALID_ARGUMENT", text: "the body begins with a byte order mark: leave it out"},
		"an unknown path":                    {method: "GET", path: "/v1/nothing", status: 404, reason: "ROUTE_NOT_FOUND", text: "/v1/nothing"},
		"an unknown path that is not UTF-8":  {method: "GET", path: "/nothing/%ff", status: 404, reason: "ROUTE_NOT_FOUND", text: "/nothing/\uFFFD"},
		"an unknown path outside the API":    {method: "GET", path: "/nothing", status: 404, reason: "ROUTE_NOT_FOUND"},
		"a name that is a step up":           {method: "GET", path: "/v1/books/..", status: 400, reason: "VALIDATION_FAILED", text: "name: "},
		"an empty name":                      {method: "PATCH", path: "/v1/orders//book", body: "{}", status: 400, reason: "VALIDATION_FAILED", text: "book.name: "},
		"a name that is no step":             {method: "GET", path: "/v1/books/.", status: 400, reason: "VALIDATION_FAILED", text: "name: "},
		"steps to what is outside the API":   {method: "GET", path: "/v1/../healthz", status: 404, reason: "ROUTE_NOT_FOUND", text: "/v1/../healthz"},
		"no token":                           {method: "GET", path: "/v1/books/dune", headers: header{"Authorization": ""}, status: 401, reason: "TOKEN_MISSING", want: header{"WWW-Authenticate": `Bearer realm="quorate"`}},
		"no token, in a stream":              {method: "GET", path: "/v1/books:watch", headers: header{"Authorization": "", "Accept": "text/event-stream"}, status: 401, reason: "TOKEN_MISSING"},
		"an identity in a header is ignored": {method: "GET", path: "/v1/books/dune", headers: header{"Authorization": "", "Grpc-Metadata-Authorization": "Bearer " + readerToken}, status: 401, reason: "TOKEN_MISSING"},
		"the wrong role":                     {method: "GET", path: "/v1/books/dune", headers: header{"Authorization": "Bearer " + agentToken}, status: 403, reason: "ROLE_MISSING"},
		"a missing thing":                    {method: "GET", path: "/v1/books/missing", status: 404, reason: "BOOK_NOT_FOUND", text: `book "missing" does not exist`},
		"a used up quota":                    {method: "GET", path: "/v1/books/busy", status: 429, reason: "QUOTA", want: header{"Retry-After": "2"}},
		"a conflict":                         {method: "GET", path: "/v1/books/stale", status: 409, reason: "ETAG_MISMATCH"},
		"a conflict with If-Match":           {method: "GET", path: "/v1/books/stale", headers: header{"If-Match": `"1"`}, status: 412, reason: "ETAG_MISMATCH"},
		"another one with If-Match":          {method: "GET", path: "/v1/books/reused", headers: header{"If-Match": `"1"`}, status: 409, reason: "REQUEST_ID_REUSED"},
		"two ids for one request":            {method: "POST", path: "/v1/books", body: `{"requestId":"1"}`, headers: header{"Idempotency-Key": `"2"`}, status: 400, reason: "IDEMPOTENCY_AMBIGUOUS"},
		"a condition of no version":          {method: "GET", path: "/v1/books/whoami", headers: header{"If-Match": `""`}, status: 400, reason: "CONDITION_INVALID", text: "If-Match"},
		"a condition that is not ASCII":      {method: "GET", path: "/v1/books/whoami", headers: header{"If-Match": `"é"`}, status: 400, reason: "CONDITION_INVALID", text: "If-Match"},
		"an id that is not UTF-8":            {method: "POST", path: "/v1/books", body: `{}`, headers: header{"Idempotency-Key": "\xff"}, status: 400, reason: "IDEMPOTENCY_INVALID", text: "Idempotency-Key"},
		"two versions to be changed":         {method: "PATCH", path: "/v1/orders/1/book", body: `{"name":"whoami","etag":"2"}`, headers: header{"If-Match": `"3"`}, status: 400, reason: "CONDITION_AMBIGUOUS", text: "If-Match"},
		"a condition that cannot be held":    {method: "POST", path: "/v1/books", body: `{"book":{"name":"a"}}`, headers: header{"If-Match": `"1"`}, status: 400, reason: "CONDITION_UNSUPPORTED", text: "If-Match"},
		"a condition that nothing exists":    {method: "POST", path: "/v1/books", body: `{"book":{"name":"a"}}`, headers: header{"If-None-Match": "*"}, status: 400, reason: "CONDITION_UNSUPPORTED", text: "If-None-Match"},
		"another name in the body":           {method: "POST", path: "/v1/orders/1%2F2", body: `{"requestId":"2"}`, status: 400, reason: "PATH_AMBIGUOUS", text: `request_id: the path says "1/2" and the body "2"`},
		"a body that would be ignored":       {method: "GET", path: "/v1/books/dune", body: `{"viewMode":"x"}`, status: 400, reason: "BODY_UNSUPPORTED", text: "no body, only these query parameters: viewMode"},
		"an error of ours":                   {method: "GET", path: "/v1/books/broken", status: 500, reason: "INTERNAL", text: "internal error"},
		"a panic":                            {method: "GET", path: "/v1/books/panic", status: 500, reason: "INTERNAL", text: "internal error"},
		"a deadline of the caller":           {method: "GET", path: "/v1/books/slow", headers: header{"Grpc-Timeout": "10m"}, status: 504},
		"a deadline that is none":            {method: "GET", path: "/v1/books/dune", headers: header{"Grpc-Timeout": "soon"}, status: 400, reason: "INVALID_ARGUMENT", text: `Grpc-Timeout: "soon" is not a time`},
		"a deadline that is not UTF-8":       {method: "GET", path: "/v1/books/dune", headers: header{"Grpc-Timeout": "\xff"}, status: 400, reason: "INVALID_ARGUMENT", text: `"\xff" is not a time`},
		"a body that says it is too large":   {method: "POST", path: "/v1/books", body: strings.Repeat("x", 20<<20), status: 413, reason: "BODY_TOO_LARGE", text: "65536 bytes"},
		"another host":                       {method: "GET", path: "/v1/books/dune", headers: header{"Host": "evil.example"}, status: 421, reason: "HOST_DENIED"},
		"another host, at the health check":  {method: "GET", path: "/healthz", headers: header{"Host": "evil.example:80"}, status: 421, reason: "HOST_DENIED"},
		"another address":                    {method: "GET", path: "/v1/books/dune", headers: header{"Host": "192.0.2.1"}, status: 421, reason: "HOST_DENIED"},
		"a page of another origin":           {method: "POST", path: "/v1/books", body: `{}`, headers: header{"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}, status: 403, reason: "ORIGIN_DENIED"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resp, body := r.do(t, test.method, test.path, test.body, test.headers)
			if resp.StatusCode != test.status {
				t.Fatalf("%s %s = %d %s, want %d", test.method, test.path, resp.StatusCode, body, test.status)
			}
			if got := resp.Header.Get("Content-Type"); got != "application/json" {
				t.Errorf("%s %s Content-Type = %q, want JSON", test.method, test.path, got)
			}
			var e errorBody
			if err := json.Unmarshal([]byte(body), &e); err != nil || e.Code == 0 || e.Message == "" {
				t.Fatalf("%s %s = %s, want a google.rpc.Status", test.method, test.path, body)
			}
			if test.reason != "" && e.reason() != test.reason {
				t.Errorf("%s %s reason = %q, want %q", test.method, test.path, e.reason(), test.reason)
			}
			if !strings.Contains(e.Message, test.text) || strings.Contains(body, "hunter2") {
				t.Errorf("%s %s = %s, want %q in the message and nothing of ours", test.method, test.path, body, test.text)
			}
			for key, want := range test.want {
				if got := resp.Header.Get(key); got != want {
					t.Errorf("%s %s header %s = %q, want %q", test.method, test.path, key, got, want)
				}
			}
		})
	}
}

// TestAnErrorIsInTheEncodingOfTheRequest is for OTLP's exporters, which send protobuf and may read nothing else.
func TestAnErrorIsInTheEncodingOfTheRequest(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	for name, test := range map[string]struct {
		path, body string
		headers    header
		status     int
		says       string
	}{
		"a body that is too large": {"/v1/books", strings.Repeat("x", 20<<20), header{}, 413, "larger than"},
		"another host":             {"/v1/books", "", header{"Host": "evil.example"}, 421, "evil.example"},
		"no token":                 {"/v1/books", "", header{"Authorization": ""}, 401, "Authorization"},
		"nothing":                  {"/v2/books", "", header{}, 404, "there is nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.headers["Content-Type"] = "application/x-protobuf"
			resp, body := r.do(t, http.MethodPost, test.path, test.body, test.headers)
			st := &spb.Status{}
			if err := proto.Unmarshal([]byte(body), st); err != nil || !strings.Contains(st.GetMessage(), test.says) {
				t.Errorf("POST %s = %q, which is %v, %v, want a google.rpc.Status that says %q", test.path, body, st, err, test.says)
			}
			if got := resp.Header.Get("Content-Type"); resp.StatusCode != test.status || got != "application/x-protobuf" {
				t.Errorf("POST %s = %d %s, want %d in protobuf", test.path, resp.StatusCode, got, test.status)
			}
		})
	}
}

func TestRESTPassesWhatTheServiceMayKnow(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	tests := map[string]struct {
		method, path, body string
		headers            header
		want               map[string]any
		etag               string
	}{
		"a resource with its tag":      {"GET", "/v1/books/dune", "", nil, map[string]any{"name": "dune", "etag": "7"}, `"7"`},
		"a query parameter":            {"GET", "/v1/books/dune?viewMode=full", "", nil, map[string]any{"name": "dune", "etag": "7"}, `"7"`},
		"a body in proto names":        {"POST", "/v1/books", `{"book":{"name":"dune"},"request_id":"1"}`, nil, map[string]any{"name": "dune", "etag": "7"}, `"7"`},
		"a part of a parameter":        {"PATCH", "/v1/orders/1/book?source.shelfPlace=4", `{"name":"dune"}`, nil, map[string]any{"name": "dune", "etag": "7"}, `"7"`},
		"a condition on what changes":  {"PATCH", "/v1/orders/1/book", `{"name":"whoami"}`, header{"If-Match": `"3"`}, map[string]any{"name": "ann", "etag": "3"}, `"3"`},
		"the name of the path again":   {"POST", "/v1/orders/1%2F2", `{"requestId":"1/2","book":{"name":"dune"}}`, nil, map[string]any{"name": "dune", "etag": "7"}, `"7"`},
		"a body as deep as a schema":   {"POST", "/v1/books", `{"note":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + "}", nil, map[string]any{"etag": "7"}, `"7"`},
		"the same condition twice":     {"PATCH", "/v1/orders/1/book", `{"name":"whoami","etag":"3"}`, header{"If-Match": `"3"`}, map[string]any{"name": "ann", "etag": "3"}, `"3"`},
		"any version and one of them":  {"PATCH", "/v1/orders/1/book", `{"name":"whoami","etag":"3"}`, header{"If-Match": "*"}, map[string]any{"name": "ann", "etag": "*"}, `"*"`},
		"an empty body":                {"POST", "/v1/books", "", nil, map[string]any{"etag": "7"}, `"7"`},
		"the caller and the condition": {"GET", "/v1/books/whoami", "", header{"If-Match": `"3"`}, map[string]any{"name": "ann", "etag": "3"}, `"3"`},
		"a scheme in lower case":       {"GET", "/v1/books/whoami", "", header{"Authorization": "bearer " + readerToken}, map[string]any{"name": "ann"}, ""},
		"any version":                  {"GET", "/v1/books/whoami", "", header{"If-Match": "*"}, map[string]any{"name": "ann", "etag": "*"}, `"*"`},
		"a unary call that accepts events": {
			"GET", "/v1/books/dune", "", header{"Accept": "application/json, text/event-stream"}, map[string]any{"name": "dune", "etag": "7"}, `"7"`,
		},
		"nothing but the forwarded headers": {
			"GET", "/v1/books/metadata", "",
			header{"X-Request-Id": "1", "Cookie": "a=b", "Grpc-Metadata-X-Quorate-Principal": "admin", "Traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "X-Other": "1"},
			map[string]any{"name": "authorization traceparent x-forwarded-for x-forwarded-host x-request-id"},
			"",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resp, body := r.do(t, test.method, test.path, test.body, test.headers)
			var got map[string]any
			if err := json.Unmarshal([]byte(body), &got); err != nil || resp.StatusCode != http.StatusOK {
				t.Fatalf("%s %s = %d %s, want 200 and JSON", test.method, test.path, resp.StatusCode, body)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s %s differs (-want +got):\n%s", test.method, test.path, diff)
			}
			if tag := resp.Header.Get("ETag"); tag != test.etag {
				t.Errorf("%s %s ETag = %q, want %q", test.method, test.path, tag, test.etag)
			}
			if got := resp.Header.Get("Content-Type"); got != "application/json" {
				t.Errorf("%s %s Content-Type = %q, want JSON", test.method, test.path, got)
			}
		})
	}
}

func TestAChunkedBodyOverTheLimitIsRefused(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	endless := io.LimitReader(io.MultiReader(strings.NewReader(`{"requestId":"`), bytes.NewReader(bytes.Repeat([]byte("x"), 1<<20))), 1<<20)
	resp, body := r.send(t, r.request(t, http.MethodPost, "/v1/books", struct{ io.Reader }{endless}, nil))
	if resp.StatusCode != http.StatusRequestEntityTooLarge || !strings.Contains(body, "BODY_TOO_LARGE") {
		t.Errorf("POST chunked = %d %s, want 413", resp.StatusCode, body)
	}
}

func TestATraceOfTheCallerGoesOn(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	const trace = "0af7651916cd43dd8448eb211c80319c"
	r.do(t, http.MethodGet, "/v1/books/dune", "", header{"Traceparent": "00-" + trace + "-b7ad6b7169203331-01"})
	if want := `"trace_id":"` + trace + `"`; !strings.Contains(r.log.String(), want) {
		t.Errorf("log = %s, want %s in it", r.log, want)
	}
}

// TestTheAPIItselfIsNothing asks for the API's own path, which is answered and not redirected.
func TestTheAPIItselfIsNothing(t *testing.T) {
	r := start(t, nil)
	resp, err := http.DefaultTransport.RoundTrip(r.request(t, http.MethodGet, "/v1", http.NoBody, nil))
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusNotFound || !strings.Contains(string(body), "ROUTE_NOT_FOUND") {
		t.Errorf("GET /v1 = %d %s, want 404 and ROUTE_NOT_FOUND", resp.StatusCode, body)
	}
}
