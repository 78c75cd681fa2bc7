package server

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"go.etcd.io/bbolt"

	"github.com/quorate/quorate/platform/page"
)

const (
	cardTimeout   = 5 * time.Second
	cardRedirects = 3
	idlePerAgent  = 64 // HTTP connections kept for each agent; the default of 2 makes thousands of new ones under load
	pageKeyBytes  = 32
)

// pageCodec returns the codec of page tokens with the key kept in a file, which is made when it is not there, so that tokens survive a restart.
func pageCodec(file string) (*page.Codec, error) {
	key, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		key = make([]byte, pageKeyBytes)
		rand.Read(key)
		err = os.WriteFile(file, key, 0o600)
	}
	if err != nil {
		return nil, fmt.Errorf("key of page tokens: %w", err)
	}
	if len(key) != pageKeyBytes {
		return nil, fmt.Errorf("key of page tokens: %s has %d bytes, not %d: delete it to have a new one made", file, len(key), pageKeyBytes)
	}
	return page.New(key), nil
}

func nothing(*bbolt.Tx) error { return nil }
