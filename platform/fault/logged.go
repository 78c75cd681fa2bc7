package fault

import "math/bits"

// Logged reports whether a failure gets a line in the log that is the times-th in a row, counted from 1, of something that is tried again and again: the first,
// second, fourth and so on. What is tried may fail for hours.
func Logged(times int) bool { return bits.OnesCount(uint(times)) == 1 }
