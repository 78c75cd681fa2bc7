// Package logtest lets a test read a log while a server writes to it.
package logtest

import (
	"bytes"
	"sync"
)

// Buffer is a log in memory. It is ready for use, also by several goroutines.
type Buffer struct {
	mu  sync.Mutex
	log bytes.Buffer // guarded by mu
}

// Write appends p to the log.
func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.log.Write(p)
}

// String returns the log so far.
func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.log.String()
}
