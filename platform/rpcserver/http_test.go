package rpcserver_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/rpcserver"
)

type prepared = func(func(*rpcserver.Server))

func TestReadyShowsEachCheck(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		broken bool
		code   int
		body   string
	}{
		"as it should be": {false, 200, `{"status":"ready","checks":{"index":"ok","leases":"ok","store":"ok"}}`},
		"broken":          {true, 503, `{"status":"not ready","checks":{"index":"internal error","leases":"no lease yet","store":"ok"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, func(_ *rpcserver.Options, then prepared) {
				then(func(s *rpcserver.Server) {
					s.OnReady("store", func(context.Context) error { return nil })
					s.OnReady("index", func(context.Context) error {
						if test.broken {
							return errors.New("hunter2")
						}
						return nil
					})
					s.OnReady("leases", func(context.Context) error {
						if test.broken {
							return fault.New(fault.Unavailable, "NO_LEASE", "no lease yet")
						}
						return nil
					})
				})
			})
			resp, body := r.do(t, http.MethodGet, "/readyz", "", header{"Authorization": ""})
			if resp.StatusCode != test.code || strings.TrimSpace(body) != test.body {
				t.Errorf("GET /readyz = %d %s, want %d %s", resp.StatusCode, body, test.code, test.body)
			}
			if h := resp.Header; h.Get("Content-Type") != "application/json" || h.Get("Cache-Control") != "no-store" {
				t.Errorf("GET /readyz has the headers %v, want JSON that no proxy keeps", h)
			}
			if resp, body := r.do(t, http.MethodGet, "/healthz", "", header{"Authorization": ""}); resp.StatusCode != http.StatusOK {
				t.Errorf("GET /healthz = %d %s, want 200", resp.StatusCode, body)
			}
		})
	}
}

// TestManyWhoAskWhetherItIsReadyCostOneCheck has many ask at a time: a check reads the store, and anybody may ask.
func TestManyWhoAskWhetherItIsReadyCostOneCheck(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var checks atomic.Int32
		var broken atomic.Bool
		ready := rpcserver.Ready(func(context.Context) error {
			<-time.After(time.Millisecond)
			checks.Add(1)
			if broken.Load() {
				return errors.New("broken")
			}
			return nil
		})
		ask := func(n int) (answers map[int]int) {
			t.Helper()
			codes := make(chan int, n)
			for range n {
				go func() {
					w := httptest.NewRecorder()
					ready(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/readyz", http.NoBody))
					codes <- w.Code
				}()
			}
			answers = make(map[int]int)
			for range n {
				answers[<-codes]++
			}
			return answers
		}
		if got := ask(1000); got[http.StatusOK] != 1000 || checks.Load() != 1 {
			t.Errorf("1000 requests = %v after %d checks, want 200 after one", got, checks.Load())
		}
		broken.Store(true)
		<-time.After(2 * time.Second)
		if got := ask(10); got[http.StatusServiceUnavailable] != 10 || checks.Load() != 2 {
			t.Errorf("10 requests two seconds later = %v after %d checks, want 503 after one more", got, checks.Load())
		}
		gone, leave := context.WithCancel(t.Context())
		leave()
		broken.Store(false)
		<-time.After(2 * time.Second)
		ready(httptest.NewRecorder(), httptest.NewRequestWithContext(gone, http.MethodGet, "/readyz", http.NoBody))
		if got := ask(1); got[http.StatusOK] != 1 {
			t.Errorf("after a request of somebody who left = %v, want 200", got)
		}
	})
}

// TestACheckThatIsStuckIsToldOf has a check that waits for a disk that does not answer, which no context ends.
func TestACheckThatIsStuckIsToldOf(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var checks atomic.Int32
		var stuck atomic.Bool
		disk := make(chan struct{})
		ready := rpcserver.Ready(func(context.Context) error {
			checks.Add(1)
			if stuck.Load() {
				<-disk
			}
			return nil
		})
		ask := func() (code int, body string, took time.Duration) {
			w, began := httptest.NewRecorder(), time.Now()
			ready(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/readyz", http.NoBody))
			return w.Code, strings.TrimSpace(w.Body.String()), time.Since(began)
		}
		stuck.Store(true)
		const want = `{"status":"not ready","checks":{"check":"no answer within 2s"}}`
		for range 3 {
			if code, body, took := ask(); code != http.StatusServiceUnavailable || body != want || took > 3*time.Second {
				t.Errorf("GET /readyz = %d %s after %v, want 503 %s within about two seconds", code, body, took, want)
			}
			<-time.After(time.Second)
		}
		if checks.Load() != 1 {
			t.Errorf("%d checks wait for the disk, want one", checks.Load())
		}
		stuck.Store(false)
		close(disk)
		if code, body, _ := ask(); code != http.StatusOK {
			t.Errorf("GET /readyz = %d %s, want 200 once the disk answers", code, body)
		}
	})
}

// TestACheckThatEndsWithItsTimeIsToldOfAlike has one wait for a store over the network, whose error is that of its context.
func TestACheckThatEndsWithItsTimeIsToldOfAlike(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ready := rpcserver.Ready(func(ctx context.Context) error {
			<-ctx.Done()
			return fmt.Errorf("looking for the tables: %w", ctx.Err())
		})
		w := httptest.NewRecorder()
		ready(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/readyz", http.NoBody))
		const want = `{"status":"not ready","checks":{"check":"no answer within 2s"}}`
		if body := strings.TrimSpace(w.Body.String()); w.Code != http.StatusServiceUnavailable || body != want {
			t.Errorf("GET /readyz = %d %s, want 503 %s", w.Code, body, want)
		}
	})
}

func TestNoAnswerIsTakenForSomethingElse(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	for path, headers := range map[string]header{
		"/v1/books/dune": nil, "/v1/books/missing": nil, "/v1/books:watch?count=1": nil, "/v1/nothing": nil, "/nothing": nil, "/readyz": {"Host": "evil.example"},
	} {
		if resp, _ := r.do(t, http.MethodGet, path, "", headers); resp.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("GET %s with %v has X-Content-Type-Options %q, want nosniff", path, headers, resp.Header.Get("X-Content-Type-Options"))
		}
	}
}

func TestHeadIsAnsweredWhereGetIs(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	for _, path := range []string{"/healthz", "/readyz", "/v1/nothing", "/v1/books/dune"} {
		get, body := r.do(t, http.MethodGet, path, "", nil)
		head, none := r.do(t, http.MethodHead, path, "", nil)
		if head.StatusCode != get.StatusCode || head.Header.Get("Content-Type") != get.Header.Get("Content-Type") || none != "" || body == "" {
			t.Errorf("HEAD %s = %d %s %q, want %d %s as GET, and nothing behind it", path,
				head.StatusCode, head.Header.Get("Content-Type"), none, get.StatusCode, get.Header.Get("Content-Type"))
		}
	}
}

// TestHeadOfAStreamEnds asks for a stream that does not end, and for something else over the same connection.
func TestHeadOfAStreamEnds(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(r.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	const both = "HEAD /v1/books:watch?then=slow HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nAuthorization: Bearer " + readerToken + "\r\n\r\n" +
		"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
	if _, err := io.WriteString(conn, both); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(conn)
	for _, method := range []string{http.MethodHead, http.MethodGet} {
		resp, err := http.ReadResponse(in, &http.Request{Method: method})
		if err != nil {
			t.Fatalf("answer to %s = %v, want one", method, err)
		}
		if _ = resp.Body.Close(); resp.StatusCode != http.StatusOK {
			t.Errorf("answer to %s = %d, want 200", method, resp.StatusCode)
		}
	}
}

func TestMetricsCountTheCalls(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	r.do(t, http.MethodGet, "/v1/books/dune", "", nil)
	wants := []string{"rpc_server_call_duration_seconds", "http_server_request_duration_seconds", "test.v1.Library"}
	missing := func(want string) bool {
		_, body := r.do(t, http.MethodGet, "/metrics", "", header{"Authorization": ""})
		return !strings.Contains(body, want)
	}
	for give := time.Now().Add(time.Minute); slices.ContainsFunc(wants, missing); { // a call is counted after its answer
		if time.Now().After(give) {
			t.Fatalf("GET /metrics lacks one of %q for ten seconds", wants)
		}
	}
}

func TestAPlainHandlerIsBehindTheSameGuards(t *testing.T) {
	t.Parallel()
	whoami := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, _ := auth.FromContext(r.Context())
		_, _ = io.WriteString(w, p.Name)
	})
	r := start(t, func(_ *rpcserver.Options, then prepared) {
		then(func(s *rpcserver.Server) {
			s.Handle("/open", whoami)
			s.Handle("/any", s.Authenticated(whoami))
			s.Handle("/agents", s.Authenticated(whoami, auth.RoleAgent))
			s.Handle("/panic", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("hunter2") }))
			s.Handle("/read", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if _, err := io.ReadAll(r.Body); err != nil {
					http.Error(w, "too much", http.StatusRequestEntityTooLarge)
				}
			}))
			s.Handle("/", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
		})
	})
	big := strings.Repeat("x", 65<<10)
	tests := map[string]struct {
		path, token, body string
		status            int
		text              string
	}{
		"an open path":               {"/open", "", "", 200, ""},
		"any caller":                 {"/any", readerToken, "", 200, "ann"},
		"no caller":                  {"/any", "", "", 401, "TOKEN_MISSING"},
		"the right role":             {"/agents", agentToken, "", 200, "web"},
		"the wrong role":             {"/agents", readerToken, "", 403, "ROLE_MISSING"},
		"a panic":                    {"/panic", "", "", 500, "internal error"},
		"a body within the limit":    {"/read", "", "x", 200, ""},
		"a body over the limit":      {"/read", "", big, 413, "BODY_TOO_LARGE"},
		"a root of one's own":        {"/else", "", "", 418, ""},
		"the API below another root": {"/v1/nothing", readerToken, "", 404, "ROUTE_NOT_FOUND"},
	}
	t.Cleanup(func() { // after the subtests, which are parallel
		for _, want := range []string{"panic: hunter2", `"path":"/any","principal":"","reason":"TOKEN_MISSING"`, `"path":"/agents","principal":"ann","reason":"ROLE_MISSING"`} {
			if !strings.Contains(r.log.String(), want) {
				t.Errorf("log = %s, want %s in it", r.log, want)
			}
		}
	})
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			headers := header{"Authorization": ""}
			if test.token != "" {
				headers = header{"Authorization": "Bearer " + test.token}
			}
			resp, body := r.do(t, http.MethodPost, test.path, test.body, headers)
			if resp.StatusCode != test.status || !strings.Contains(body, test.text) || strings.Contains(body, "hunter2") {
				t.Errorf("POST %s = %d %s, want %d with %q", test.path, resp.StatusCode, body, test.status, test.text)
			}
		})
	}
}

func TestAPanicAfterAFlushCutsTheConnection(t *testing.T) {
	t.Parallel()
	r := start(t, func(_ *rpcserver.Options, then prepared) {
		then(func(s *rpcserver.Server) {
			s.Handle("/flush", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.(http.Flusher).Flush()
				panic("hunter2")
			}))
		})
	})
	resp, err := http.DefaultTransport.RoundTrip(r.request(t, http.MethodGet, "/flush", http.NoBody, nil))
	if err != nil {
		t.Fatalf("GET /flush = %v, want the answer that was flushed", err)
	}
	defer func() { _ = resp.Body.Close() }()
	if body, err := io.ReadAll(resp.Body); err == nil {
		t.Errorf("GET /flush = %d %s, want an answer that is cut off", resp.StatusCode, body)
	}
}

// TestAHandlerMayCutItsConnection has one panic as net/http tells handlers to, which is no bug.
func TestAHandlerMayCutItsConnection(t *testing.T) {
	t.Parallel()
	r := start(t, func(_ *rpcserver.Options, then prepared) {
		then(func(s *rpcserver.Server) {
			s.Handle("/cut", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
		})
	})
	if resp, err := http.DefaultTransport.RoundTrip(r.request(t, http.MethodPost, "/cut", http.NoBody, nil)); err == nil {
		_ = resp.Body.Close()
		t.Errorf("POST /cut = %d, want no answer", resp.StatusCode)
	}
	r.stop(t)
	if strings.Contains(r.log.String(), `"level":"ERROR"`) {
		t.Errorf("log = %s, want no error", r.log)
	}
}

func TestHostsThatAreAllowed(t *testing.T) {
	t.Parallel()
	loopback := start(t, func(o *rpcserver.Options, _ prepared) { o.AllowedHosts = []string{"Quorate.example:443"} })
	wildcard := start(t, func(o *rpcserver.Options, _ prepared) {
		_ = o.HTTPListener.Close()
		o.HTTPListener = listen(t, "0.0.0.0:0")
	})
	tests := map[string]struct {
		r    *running
		host string
		want int
	}{
		"localhost":                               {loopback, "localhost:1", 200},
		"localhost with a final dot":              {loopback, "LOCALHOST.", 200},
		"a loopback address":                      {loopback, "[::1]:1", 200},
		"a loopback address without a port":       {loopback, "[::1]", 200},
		"a name that was configured":              {loopback, "quorate.example", 200},
		"a longer name":                           {loopback, "quorate.example.evil.example", 421},
		"an address of a listener on all":         {wildcard, "10.0.0.7:8080", 200},
		"a name at a listener on all":             {wildcard, "evil.example", 421},
		"an address at a listener on loopback":    {loopback, "10.0.0.7:8080", 421},
		"a name that looks like a loopback":       {loopback, "127.0.0.1.evil.example", 421},
		"a name that was configured for another ": {wildcard, "quorate.example", 421},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if resp, body := test.r.do(t, http.MethodGet, "/v1/books/dune", "", header{"Host": test.host}); resp.StatusCode != test.want {
				t.Errorf("GET with host %s = %d %s, want %d", test.host, resp.StatusCode, body, test.want)
			}
		})
	}
}

// TestHeadersAreBounded sends more than 64 KiB of them to both ports.
func TestHeadersAreBounded(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	for size, want := range map[int]codes.Code{32 << 10: codes.OK, 100 << 10: codes.Internal} {
		long := strings.Repeat("x", size)
		ctx := metadata.AppendToOutgoingContext(as(t, readerToken), "x-long", long)
		if err := r.conn.Invoke(ctx, getBook, newMessage("GetBookRequest", "name", "dune"), newMessage("Book")); status.Code(err) != want {
			t.Errorf("GetBook() with %d bytes of metadata = %v, want %s", size, err, want)
		}
		wanted := http.StatusOK
		if want != codes.OK {
			wanted = http.StatusRequestHeaderFieldsTooLarge
		}
		if answer, text := r.do(t, http.MethodGet, "/healthz", "", header{"X-Long": long}); answer.StatusCode != wanted {
			t.Errorf("GET /healthz with %d bytes of headers = %d %s, want %d", size, answer.StatusCode, text, wanted)
		}
	}
}

func TestAStreamIsEventsOrLines(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	const notFound = `{"code":5,"message":"book \"missing\" does not exist","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"BOOK_NOT_FOUND","domain":"quorate","metadata":{"book":"missing"}}]}`
	tests := map[string]struct {
		query, accept, contentType, want string
	}{
		"events": {
			"count=2", "text/event-stream", "text/event-stream",
			"id: 1\ndata: {\"name\":\"b\",\"etag\":\"7\",\"sequence\":\"1\"}\n\nid: 2\ndata: {\"name\":\"b\",\"etag\":\"7\",\"sequence\":\"2\"}\n\n",
		},
		"events among other types": {
			"count=1", "text/event-stream;q=1, */*", "text/event-stream",
			"id: 1\ndata: {\"name\":\"b\",\"etag\":\"7\",\"sequence\":\"1\"}\n\n",
		},
		"events that end in an error": {
			"count=1&then=missing", "text/event-stream", "text/event-stream",
			"id: 1\ndata: {\"name\":\"b\",\"etag\":\"7\",\"sequence\":\"1\"}\n\nevent: error\ndata: " + notFound + "\n\n",
		},
		"lines": {
			"count=2", "", "application/json",
			"{\"result\":{\"name\":\"b\",\"etag\":\"7\",\"sequence\":\"1\"}}\n{\"result\":{\"name\":\"b\",\"etag\":\"7\",\"sequence\":\"2\"}}\n",
		},
		"an error before the first event": {"then=missing", "text/event-stream", "application/json", notFound},
		"an error before the first line":  {"then=missing", "", "application/json", notFound},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resp, body := r.do(t, http.MethodGet, "/v1/books:watch?"+test.query, "", header{"Accept": test.accept})
			// protojson puts a space after some colons and commas, at random.
			if got := strings.NewReplacer(`": `, `":`, `, "`, `,"`, `, {`, `,{`).Replace(body); got != test.want {
				t.Errorf("GET books:watch?%s = %q, want %q", test.query, got, test.want)
			}
			if got := resp.Header.Get("Content-Type"); got != test.contentType {
				t.Errorf("GET books:watch?%s Content-Type = %q, want %q", test.query, got, test.contentType)
			}
			kept, buffered := "", "" // what proxies are told about events
			if test.contentType == "text/event-stream" {
				kept, buffered = "no-store", "no"
			}
			if h := resp.Header; h.Get("Cache-Control") != kept || h.Get("X-Accel-Buffering") != buffered {
				t.Errorf("GET books:watch?%s has the headers %v, want Cache-Control %q and X-Accel-Buffering %q", test.query, h, kept, buffered)
			}
		})
	}
}

