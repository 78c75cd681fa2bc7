package http1_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/platform/logtest"
)

// takeTime is a handler that takes a minute, two if net/http serves the request, three for /long, and until the request ends for /forever. For /stream it begins
// the response at once.
func takeTime(w http.ResponseWriter, r *http.Request) {
	after := time.After(time.Minute)
	if _, ok := w.(http.Hijacker); ok {
		after = time.After(2 * time.Minute)
	}
	switch r.URL.Path {
	case "/forever":
		after = nil
	case "/long":
		after = time.After(3 * time.Minute)
	case "/stream":
		w.(http.Flusher).Flush()
	}
	select {
	case <-after:
		tell(w, r)
	case <-r.Context().Done():
	}
}

func TestAServerThatStopsLetsRequestsEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, s := newPipes(), newServer(http.HandlerFunc(takeTime), new(logtest.Buffer))
		run(t, s, l)
		_, fresh := l.connect(t)
		used, usedIn := l.connect(t)
		send(t, used, get("/1"))
		_ = receive(usedIn)
		begun, begunIn := l.connect(t)
		send(t, begun, "GET /2")
		active, activeIn := l.connect(t)
		send(t, active, get("/3")+get("/never"))
		stream, streamIn := l.connect(t)
		send(t, stream, get("/stream"))
		odd, oddIn := l.connect(t)
		send(t, odd, "PUT /4 HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
		long, longIn := l.connect(t)
		send(t, long, get("/long"))
		synctest.Wait()

		begin, stopped := time.Now(), make(chan time.Duration, 1)
		go func() {
			if err := s.Shutdown(t.Context()); err != nil {
				t.Errorf("Shutdown() = %v, want no error", err)
			}
			stopped <- time.Since(begin)
		}()
		for name, in := range map[string]io.Reader{"that is new": fresh, "that was used": usedIn, "with half a request": begunIn} {
			if rest, err := io.ReadAll(in); len(rest) > 0 || err != nil || time.Since(begin) > time.Second {
				t.Errorf("a connection %s ends after %s with %q, %v, want at once and with nothing", name, time.Since(begin), rest, err)
			}
		}
		if got, want := receive(activeIn), "200 http1:GET /3  and closes"; got != want {
			t.Errorf("the answer to a request that was under way is %q, want %q", got, want)
		}
		if got, want := receive(streamIn), "200 GET /stream "; got != want {
			t.Errorf("the answer to a request whose answer had begun is %q, want %q", got, want)
		}
		if got := receive(streamIn); got != "no answer" || time.Since(begin) != time.Minute {
			t.Errorf("behind it came %q after %s, want the end at once", got, time.Since(begin))
		}
		if got, want := receive(oddIn), "200 net/http:PUT /4  and closes"; got != want {
			t.Errorf("the answer to a request that was under way is %q, want %q", got, want)
		}
		if got, want := receive(longIn), "200 http1:GET /long  and closes"; got != want {
			t.Errorf("the answer to the longest request is %q, want %q", got, want)
		}
		if got := receive(activeIn); got != "no answer" {
			t.Errorf("the answer to a request behind it is %q, want none", got)
		}
		if took := <-stopped; took != 3*time.Minute {
			t.Errorf("Shutdown() took %s, want it to end with the last answer", took)
		}
	})
}

func TestAServerThatMustStopCutsRequestsOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, s := newPipes(), newServer(http.HandlerFunc(takeTime), new(logtest.Buffer))
		run(t, s, l)
		conn, in := l.connect(t)
		send(t, conn, get("/forever"))
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := s.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Shutdown() = %v, want %v", err, context.DeadlineExceeded)
		}
		if err := s.Close(); err != nil {
			t.Errorf("Close() = %v, want no error", err)
		}
		if got := receive(in); got != "no answer" {
			t.Errorf("a request that is cut off gets %q, want nothing", got)
		}
	})
}

func TestAServerThatWasStoppedServesNothing(t *testing.T) {
	t.Parallel()
	s := newServer(tell, new(logtest.Buffer))
	if err := s.Shutdown(t.Context()); err != nil {
		t.Errorf("Shutdown() = %v, want no error", err)
	}
	l := newPipes()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		t.Errorf("Serve() after Shutdown = %v, want %v", err, http.ErrServerClosed)
	}
	if _, err := l.Accept(); err == nil {
		t.Error("the listener is still open")
	}
}
