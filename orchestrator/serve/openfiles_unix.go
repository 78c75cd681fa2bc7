//go:build linux || darwin

package serve

import (
	"math"
	"syscall"
)

// openFiles returns how many files and connections this process may have open. Go has raised that to what the system allows.
func openFiles() int {
	var most syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &most); err != nil || most.Cur > math.MaxInt32 {
		return math.MaxInt32
	}
	return int(most.Cur)
}
