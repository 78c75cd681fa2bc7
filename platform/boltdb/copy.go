package boltdb

import (
	"context"
	"errors"
	"fmt"
	"os"

	"go.etcd.io/bbolt"
)

// CopyTo writes one committed state to a new file at path, readable by this user only, and returns its size once it is on disk. Updates continue meanwhile; the
// pages that they free are reused after the copy is done. It stops when ctx ends. After an error there is no new file; a file that existed already is an error
// and stays unchanged.
func (db *DB) CopyTo(ctx context.Context, path string) (size int64, err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, fmt.Errorf("copying the store: %w", err)
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			size, err = 0, fmt.Errorf("copying the store to %s: %w", path, errors.Join(err, os.Remove(path)))
		}
	}()
	err = db.View(func(tx *bbolt.Tx) error {
		size, err = tx.WriteTo(&steady{ctx: ctx, file: f})
		return err
	})
	switch {
	case ctx.Err() != nil: // bbolt's error does not wrap it
		return 0, context.Cause(ctx)
	case err != nil:
		return 0, err
	}
	return size, f.Sync()
}

// steadyBytes is how many bytes are written between two flushes.
const steadyBytes = 16 << 20

// steady is a writer that flushes regularly: otherwise the flush of an update would wait until all of a large copy is on disk. It fails when ctx has ended.
type steady struct {
	ctx  context.Context //nolint:containedctx // io.Writer has none
	file *os.File
	due  int // bytes written since the last flush
}

func (s *steady) Write(p []byte) (int, error) {
	if err := context.Cause(s.ctx); err != nil {
		return 0, err
	}
	n, err := s.file.Write(p)
	if s.due += n; err == nil && s.due >= steadyBytes {
		s.due, err = 0, s.file.Sync()
	}
	return n, err
}
