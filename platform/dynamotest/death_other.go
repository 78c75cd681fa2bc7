//go:build !linux

package dynamotest

import "syscall"

// withParent has nothing to offer here: a test binary that is killed leaves the emulator behind.
func withParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{} }
