package pause

import (
	"errors"
	"net/http"
	"strconv"
	"time"
)

// Asked returns how long the Retry-After header of an answer (RFC 9110 §10.2.3), in seconds or as a date, asks to wait, but at most the given time. A date is
// of the clock that the answer's Date is of, which may differ from ours. It is 0 if the header is missing or invalid.
func Asked(answer http.Header, most time.Duration) time.Duration {
	header := answer.Get("Retry-After")
	seconds, err := strconv.ParseUint(header, 10, 32)
	if err == nil || errors.Is(err, strconv.ErrRange) { // if out of range, ParseUint returns the largest value
		return min(time.Duration(seconds)*time.Second, most)
	}
	at, err := http.ParseTime(header)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(answer.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return min(max(at.Sub(now), 0), most)
}
