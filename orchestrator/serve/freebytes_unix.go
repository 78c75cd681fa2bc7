//go:build linux || darwin

package serve

import (
	"fmt"
	"syscall"
)

// freeBytes returns how much an unprivileged user may still write to the disk of a folder.
func freeBytes(dir string) (int64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, fmt.Errorf("the free space of %s: %w", dir, err)
	}
	return int64(s.Bavail) * int64(s.Bsize), nil //nolint:gosec,unconvert // no disk is that large; the types differ between systems
}
