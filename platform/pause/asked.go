package pause

import (
	"errors"
	"net/http"
	"strconv"
	"time"
)

// Asked returns how long a Retry-After header (RFC 9110 §10.2.3), in seconds or as a date, asks to wait, but at most the given time. It is 0 if the header is
// empty or invalid.
func Asked(header string, most time.Duration) time.Duration {
	seconds, err := strconv.ParseUint(header, 10, 32)
	if err == nil || errors.Is(err, strconv.ErrRange) { // if out of range, ParseInt returns the largest value
		return min(time.Duration(seconds)*time.Second, most)
	}
	if at, err := http.ParseTime(header); err == nil {
		return min(max(time.Until(at), 0), most)
	}
	return 0
}
