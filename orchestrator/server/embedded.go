package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	consultationstore "github.com/quorate/quorate/consultation/embedded"
	taskstore "github.com/quorate/quorate/orchestrator/embedded"
	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/page"
	registrystore "github.com/quorate/quorate/registry/embedded"
)

// Embedded configures the stores of a single process.
type Embedded struct {
	Dir       string // existing folder that no other process uses
	PageKey   []byte // nil: a key is generated and kept in Dir
	Retention Retention
	Backup    Backup
}

// The files of an embedded store.
const (
	mainFile  = "quorate.db"
	spansFile = "spans.db"
	keyFile   = "page.key" // only when no key is given
)

// The files are told from each other by a bucket. Swapped by hand, they would make a store that looks empty.
var (
	ofMain  = boltdb.Options{Foreign: consultationstore.Bucket}
	ofSpans = boltdb.Options{Foreign: taskstore.Bucket, Own: consultationstore.Bucket}
)

// aloneLease is long, because no other process waits for leases to expire, and each beat is a write to the disk.
const aloneLease = time.Minute

// OpenEmbedded opens the stores of one process.
func OpenEmbedded(ctx context.Context, o Embedded) (s *Stores, err error) {
	s = &Stores{Ready: make(map[string]func(context.Context) error)}
	defer func() {
		if err != nil {
			s, err = nil, errors.Join(err, s.Close())
		}
	}()
	if err := whole(o.Dir); err != nil {
		return s, err
	}
	if err := begin(o.Dir); err != nil {
		return s, err
	}
	main, err := s.open("store", filepath.Join(o.Dir, mainFile), ofMain)
	if err != nil {
		return s, err
	}
	spans, err := s.open("spans", filepath.Join(o.Dir, spansFile), ofSpans)
	if err != nil {
		return s, err
	}
	// The order matters: a verdict that no task knows of yet is found again, but a task that knows of a missing one has lost it. So the tasks are
	// copied first.
	parts := []file{{mainFile, main.CopyTo}, {spansFile, spans.CopyTo}}
	if o.PageKey == nil {
		if o.PageKey, err = ownPageKey(filepath.Join(o.Dir, keyFile)); err != nil {
			return s, err
		}
		parts = append(parts, file{keyFile, func(_ context.Context, path string) (int64, error) { return writeKey(path, o.PageKey) }})
	}
	if o.Backup != (Backup{}) {
		s.copies = &copies{Backup: o.Backup, files: parts}
	}
	s.Pages = page.New(o.PageKey)
	consultations := consultationstore.New(spans)
	s.Consultations = consultations
	if s.Registry, err = registrystore.New(ctx, main); err != nil {
		return s, err
	}
	tasks, err := taskstore.New(ctx, main)
	if err != nil {
		return s, err
	}
	s.Tasks = tasks
	s.sweep = func(ctx context.Context) error { return sweep(ctx, o.Retention, tasks, consultations) }
	s.LeaseDuration = aloneLease
	s.Leases, err = taskstore.NewLeases(ctx, main)
	return s, err
}

// LookEmbedded returns why OpenEmbedded would refuse the files in dir, as far as that can be found out quickly and without changing anything. The reason STORE_LOCKED
// says that another process uses them.
func LookEmbedded(dir string) error {
	if err := whole(dir); err != nil {
		return err
	}
	if err := boltdb.Look(filepath.Join(dir, mainFile), ofMain); err != nil {
		return err
	}
	return boltdb.Look(filepath.Join(dir, spansFile), ofSpans)
}

// whole refuses a folder that has lost one of its files, as after half of a restore. A new one would begin with no agents and no tasks, or without the verdicts
// on record, and backups of it would take the place of those that have them. Nothing else leaves such a folder: begin makes an empty file for the spans first.
func whole(dir string) error {
	main, err := sizeOf(dir, mainFile)
	if err != nil {
		return err
	}
	spans, err := sizeOf(dir, spansFile)
	switch {
	case err != nil:
		return err
	case main <= 0 && spans > 0:
		return fault.New(fault.FailedPrecondition, "STORE_INCOMPLETE",
			"%[1]s is missing or empty in %[2]s, although %[3]s is there; restore all files of a backup, or remove %[3]s to begin with nothing", mainFile, dir, spansFile)
	case main > 0 && spans == absent:
		return fault.New(fault.FailedPrecondition, "STORE_INCOMPLETE",
			"%[1]s is missing in %[2]s, although %[3]s is there; restore all files of a backup, or make an empty %[1]s to go on without the verdicts on record", spansFile, dir, mainFile)
	}
	return nil
}

// begin makes an empty file for the spans, unless there is one.
func begin(dir string) error {
	f, err := os.OpenFile(filepath.Join(dir, spansFile), os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("opening the store: %w", err)
	}
	return f.Close()
}

// EmbeddedSize returns how many bytes the files in dir have together. Files that are not there have none.
func EmbeddedSize(dir string) (size int64, err error) {
	for _, name := range []string{mainFile, spansFile} {
		n, err := sizeOf(dir, name)
		if err != nil {
			return 0, err
		}
		size += max(n, 0)
	}
	return size, nil
}

// absent is the size of a file that is not there.
const absent = -1

// sizeOf returns the size of a file in dir, or absent.
func sizeOf(dir, name string) (int64, error) {
	info, err := os.Stat(filepath.Join(dir, name))
	switch {
	case err == nil:
		return info.Size(), nil
	case errors.Is(err, fs.ErrNotExist):
		return absent, nil
	}
	return 0, err
}

func (s *Stores) open(name, file string, o boltdb.Options) (*boltdb.DB, error) {
	db, err := boltdb.Open(file, o)
	if err != nil {
		return nil, err
	}
	s.closers = append(s.closers, db.Close)
	s.Ready[name] = func(context.Context) error { return db.Ready() }
	return db, nil
}
