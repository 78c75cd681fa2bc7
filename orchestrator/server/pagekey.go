package server

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/quorate/quorate/platform/fault"
)

// PageKeyBytes is the length of the key of page tokens.
const PageKeyBytes = 32

// ownPageKey returns the key of page tokens from a file. It creates the file if necessary, so that tokens survive a restart.
func ownPageKey(file string) ([]byte, error) {
	key, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(key) == 0 { // a crash, or a full disk, may have left an empty one
		key = make([]byte, PageKeyBytes)
		rand.Read(key)
		_, err = writeKey(file, key)
	}
	if err != nil {
		return nil, fmt.Errorf("key of page tokens: %w", err)
	}
	if len(key) != PageKeyBytes {
		return nil, fault.New(fault.FailedPrecondition, "STORE_DAMAGED", "key of page tokens: %s has %d bytes, not %d: delete it to have a new one made", file, len(key), PageKeyBytes)
	}
	return key, nil
}

// writeKey writes a file with a key, synced to disk, and returns its size.
func writeKey(file string, key []byte) (size int64, err error) {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return 0, err
	}
	n, err := f.Write(key)
	return int64(n), errors.Join(err, f.Sync(), f.Close())
}
