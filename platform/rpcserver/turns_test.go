package rpcserver_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/rpcserver"
)

// large fills a request so that it needs a turn.
var large = strings.Repeat("x", 32<<10)

func largeBook(name string) *dynamicpb.Message {
	m := newMessage("CreateBookRequest", "request_id", large)
	m.Set(m.Descriptor().Fields().ByName("book"), protoreflect.ValueOfMessage(newMessage("Book", "name", name)))
	return m
}

func largeBody(name string) string {
	return `{"book":{"name":"` + name + `"},"requestId":"` + large + `"}`
}

// ways are the ways in which a large request can ask for a book; each returns whether there was one. A caller uses its tokens in turn, and writes them in another
// way each time.
func (r *running) ways(t *testing.T) map[string]func(ctx context.Context, name string) error {
	t.Helper()
	var uses atomic.Int64
	credential := func() string {
		n := int(uses.Add(1))
		return "Bearer" + strings.Repeat(" ", n) + []string{readerToken, secondToken}[n%2]
	}
	return map[string]func(context.Context, string) error{
		"gRPC": func(ctx context.Context, name string) error {
			return ended(r.conn.Invoke(metadata.AppendToOutgoingContext(ctx, "authorization", credential()), createBook, largeBook(name), newMessage("Book")))
		},
		"a stream": func(ctx context.Context, name string) error {
			stream, err := r.conn.NewStream(metadata.AppendToOutgoingContext(ctx, "authorization", credential()), &grpc.StreamDesc{ServerStreams: true}, watchBooks)
			if err != nil {
				return ended(err)
			}
			req := newMessage("WatchBooksRequest", "then", name)
			const unknown = 100
			req.SetUnknown(protowire.AppendString(protowire.AppendTag(nil, unknown, protowire.BytesType), large))
			_ = errors.Join(stream.SendMsg(req), stream.CloseSend()) // RecvMsg says what is wrong
			return ended(stream.RecvMsg(newMessage("Book")))
		},
		"REST": func(ctx context.Context, name string) error {
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url+"/v1/books", strings.NewReader(largeBody(name)))
			if err != nil {
				return err
			}
			req.Header.Set("Authorization", credential())
			resp, err := new(http.Client).Do(req)
			if err != nil {
				return err
			}
			defer func() { _ = resp.Body.Close() }()
			if text, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusOK {
				return errors.New(string(text))
			}
			return nil
		},
	}
}

// ended returns the error with which a call over gRPC has ended.
func ended(err error) error {
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case status.Code(err) == codes.DeadlineExceeded:
		return context.DeadlineExceeded
	}
	return err
}

func TestLargeRequestsWaitForTheirTurn(t *testing.T) {
	t.Parallel()
	r := start(t, func(o *rpcserver.Options, _ prepared) { o.MaxBodyBytes = 1 << 20 })
	ways := r.ways(t)
	var ends []func()
	for range max(2, runtime.GOMAXPROCS(0)) {
		_, end, err := r.TakeTurn(t.Context(), 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, end)
	}
	for name, create := range ways {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		if err := create(ctx, "b"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: a large request while others have all turns = %v, want that it waits", name, err)
		}
		cancel()
	}
	if resp, body := r.do(t, http.MethodPost, "/v1/books", `{"book":{"name":"b"}}`, nil); resp.StatusCode != http.StatusOK {
		t.Errorf("a small request meanwhile = %d %s, want 200", resp.StatusCode, body)
	}
	ends[0]()
	ends[0]() // which counts once
	for name, create := range ways {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		if err := create(ctx, "b"); err != nil {
			t.Errorf("%s: a large request when one turn is over = %v, want no error", name, err)
		}
		cancel()
	}
	for _, end := range ends {
		end()
	}
	if n := r.Turns(); n != 0 {
		t.Errorf("%d turns are remembered when all are over, want none", n)
	}
}

