package rpcserver_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/quorate/quorate/platform/logtest"
	"github.com/quorate/quorate/platform/rpcserver"
)

// deadlines notes until when each write may take.
type deadlines struct {
	*httptest.ResponseRecorder

	last    time.Time
	flushed bool
}

func (d *deadlines) SetWriteDeadline(t time.Time) error {
	d.last = t
	return nil
}

func (d *deadlines) FlushError() error {
	d.flushed = true
	return nil
}

// TestWhoDoesNotReadIsCutOff holds that each write may take half a minute, and not the whole answer, which may be a stream of days.
func TestWhoDoesNotReadIsCutOff(t *testing.T) {
	t.Parallel()
	s, err := rpcserver.New(options(t, new(logtest.Buffer)))
	if err != nil {
		t.Fatal(err)
	}
	w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	within := func(what string, begin time.Time) {
		t.Helper()
		if first, last := begin.Add(30*time.Second), time.Now().Add(30*time.Second); w.last.Before(first) || w.last.After(last) {
			t.Errorf("%s may take until %s, want half a minute: from %s to %s", what, w.last, first, last)
		}
	}
	var ended time.Time
	s.Handle("/answer", http.HandlerFunc(func(under http.ResponseWriter, _ *http.Request) {
		begin := time.Now()
		_, _ = io.WriteString(under, "so far") // a recorder takes everything
		within("Write()", begin)
		w.last, begin = time.Time{}, time.Now()
		if err := http.NewResponseController(under).Flush(); err != nil || !w.flushed {
			t.Errorf("Flush() = %v, want that it is done", err)
		}
		within("Flush()", begin)
		w.last, ended = time.Time{}, time.Now()
	}))
	s.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/answer", http.NoBody))
	within("what is left when the handler has returned", ended)
}
