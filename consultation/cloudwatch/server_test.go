package cloudwatch_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/quorate/quorate/consultation/cloudwatch"
)

// server answers as AWS documents CloudWatch Logs: it is not AWS, and what AWS does otherwise no test here sees.
type server struct {
	*httptest.Server
	mu       sync.Mutex
	spans    []string          // guarded by mu; as X-Ray writes them into the log group
	queries  map[string]string // guarded by mu; by id
	running  int               // guarded by mu; how often a query is still under way when it is asked for
	status   string            // guarded by mu; of a query that is not
	stopped  int               // guarded by mu
	group    string            // guarded by mu; log group that is asked; empty: the one of X-Ray
	override string            // guarded by mu; results in the place of those that there are
}

func newServer(t *testing.T) *server {
	t.Helper()
	s := &server{queries: make(map[string]string), status: "Complete"}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			QueryString, QueryID, LogGroupName string
			Limit                              int
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			t.Errorf("reading a request = %v", err)
		}
		w.Header().Set("Content-Type", "application/x-amz-json-1.1")
		s.mu.Lock()
		defer s.mu.Unlock()
		switch _, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), "."); operation {
		case "StartQuery":
			if want := cmp.Or(s.group, "aws/spans"); in.LogGroupName != want || in.Limit != 257 { // one more than are taken
				t.Errorf("StartQuery asks the group %q for %d spans, want %s and 257", in.LogGroupName, in.Limit, want)
			}
			id := fmt.Sprintf("q%d", len(s.queries))
			s.queries[id] = in.QueryString
			_, _ = fmt.Fprintf(w, `{"queryId":%q}`, id)
		case "GetQueryResults":
			_, _ = w.Write([]byte(s.results(in.QueryID)))
		case "StopQuery":
			s.stopped++
			_, _ = w.Write([]byte(`{"success":true}`))
		default:
			w.WriteHeader(http.StatusBadRequest)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// results answers a query of the one form that it knows. The caller has locked s.
func (s *server) results(id string) string {
	if s.running > 0 {
		s.running--
		return `{"status":"Running","results":[]}`
	}
	if s.override != "" {
		return fmt.Sprintf(`{"status":%q,"results":%s}`, s.status, s.override)
	}
	var trace, name string
	if _, err := fmt.Sscanf(s.queries[id], "fields @message | filter traceId = %q and name = %q", &trace, &name); err != nil {
		return `{"status":"Failed"}`
	}
	var rows []string
	for _, text := range s.spans {
		var one struct{ TraceID, Name string }
		if err := json.Unmarshal([]byte(text), &one); err == nil && one.TraceID == trace && one.Name == name {
			message, _ := json.Marshal(text) //nolint:errchkjson // a string
			rows = append(rows, fmt.Sprintf(`[{"field":"@message","value":%s},{"field":"@ptr","value":"p"}]`, message))
		}
	}
	return fmt.Sprintf(`{"status":%q,"results":[%s]}`, s.status, strings.Join(rows, ","))
}

// write puts spans into the log group in X-Ray's form.
func (s *server) write(t *testing.T, traces ptrace.Traces) {
	t.Helper()
	for _, rs := range traces.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, one := range ss.Spans().All() {
				text, err := json.Marshal(map[string]any{
					"traceId": one.TraceID().String(), "spanId": one.SpanID().String(), "parentSpanId": one.ParentSpanID().String(), "name": one.Name(),
					"kind": "INTERNAL", "durationNano": 100, "resource": map[string]any{"attributes": flat(rs.Resource().Attributes())},
					"attributes": flat(one.Attributes()), "status": map[string]string{"code": "UNSET"},
				})
				if err != nil {
					t.Fatalf("Marshal() = %v, want no error", err)
				}
				s.mu.Lock()
				s.spans = append(s.spans, string(text))
				s.mu.Unlock()
			}
		}
	}
}

// flat returns attributes as an object; a key that occurs twice has one value in it, as it would have in the log.
func flat(attributes pcommon.Map) map[string]any {
	object := make(map[string]any)
	for key, value := range attributes.All() {
		object[key] = value.AsRaw()
	}
	return object
}

// traces is a client of s.
func (s *server) traces(t *testing.T, c cloudwatch.Config) *cloudwatch.Traces {
	t.Helper()
	c.Region, c.Endpoint = "eu-central-1", s.URL
	traces, err := cloudwatch.Open(t.Context(), c)
	if err != nil {
		t.Fatalf("Open() = %v, want no error", err)
	}
	return traces
}
