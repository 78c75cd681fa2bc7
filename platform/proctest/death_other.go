//go:build !linux

package proctest

import "syscall"

// withParent has nothing to offer here: a test binary that is killed leaves its processes behind.
func withParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{} }
