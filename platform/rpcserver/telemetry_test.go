package rpcserver_test

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	diff "github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	apitrace "go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc/metadata"

	"github.com/quorate/quorate/platform/rpcserver"
)

var update = flag.Bool("update", false, "write what the servers report to testdata")

// TestWhatAnOperatorSeesOfACall holds the names, kinds, attributes, statuses, buckets and units that dashboards are made of.
func TestWhatAnOperatorSeesOfACall(t *testing.T) {
	t.Parallel()
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-"
	rest := func(method, path, body string, headers header) func(*testing.T, *running) {
		return func(t *testing.T, r *running) {
			t.Helper()
			req := r.request(t, method, path, strings.NewReader(body), headers)
			if body == "" {
				req = r.request(t, method, path, http.NoBody, headers)
			}
			if resp, err := http.DefaultTransport.RoundTrip(req); err == nil { // an error is one of the cases
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
			}
		}
	}
	rpc := func(method, book string, pairs ...string) func(*testing.T, *running) {
		return func(t *testing.T, r *running) {
			t.Helper()
			ctx := metadata.AppendToOutgoingContext(t.Context(), pairs...)
			_ = r.conn.Invoke(ctx, method, newMessage("GetBookRequest", "name", book), newMessage("Book")) // an error is one of the cases
		}
	}
	traced := append(bearer(readerToken), "traceparent", parent+"01", "tracestate", "a=b", "baggage", "user=ann")
	tests := map[string]func(*testing.T, *running){
		"rest-ok":             rest(http.MethodGet, "/v1/books/dune", "", header{"traceparent": parent + "01", "tracestate": "a=b"}),
		"rest-not-sampled":    rest(http.MethodGet, "/v1/books/dune", "", header{"traceparent": parent + "00"}),
		"rest-body":           rest(http.MethodPost, "/v1/books", `{"book":{"name":"dune"}}`, nil),
		"rest-client-error":   rest(http.MethodGet, "/v1/books/missing", "", nil),
		"rest-server-error":   rest(http.MethodGet, "/v1/books/broken", "", nil),
		"rest-stream":         rest(http.MethodGet, "/v1/books:watch?count=3", "", header{"Accept": "text/event-stream"}),
		"http-unknown-path":   rest(http.MethodGet, "/nothing?secret=1", "", nil),
		"http-plain":          rest(http.MethodPost, "/plain/7", "hello", header{"X-Forwarded-For": "192.0.2.1, 192.0.2.2", "User-Agent": "me"}),
		"http-panic":          rest(http.MethodPost, "/panic", "hello", nil),
		"http-late-panic":     rest(http.MethodGet, "/late-panic", "", nil),
		"http-head":           rest(http.MethodHead, "/plain/7", "", nil),
		"http-unknown-method": rest("BREW", "/plain/7", "", nil),
		"http-lower-method":   rest("get", "/plain/7", "", nil),
		"http-denied-host":    rest(http.MethodGet, "/plain/7", "", header{"Host": "evil.example:81"}),
		"http-not-observed": func(t *testing.T, r *running) {
			t.Helper()
			for _, path := range []string{"/healthz", "/readyz", "/metrics"} {
				rest(http.MethodGet, path, "", nil)(t, r)
			}
		},
		"grpc-ok":              rpc(getBook, "dune", traced...),
		"grpc-root":            rpc(getBook, "dune", bearer(readerToken)...),
		"grpc-client-error":    rpc(getBook, "missing", bearer(readerToken)...),
		"grpc-server-error":    rpc(getBook, "broken", bearer(readerToken)...),
		"grpc-unknown-code":    rpc(getBook, "odd", bearer(readerToken)...),
		"grpc-panic":           rpc(getBook, "panic", bearer(readerToken)...),
		"grpc-unauthenticated": rpc(getBook, "dune"),
		"grpc-too-large":       rpc(getBook, strings.Repeat("a", 65<<10), bearer(readerToken)...),
		"grpc-unknown-method":  rpc("/test.v1.Library/BurnBook", "dune", bearer(readerToken)...),
		"grpc-unknown-service": rpc("/test.v1.Fire/BurnBook", "dune", bearer(readerToken)...),
		"grpc-health":          rpc("/grpc.health.v1.Health/Check", ""),
		"grpc-stream": func(t *testing.T, r *running) {
			t.Helper()
			stream := watch(as(t, readerToken), t, r.conn, newMessage("WatchBooksRequest", "then", "missing"))
			_ = stream.RecvMsg(newMessage("Book")) // what ended the stream is one of the cases
		},
	}
	for name, call := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, spans, metrics := startRecorded(t)
			call(t, r)
			r.stop(t)
			got := describeSpans(spans.Ended()) + describeMetrics(t, metrics)
			golden := filepath.Join("testdata", "telemetry", name+".txt")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if difference := diff.Diff(string(want), got); difference != "" {
				t.Errorf("spans and metrics of the call differ from %s, (-want +got):\n%s", golden, difference)
			}
		})
	}
}

