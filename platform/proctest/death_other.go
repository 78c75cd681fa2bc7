//go:build !linux

package proctest

import "syscall"

// withParent does nothing on this system: the processes of a test binary that is killed keep running.
func withParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{} }