func TestASilentStreamShowsThatItIsAlive(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	resp, err := new(http.Client).Do(r.request(t, http.MethodGet, "/v1/books:watch?then=slow", http.NoBody, header{"Accept": "text/event-stream"}))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	lines := bufio.NewReader(resp.Body)
	if line, err := lines.ReadString('\n'); err != nil || line != ": alive\n" || resp.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("first line = %q, %v, want \": alive\"", line, err)
	}
	// Stopping ends the stream at once, and with an event that says so.
	begin := time.Now()
	r.cancel()
	rest, err := io.ReadAll(lines)
	if err != nil || !strings.Contains(string(rest), "event: error\ndata: ") {
		t.Errorf("rest of the stream = %q, %v, want an error event", rest, err)
	}
	err = <-r.done
	r.done <- err
	if took := time.Since(begin); err != nil || took > 5*time.Second {
		t.Errorf("Run() = %v after %v, want no error at once", err, took)
	}
}

func TestStoppingEndsEveryKindOfStream(t *testing.T) {
	t.Parallel()
	entered := make(chan struct{})
	r := start(t, func(_ *rpcserver.Options, then prepared) {
		then(func(s *rpcserver.Server) {
			s.Handle("/events", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				ctx, release := s.WhileAdmitted(r.Context(), r.Header, watchBooks)
				defer release()
				close(entered)
				<-ctx.Done()
			}))
		})
	})
	watch, err := grpc_health_v1.NewHealthClient(r.conn).Watch(t.Context(), &grpc_health_v1.HealthCheckRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := watch.Recv(); err != nil {
		t.Fatalf("Watch() = %v, want a first message", err)
	}
	plain := make(chan error, 1)
	req := r.request(t, http.MethodGet, "/events", http.NoBody, header{"Accept": "text/event-stream"})
	go func() {
		resp, err := new(http.Client).Do(req)
		if err == nil {
			err = resp.Body.Close()
		}
		plain <- err
	}()
	<-entered
	begin := time.Now()
	r.cancel()
	for err == nil {
		_, err = watch.Recv()
	}
	if status.Code(err) != codes.Unavailable && status.Code(err) != codes.Canceled {
		t.Errorf("Watch() ended with %v, want %v", err, codes.Unavailable)
	}
	if err := <-plain; err != nil {
		t.Errorf("GET /events = %v, want an answer", err)
	}
	err = <-r.done
	r.done <- err
	if took := time.Since(begin); err != nil || took > 5*time.Second {
		t.Errorf("Run() = %v after %v, want no error at once", err, took)
	}
}

