//go:build !linux

package extract

import "time"

var begin = time.Now()

// threadTime returns the time of the clock: the standard library does not tell what a thread has spent.
func threadTime() time.Duration { return time.Since(begin) }
