//go:build !linux

package browser

import "os/exec"

// bound does nothing: other systems do not limit a process's writable memory.
func bound(*exec.Cmd) {}

// endGroup does nothing: on other systems Chromium has no process group of its own, see bound.
func endGroup(*exec.Cmd) {}