// TestACallThatWouldTakeEventsMayFinish has a client say that it takes JSON and events, as those of A2A and MCP do, and get JSON when the server stops.
func TestACallThatWouldTakeEventsMayFinish(t *testing.T) {
	t.Parallel()
	entered, may := make(chan struct{}), make(chan struct{})
	r := start(t, func(_ *rpcserver.Options, then prepared) {
		then(func(s *rpcserver.Server) {
			s.Handle("/call", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				close(entered)
				<-may
				_, _ = fmt.Fprintf(w, "ended: %v", r.Context().Err())
			}))
		})
	})
	watch, err := grpc_health_v1.NewHealthClient(r.conn).Watch(t.Context(), &grpc_health_v1.HealthCheckRequest{})
	if err != nil {
		t.Fatal(err)
	}
	said := make(chan string)
	req := r.request(t, http.MethodGet, "/call", http.NoBody, header{"Accept": "application/json, text/event-stream"})
	go func() {
		var body []byte
		resp, err := new(http.Client).Do(req)
		if err == nil {
			body, err = io.ReadAll(resp.Body)
			_ = resp.Body.Close()
		}
		said <- fmt.Sprintf("%s, %v", body, err)
	}()
	<-entered
	r.cancel()
	for err == nil {
		_, err = watch.Recv()
	}
	close(may)
	if got := <-said; got != "ended: <nil>, <nil>" {
		t.Errorf("GET /call = %s, want it to end as if nothing was", got)
	}
}

