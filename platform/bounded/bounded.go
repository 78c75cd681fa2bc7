// Package bounded reads what somebody else wrote, whole and of a length that is known to be bearable, or not at all.
package bounded

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// ErrTooLarge is in the error for what is longer than its bound.
var ErrTooLarge = errors.New("too large")

// File returns the content of a file of at most so many bytes; it may be a pipe. The error names the file, and wraps ErrTooLarge for a longer one.
func File(name string, most int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // opened for reading: nothing to lose
	return Read(f, name, most)
}

// Read returns all that is left to read, of at most so many bytes; name is what ErrTooLarge is said of.
func Read(from io.Reader, name string, most int64) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(from, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(content)) > most {
		return nil, fmt.Errorf("%s is %w: it has more than %d bytes", name, ErrTooLarge, most)
	}
	return content, nil
}
