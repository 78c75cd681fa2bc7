// Package bounded reads foreign input whole and within limits on size, number of values and depth, or refuses it.
package bounded

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// ErrTooLarge is wrapped by the error for input that is longer than its limit.
var ErrTooLarge = errors.New("too large")

// File returns the content of a file, or of a pipe, of at most the given number of bytes. The error names the file, and wraps ErrTooLarge if it is longer.
func File(name string, most int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // opened for reading: nothing to lose
	return Read(f, name, most)
}

// RegularFile is File, but refuses what is not a regular file. Opening a pipe waits for a writer: whoever reads a file again while others wait must not.
func RegularFile(name string, most int64) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", name)
	}
	return File(name, most)
}

// Read reads to the end and returns at most the given number of bytes. More is an error that begins with name and wraps ErrTooLarge.
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
