package http1_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/platform/logtest"
	"github.com/quorate/quorate/platform/pause"
)

// TestAHandlerLearnsThatItsCallerLeft uses TCP, where a caller can disconnect in more than one way.
func TestAHandlerLearnsThatItsCallerLeft(t *testing.T) {
	t.Parallel()
	began, ended := make(chan struct{}), make(chan error)
	address := serveTCP(t, newServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		began <- struct{}{}
		select {
		case <-r.Context().Done():
			ended <- r.Context().Err()
		case <-time.After(patience):
			ended <- nil
		}
	}), new(logtest.Buffer)))
	for range 2 { // the second time after an ordinary request
		conn := dial(t, "tcp", address)
		send(t, conn, post("/", "x"))
		<-began
		_ = conn.Close()
		if err := <-ended; err != context.Canceled { //nolint:errorlint // exactly this
			t.Errorf("the context of a request whose caller left has %v, want %v", err, context.Canceled)
		}
	}
}

func TestAnAnswerThatCannotBeWrittenEndsTheRequest(t *testing.T) {
	t.Parallel()
	ended := make(chan error, 1)
	address := serveTCP(t, newServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		var err error
		for err == nil {
			_ = control.SetWriteDeadline(time.Now().Add(10 * time.Millisecond))
			_, err = w.Write(make([]byte, 64<<10))
		}
		if _, again := w.Write([]byte("more")); again == nil {
			err = nil
		}
		if r.Context().Err() == nil {
			err = nil
		}
		ended <- err
	}), new(logtest.Buffer)))
	conn := dial(t, "tcp", address)
	send(t, conn, get("/"))
	if err := <-ended; err == nil {
		t.Error("Write() to a caller that does not read = nil or goes on, want an error and the end of the context")
	}
}

// TestWhatACallerSendsAheadIsKept uses handlers that run for about watchAfter, so that the end of the handler and the beginning of the watch come in every order.
func TestWhatACallerSendsAheadIsKept(t *testing.T) {
	t.Parallel()
	const watched = 50 * time.Millisecond
	for _, takes := range []time.Duration{0, watched - 1, watched, watched + 1, time.Second} {
		for _, ahead := range []time.Duration{0, watched - 1, watched, watched + 1, 2 * time.Second} {
			synctest.Test(t, func(t *testing.T) {
				l := inMemory(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if err := pause.For(r.Context(), takes); err != nil {
						t.Errorf("the context of a request ended after less than %s: %v", takes, err)
					}
					tell(w, r)
				}))
				conn, in := l.connect(t)
				for range 3 {
					send(t, conn, post("/1", "x"))
					time.AfterFunc(ahead, func() {
						_, _ = io.WriteString(conn, "G")
						_, _ = io.WriteString(conn, get("/2")[1:])
					})
					for _, want := range []string{"200 http1:POST /1 x", "200 http1:GET /2 "} {
						if got := receive(in); got != want {
							t.Fatalf("a handler of %s and a request after %s: got %q, want %q", takes, ahead, got, want)
						}
					}
				}
			})
		}
	}
}

func TestEventsComeOneByOne(t *testing.T) {
	t.Parallel()
	left := make(chan error, 1)
	synctest.Test(t, func(t *testing.T) {
		l := inMemory(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			tick := time.NewTicker(time.Second)
			defer tick.Stop()
			for {
				_, _ = io.WriteString(w, "data: x\n\n")
				_ = http.NewResponseController(w).Flush()
				select {
				case <-tick.C:
				case <-r.Context().Done():
					left <- r.Context().Err()
					return
				}
			}
		}))
		conn, in := l.connect(t)
		send(t, conn, get("/"))
		resp, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		begin, events := time.Now(), bufio.NewReader(resp.Body)
		for n := range 5 {
			line, err := events.ReadString('\n')
			if _, blank := events.ReadString('\n'); line != "data: x\n" || err != nil || blank != nil || time.Since(begin) != time.Duration(n)*time.Second {
				t.Fatalf("event %d = %q, %v after %s", n, line, err, time.Since(begin))
			}
		}
		_ = conn.Close()
		synctest.Wait()
		if err := <-left; err == nil {
			t.Error("the context of a stream whose caller left has not ended")
		}
	})
}

// TestWhatACallerSendsAheadIsBounded has a caller send requests as fast as the server reads them, and handlers run for so long that the connection is watched. The
// requests have the size by which buffers grow.
func TestWhatACallerSendsAheadIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const answers, most, size = 12, 512 << 10, 8 << 10
		l := inMemory(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_ = pause.For(r.Context(), time.Second) // it ends early when the caller leaves
		}))
		conn, in := l.connect(t)
		request := post("/", strings.Repeat("x", 8000))
		request = post("/"+strings.Repeat("x", size-len(request)), strings.Repeat("x", 8000))
		sent := make(chan int)
		go func() {
			total, many := 0, strings.Repeat(request, 1000)
			for {
				n, err := io.WriteString(conn, many)
				if total += n; err != nil {
					sent <- total
					return
				}
			}
		}()
		for range answers {
			if got := receive(in); got != "200 " {
				t.Fatalf("the answer to one of many requests = %q, want 200", got)
			}
		}
		_ = conn.Close()
		if total := <-sent; total > most {
			t.Errorf("the server has read %d bytes for %d answers, want %d at most", total, answers, most)
		}
		if err := pause.For(t.Context(), time.Minute); err != nil { // the last handler finds that its caller has left
			t.Error(err)
		}
	})
}
