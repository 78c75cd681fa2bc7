package cputime

import (
	"syscall"
	"time"
)

// threadTime returns the CPU time that this thread has used.
func threadTime() time.Duration {
	const thisThread = 1 // RUSAGE_THREAD of getrusage(2)
	var usage syscall.Rusage
	if err := syscall.Getrusage(thisThread, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
