package server

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

const (
	cardTimeout   = 5 * time.Second
	cardRedirects = 3
	idlePerAgent  = 64 // HTTP connections kept for each agent; the default of 2 makes thousands of new ones under load

	// PageKeyBytes is how long the key of page tokens is.
	PageKeyBytes = 32
)

// ownPageKey returns the key of page tokens that is kept in a file, which is made when it is not there, so that tokens survive a restart.
func ownPageKey(file string) ([]byte, error) {
	key, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		key = make([]byte, PageKeyBytes)
		rand.Read(key)
		_, err = writeKey(file, key)
	}
	if err != nil {
		return nil, fmt.Errorf("key of page tokens: %w", err)
	}
	if len(key) != PageKeyBytes {
		return nil, fmt.Errorf("key of page tokens: %s has %d bytes, not %d: delete it to have a new one made", file, len(key), PageKeyBytes)
	}
	return key, nil
}

// writeKey makes a file with a key, and returns its size when it is on disk.
func writeKey(file string, key []byte) (size int64, err error) {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, err
	}
	n, err := f.Write(key)
	return int64(n), errors.Join(err, f.Sync(), f.Close())
}