func TestAStreamOfEventsSaysThatTheServerStops(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	resp, err := new(http.Client).Do(r.request(t, http.MethodGet, "/v1/books:watch?count=1000000000", http.NoBody, header{"Accept": "text/event-stream"}))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	r.cancel()
	var last string
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if lines.Text() != "" {
			last = lines.Text()
		}
	}
	if !strings.Contains(last, "STREAM_ENDED") || !strings.Contains(last, "connect again") {
		t.Errorf("GET /v1/books:watch ended with %q, want STREAM_ENDED", last)
	}
}

func TestConnWaitsForTheServer(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	book := newMessage("Book")
	if err := r.Conn().Invoke(as(t, readerToken), getBook, newMessage("GetBookRequest", "name", "dune"), book, grpc.WaitForReady(true)); err != nil {
		t.Fatalf("Invoke() = %v, want no error", err)
	}
	if got := get(book, "name").String(); got != "dune" {
		t.Errorf("GetBook() = %q, want dune", got)
	}
}

// unread is a body of so many bytes that are no JSON.
type unread struct{ left int }

func (u *unread) Read(p []byte) (int, error) {
	if u.left == 0 {
		return 0, io.EOF
	}
	n := min(len(p), u.left)
	u.left -= n
	return copy(p, bytes.Repeat([]byte("x"), n)), nil
}

