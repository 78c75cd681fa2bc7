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
			for _, ofAnswer := range []string{"", "soon"} {
				answer := http.Header{"Retry-After": {header}, "Date": {ofAnswer}}
				if got := pause.Asked(answer, time.Hour); got != want {
					t.Errorf("Asked(%q, 1h) = %s, want %s", answer, got, want)
				}
			}
		}
	})
}

func TestADateIsOfTheClockOfWhoeverAnswers(t *testing.T) {
	const at = "Fri, 31 Dec 9999 23:59:59 GMT"
	for now, want := range map[string]time.Duration{"Fri, 31 Dec 9999 23:59:29 GMT": 30 * time.Second, "Sat, 01 Jan 10000 00:00:00 GMT": time.Hour, at: 0} {
		if got := pause.Asked(http.Header{"Retry-After": {at}, "Date": {now}}, time.Hour); got != want {
			t.Errorf("Asked(%q, 1h) at %q = %s, want %s", at, now, got, want)
		}
	}
}
