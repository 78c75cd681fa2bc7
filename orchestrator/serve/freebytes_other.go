//go:build !linux && !darwin

package serve

import "errors"

// freeBytes is not known on this system.
func freeBytes(string) (int64, error) { return 0, errors.ErrUnsupported }
