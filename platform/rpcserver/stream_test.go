package rpcserver_test

import (
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/rpcserver"
)

// TestAnEventTellsEveryQuarterOfAMinuteThatAStreamIsAlive has a service take so long that proxies would take its stream for dead, and fail then.
func TestAnEventTellsEveryQuarterOfAMinuteThatAStreamIsAlive(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := httptest.NewRecorder()
		sendLast, stop := rpcserver.Events(w)
		defer stop()
		<-time.After(47 * time.Second) // the first comes after one second
		synctest.Wait()
		if got, want := w.Body.String(), strings.Repeat(": alive\n\n", 4); got != want {
			t.Errorf("47 seconds of silence are %q, want %q", got, want)
		}
		w.Body.Reset()
		if !sendLast(fault.New(fault.Unavailable, "STORE_UNREACHABLE", "the store gives no answer")) {
			t.Error("an error behind what was sent is not sent, want that it is the last event")
		}
		<-time.After(time.Minute)
		synctest.Wait()
		if got := w.Body.String(); !strings.HasPrefix(got, "event: error\ndata: {") || !strings.Contains(got, "STORE_UNREACHABLE") || strings.Contains(got, "alive") {
			t.Errorf("the stream ends with %q, want the error and nothing behind it", got)
		}
	})
}