// TestALargeBodyOfNobodyIsNotRead sends what would be refused for what it is, if anybody looked.
func TestALargeBodyOfNobodyIsNotRead(t *testing.T) {
	t.Parallel()
	r := start(t, func(o *rpcserver.Options, _ prepared) { o.MaxBodyBytes = 1 << 20 })
	for name, test := range map[string]struct {
		token  string
		size   int
		length bool
		code   int
	}{
		"small, of nobody":                 {"", 1 << 10, true, http.StatusBadRequest},
		"not small, of nobody":             {"", 2 << 10, true, http.StatusUnauthorized},
		"large, of nobody":                 {"", 512 << 10, true, http.StatusUnauthorized},
		"of nobody, and may be large":      {"", 1 << 10, false, http.StatusUnauthorized},
		"large, with a token that is none": {"Bearer x", 512 << 10, true, http.StatusUnauthorized},
		"large, of somebody":               {"Bearer " + readerToken, 512 << 10, true, http.StatusBadRequest},
	} {
		req := r.request(t, http.MethodPost, "/v1/books", &unread{test.size}, header{"Authorization": test.token, "Content-Type": "application/json"})
		if test.length {
			req.ContentLength = int64(test.size)
		}
		if answer, text := r.send(t, req); answer.StatusCode != test.code {
			t.Errorf("POST /v1/books, %s = %d %s, want %d", name, answer.StatusCode, text, test.code)
		}
	}
}
