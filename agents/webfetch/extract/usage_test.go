package extract_test

import (
	"syscall"
	"testing"
	"time"
)

// figure is what a piece of work cost.
type figure struct {
	CPU    time.Duration
	Memory int64 // bytes at most resident
}

// usage returns what this process has cost so far.
func usage(tb testing.TB) figure {
	tb.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return figure{CPU: time.Duration(u.Utime.Nano() + u.Stime.Nano()), Memory: u.Maxrss << 10}
}
