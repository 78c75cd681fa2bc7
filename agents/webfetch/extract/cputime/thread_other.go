//go:build !linux

package cputime

import "time"

var begin = time.Now()

// threadTime returns wall-clock time: the standard library does not tell the CPU time of a thread.
func threadTime() time.Duration { return time.Since(begin) }
