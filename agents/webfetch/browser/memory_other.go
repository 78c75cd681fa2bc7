//go:build !linux

package browser

import "os/exec"

// bound does nothing: other systems do not limit a process's writable memory.
func bound(*exec.Cmd) {}
