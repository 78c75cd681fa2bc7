package boltdb

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"go.etcd.io/bbolt"
)

// complete refuses a file that has been cut short, as a copy is that ended early. bbolt maps the file and would meet its end as a fault of memory, which
// ends the process: as it opens the file, or days later. Read-only, it looks at nothing but the pages that say how long the file is.
func complete(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return nil // it will be made
	}
	if err != nil {
		return err
	}
	bolt, err := bbolt.Open(path, 0, &bbolt.Options{Timeout: lockTimeout, ReadOnly: true})
	if err != nil {
		return err
	}
	err = bolt.View(func(tx *bbolt.Tx) error {
		if info.Size() < tx.Size() {
			return fmt.Errorf("the file is cut short: it has %d bytes of %d; put a whole copy in its place", info.Size(), tx.Size())
		}
		return nil
	})
	return errors.Join(err, bolt.Close())
}
