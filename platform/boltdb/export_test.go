package boltdb

import "go.etcd.io/bbolt"

// AfterFlush has after called when a commit has been flushed, and its error returned as that of the flush.
func (db *DB) AfterFlush(after func() error) {
	db.update = func(fn func(tx *bbolt.Tx) error) error {
		if err := db.bolt.Update(fn); err != nil {
			return err
		}
		return after()
	}
}

// Readers returns how many readers are in the file.
func (db *DB) Readers() int { return db.bolt.Stats().OpenTxN }
