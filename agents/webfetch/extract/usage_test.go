package extract_test

import (
	"fmt"
	"os"
	"strings"
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
	f := figure{CPU: time.Duration(u.Utime.Nano() + u.Stime.Nano()), Memory: u.Maxrss << 10}
	status, _ := os.ReadFile("/proc/self/status") // where there is one: Maxrss counts what the parent held, too
	if _, after, ok := strings.Cut(string(status), "VmHWM:"); ok {
		_, _ = fmt.Sscan(after, &f.Memory) // in KiB
		f.Memory <<= 10
	}
	return f
}
