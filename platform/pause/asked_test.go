package pause_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/platform/pause"
)

func TestTheHeaderRetryAfterIsSecondsOrADate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		date := func(d time.Duration) string { return time.Now().Add(d).UTC().Format(http.TimeFormat) }
		for header, want := range map[string]time.Duration{
			"": 0, "0": 0, "7": 7 * time.Second, "3601": time.Hour, "99999999999999999999": time.Hour,
			date(time.Minute): time.Minute, date(-time.Minute): 0, date(24 * time.Hour): time.Hour, "Fri, 31 Dec 9999 23:59:59 GMT": time.Hour,
			"-1": 0, "1.5": 0, "soon": 0,
		} {
			if got := pause.Asked(header, time.Hour); got != want {
				t.Errorf("Asked(%q, 1h) = %s, want %s", header, got, want)
			}
		}
	})
}
