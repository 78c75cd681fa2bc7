package grpcwire

import (
	"math"
	"strconv"
	"time"
)

const (
	fieldTimeout = "grpc-timeout"
	maxDigits    = 8 // of a timeout
)

var units = map[byte]time.Duration{'H': time.Hour, 'M': time.Minute, 'S': time.Second, 'm': time.Millisecond, 'u': time.Microsecond, 'n': time.Nanosecond}

// parseTimeout parses a timeout (gRPC over HTTP/2, Timeout). One that is too long for a Duration becomes the longest Duration.
func parseTimeout(s string) (time.Duration, error) {
	if len(s) < 2 || len(s) > maxDigits+1 {
		return 0, malformed("the timeout %.20q is malformed", s)
	}
	digits, err := strconv.ParseUint(s[:len(s)-1], 10, 63)
	unit, ok := units[s[len(s)-1]]
	if err != nil || !ok {
		return 0, malformed("the timeout %.20q is malformed", s)
	}
	n := int64(digits)
	if n > math.MaxInt64/int64(unit) {
		return math.MaxInt64, nil
	}
	return time.Duration(n * int64(unit)), nil
}

// formatTimeout formats a timeout, rounded up, in the finest unit in which it fits.
func formatTimeout(d time.Duration) string {
	const most = 99_999_999
	if d <= 0 {
		return "0n"
	}
	for _, unit := range []byte("numSM") {
		if n := (d + units[unit] - 1) / units[unit]; n <= most && d <= math.MaxInt64-units[unit] {
			return strconv.FormatInt(int64(n), 10) + string(unit)
		}
	}
	return strconv.FormatInt(int64(d/time.Hour)+1, 10) + "H"
}
