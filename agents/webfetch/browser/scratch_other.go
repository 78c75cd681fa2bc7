//go:build !linux

package browser

import "os"

// lockDirectory does nothing, since nothing is removed without a lock.
func lockDirectory(string) *os.File { return nil }

// removeLeft does nothing: on other systems a browser outlives a process that is killed, so its directory may be in use.
func removeLeft(string) {}