// TestACallerTakesOnlyAShareOfTheLine has requests wait that have 4 MiB in all: one caller may have half of that, two a third each.
func TestACallerTakesOnlyAShareOfTheLine(t *testing.T) {
	t.Parallel()
	for name := range (&running{}).ways(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, nil)
			for range max(2, runtime.GOMAXPROCS(0)) {
				if _, _, err := r.TakeTurn(t.Context(), 1<<20); err != nil {
					t.Fatal(err)
				}
			}
			create := r.ways(t)[name]
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			var waiting sync.WaitGroup
			defer waiting.Wait()
			defer cancel()
			results := make(chan error, 80)
			for range cap(results) { // 2.5 MiB
				waiting.Go(func() { results <- create(ctx, "b") })
			}
			if err := <-results; err == nil || !strings.Contains(err.Error(), "large requests waiting") {
				t.Errorf("the first result of 80 large requests that wait = %v, want that they are too many", err)
			}
			other, stop := context.WithTimeout(auth.NewContext(t.Context(), auth.Principal{Name: "web"}), 200*time.Millisecond)
			defer stop()
			if _, _, err := r.TakeTurn(other, 1<<20); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("a large request of another caller = %v, want that it waits", err)
			}
			another, end := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer end()
			req := r.request(t, http.MethodPost, "/v1/books", strings.NewReader(largeBody("b")), header{"Authorization": "Bearer " + agentToken})
			resp, err := new(http.Client).Do(req.WithContext(another))
			if err == nil {
				_ = resp.Body.Close()
			}
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("a large request of another caller over REST = %v, %v, want that it waits", resp, err)
			}
		})
	}
}

// TestOnlyDecodingTakesATurn has requests that their handlers keep, and some that are refused, before one more.
func TestOnlyDecodingTakesATurn(t *testing.T) {
	t.Parallel()
	r := start(t, func(o *rpcserver.Options, _ prepared) { o.MaxBodyBytes = 1 << 20 })
	ways := r.ways(t)
	ctx, cancel := context.WithCancel(t.Context())
	var open sync.WaitGroup
	defer open.Wait()
	defer cancel()
	for range 2 * runtime.GOMAXPROCS(0) {
		for _, create := range ways {
			open.Go(func() { _ = create(ctx, "slow") })
		}
		for _, body := range []string{largeBody("b") + "{", `{"book":1,"requestId":"` + large + `"}`, `{"stranger":"` + large + `"}`} {
			if resp, text := r.do(t, http.MethodPost, "/v1/books", body, nil); resp.StatusCode != http.StatusBadRequest {
				t.Errorf("a large body that is wrong = %d %.100s, want 400", resp.StatusCode, text)
			}
		}
		if resp, text := r.do(t, http.MethodPost, "/v1/books", strings.Repeat("x", 2<<20), nil); resp.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("a body that is too large = %d %.100s, want 413", resp.StatusCode, text)
		}
	}
	for name, create := range ways {
		if err := create(ctx, "b"); err != nil {
			t.Errorf("%s: a large request while handlers have many = %v, want no error", name, err)
		}
	}
}

// TestAStreamWhoseRequestWasReadKeepsNoTurn has more streams open than there are turns, as messages over A2A that are answered by events.
func TestAStreamWhoseRequestWasReadKeepsNoTurn(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	ctx, cancel := context.WithTimeout(as(t, readerToken), time.Minute)
	defer cancel()
	for n := range 2 * max(2, runtime.GOMAXPROCS(0)) {
		turn, end, err := r.TakeTurn(ctx, 1<<20)
		if err != nil {
			t.Fatalf("TakeTurn() while %d streams are open = %v, want no error", n, err)
		}
		defer end()
		watch(turn, t, r.Conn(), newMessage("WatchBooksRequest", "then", "slow"))
	}
}

// TestALargeRequestThatIsRefusedGivesItsTurnBack has requests read that no handler gets. Their turns would be missed by everybody.
func TestALargeRequestThatIsRefusedGivesItsTurnBack(t *testing.T) {
	t.Parallel()
	r := start(t, func(o *rpcserver.Options, _ prepared) { o.MaxBodyBytes = 1 << 20 })
	unreadable := newMessage("CreateBookRequest", "request_id", large)
	unreadable.SetUnknown([]byte("\x0a\x03ab")) // a book that ends early
	for name, x := range map[string]struct {
		token   string
		request *dynamicpb.Message
		want    codes.Code
	}{
		"of a caller who may not": {agentToken, largeBook("dune"), codes.PermissionDenied},
		"that cannot be read":     {readerToken, unreadable, codes.InvalidArgument},
	} {
		if err := r.conn.Invoke(as(t, x.token), createBook, x.request, newMessage("Book")); status.Code(err) != x.want {
			t.Errorf("a large request %s = %v, want %s", name, err, x.want)
		}
		if n := r.Turns(); n != 0 {
			t.Fatalf("%d turns are taken after a large request %s, want none", n, name)
		}
	}
}