// startRecorded is start with everything that the server reports.
func startRecorded(t *testing.T) (*running, *tracetest.SpanRecorder, metric.Reader) {
	t.Helper()
	spans, metrics := tracetest.NewSpanRecorder(), metric.NewManualReader()
	r := start(t, func(o *rpcserver.Options, then prepared) {
		o.Telemetry.TracerProvider = trace.NewTracerProvider(trace.WithSpanProcessor(spans))
		o.Telemetry.MeterProvider = metric.NewMeterProvider(metric.WithReader(metrics))
		then(handlePlain)
	})
	return r, spans, metrics
}

// handlePlain adds handlers that REST knows nothing of.
func handlePlain(s *rpcserver.Server) {
	s.Handle("/plain/{id}", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(w, r.Body)
	}))
	s.Handle("/panic", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("hunter2") }))
	s.Handle("/late-panic", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "so far")
		panic("hunter2")
	}))
}

func TestAHandlerSeesTheTraceAndTheBaggageOfItsCaller(t *testing.T) {
	t.Parallel()
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	const want = "0af7651916cd43dd8448eb211c80319c a=b user=ann"
	r := start(t, nil)
	_, body := r.do(t, http.MethodGet, "/v1/books/trace", "", header{"traceparent": parent, "tracestate": "a=b", "baggage": "user=ann"})
	if !strings.Contains(body, want) {
		t.Errorf("GET /v1/books/trace = %s, want %q in it", body, want)
	}
	ctx := metadata.AppendToOutgoingContext(as(t, readerToken), "traceparent", parent, "tracestate", "a=b", "baggage", "user=ann")
	book := newMessage("Book")
	if err := r.conn.Invoke(ctx, getBook, newMessage("GetBookRequest", "name", "trace"), book); err != nil {
		t.Fatal(err)
	}
	if got := get(book, "name").String(); got != want {
		t.Errorf("GetBook(trace) = %q, want %q", got, want)
	}
}

// TestAStrangerInventsNoSeries varies what callers are free to choose. Of each instrument, metrics keep 2,000 series, and what comes later counts as one.
func TestAStrangerInventsNoSeries(t *testing.T) {
	t.Parallel()
	r, _, metrics := startRecorded(t)
	for i := range 10 {
		for _, line := range []string{fmt.Sprintf("BREW%d /plain/7 HTTP/1.1", i), fmt.Sprintf("BREW /plain/%d HTTP/1.1", i), fmt.Sprintf("BREW /plain/7 HTTP/1.%d", max(1, i))} {
			conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(r.url, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := fmt.Fprintf(conn, "%s\r\nHost: localhost:%d\r\nConnection: close\r\n\r\n", line, 1000+i); err != nil {
				t.Fatal(err)
			}
			if answer, err := io.ReadAll(conn); err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 200 ") {
				t.Errorf("%s = %q, %v, want 200", line, answer, err)
			}
			if err := conn.Close(); err != nil {
				t.Errorf("Close() = %v, want nil", err)
			}
		}
	}
	r.stop(t)
	if text := describeMetrics(t, metrics); strings.Count(text, "metric ") != 3 || strings.Count(text, "count 30") != 3 {
		t.Errorf("30 requests that differ in what callers invent = metrics\n%s, want one series of each of three instruments", text)
	}
}

