//go:build !linux

package netguard

import "syscall"

// boundSilence does nothing here: the kernel decides when to end a connection whose other end has vanished.
func boundSilence(syscall.RawConn) error { return nil }
