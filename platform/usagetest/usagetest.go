//go:build unix

// Package usagetest tells tests and benchmarks what their process has used, which a busy machine changes less than the time that passes.
package usagetest

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// CPU is the CPU time of this process so far.
func CPU(tb testing.TB) time.Duration {
	tb.Helper()
	u := usage(tb)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Memory is the most memory that was resident in this process so far, in bytes.
func Memory(tb testing.TB) int64 {
	tb.Helper()
	kibibytes := usage(tb).Maxrss
	status, _ := os.ReadFile("/proc/self/status") // where there is one: Maxrss counts what the parent held, too
	if _, after, ok := strings.Cut(string(status), "VmHWM:"); ok {
		_, _ = fmt.Sscan(after, &kibibytes)
	}
	return kibibytes << 10
}

func usage(tb testing.TB) syscall.Rusage {
	tb.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return u
}