// stop ends the server, after which what it reports of its calls is complete.
func (r *running) stop(t *testing.T) {
	t.Helper()
	r.cancel()
	err := <-r.done
	if err != nil {
		t.Errorf("Run() = %v, want no error", err)
	}
	r.done <- err
}

// describeSpans returns a paragraph for each span, parents before their children.
func describeSpans(spans []trace.ReadOnlySpan) string {
	names := map[apitrace.SpanID]string{{}: "none"}
	for _, s := range spans {
		names[s.SpanContext().SpanID()] = "the " + s.SpanKind().String() + " span " + s.Name()
	}
	slices.SortFunc(spans, func(a, b trace.ReadOnlySpan) int {
		return cmp.Or(a.StartTime().Compare(b.StartTime()), cmp.Compare(a.SpanKind(), b.SpanKind()))
	})
	var b strings.Builder
	for _, s := range spans {
		parent, ok := names[s.Parent().SpanID()]
		if !ok {
			parent = fmt.Sprintf("%s of %s, remote %t", s.Parent().SpanID(), s.Parent().TraceID(), s.Parent().IsRemote())
		}
		fmt.Fprintf(&b, "%s span %s\n\tparent %s\n\tstatus %s %q\n", s.SpanKind(), s.Name(), parent, s.Status().Code, s.Status().Description)
		if state := s.SpanContext().TraceState(); state.Len() > 0 {
			fmt.Fprintf(&b, "\ttracestate %s\n", state)
		}
		for _, e := range s.Events() {
			fmt.Fprintf(&b, "\tevent %s\n", e.Name)
		}
		b.WriteString(describeAttributes(attribute.NewSet(s.Attributes()...)))
	}
	return b.String()
}

// describeMetrics returns a paragraph for each series of each instrument.
func describeMetrics(t *testing.T, reader metric.Reader) string {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := reader.Collect(context.WithoutCancel(t.Context()), &all); err != nil {
		t.Fatal(err)
	}
	var series []string
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			about := fmt.Sprintf("metric %s in %s: %s\n", m.Name, m.Unit, m.Description)
			switch data := m.Data.(type) {
			case metricdata.Histogram[float64]:
				for _, p := range data.DataPoints {
					if p.Sum <= 0 || p.Sum > 60 {
						t.Errorf("%s took %v seconds, want more than none and less than a minute", m.Name, p.Sum)
					}
					series = append(series, fmt.Sprintf("%s\tbuckets %v\n\tcount %d\n%s", about, p.Bounds, p.Count, describeAttributes(p.Attributes)))
				}
			case metricdata.Histogram[int64]:
				for _, p := range data.DataPoints {
					series = append(series, fmt.Sprintf("%s\tbuckets %v\n\tcount %d, sum %s\n%s", about, p.Bounds, p.Count, size(p.Sum), describeAttributes(p.Attributes)))
				}
			default:
				t.Fatalf("metric %s is a %T, want a histogram", m.Name, m.Data)
			}
		}
	}
	slices.Sort(series)
	return strings.Join(series, "")
}

// describeAttributes returns a line for each attribute. Ports are another each time.
func describeAttributes(set attribute.Set) string {
	var b strings.Builder
	for _, a := range set.ToSlice() {
		value := fmt.Sprintf("%#v", a.Value.AsInterface())
		switch {
		case strings.HasSuffix(string(a.Key), ".port") && a.Value.AsInt64() > 1024:
			value = "a port"
		case strings.HasSuffix(string(a.Key), ".size"):
			value = size(a.Value.AsInt64())
		}
		fmt.Fprintf(&b, "\t%s = %s\n", a.Key, value)
	}
	return b.String()
}

// size is n, unless it is that of JSON: protojson puts a space after some colons and commas, at random.
func size(n int64) string {
	if n > 10 {
		return "more than 10"
	}
	return strconv.FormatInt(n, 10)
}
