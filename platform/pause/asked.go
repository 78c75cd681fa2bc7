package pause

import (
	"errors"
	"net/http"
	"strconv"
	"time"
)

// Asked returns how long a header Retry-After (RFC 9110 §10.2.3), seconds or a date, asks to wait, at most a time that is the caller's to choose; 0 when it is
// empty or makes no sense.
func Asked(header string, most time.Duration) time.Duration {
	seconds, err := strconv.ParseUint(header, 10, 32)
	if err == nil || errors.Is(err, strconv.ErrRange) { // out of range it is the largest
		return min(time.Duration(seconds)*time.Second, most)
	}
	if at, err := http.ParseTime(header); err == nil {
		return min(max(time.Until(at), 0), most)
	}
	return 0
}
