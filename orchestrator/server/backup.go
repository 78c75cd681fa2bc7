package server

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/pause"
	"github.com/quorate/quorate/platform/telemetry"
)

// Backup configures copies of the embedded store, which are made while it is in use. The zero value makes none.
type Backup struct {
	Dir   string        // used for nothing else; each copy is a folder in it from which a store can be opened
	Every time.Duration // between two copies
	Keep  int           // how many of the newest are kept, at least 1
}

// copies makes copies of an embedded store.
type copies struct {
	Backup
	files []file     // in the order in which they are copied
	claim *boltdb.DB // kept open while run makes copies in the folder; nil before the first, or where files cannot be locked
}

// file is a part of a store. copyTo writes it to a new file.
type file struct {
	name   string
	copyTo func(ctx context.Context, path string) (size int64, err error)
}

const (
	copyName  = "quorate-20060102T150405Z" // the time at which it was begun
	part      = ".part"                    // suffix of an incomplete copy
	copyAgain = time.Minute                // minimum wait after a failed copy
	claimFile = ".lock"
)

// run makes copies until ctx ends.
func (c *copies) run(ctx context.Context, logger *slog.Logger) error {
	defer c.release()
	wait := c.due(time.Now())
	if c.alone() != nil {
		wait = 0 // to tell it now
	}
	for pause.For(ctx, wait) == nil {
		begin := time.Now()
		path, size, err := c.once(ctx, begin)
		if err == nil {
			logger.InfoContext(ctx, "backed up", slog.String("path", path), slog.Int64("bytes", size), slog.Duration(telemetry.LogDuration, time.Since(begin)))
			wait = c.due(time.Now())
			continue
		}
		if ctx.Err() == nil {
			logger.ErrorContext(ctx, "the store could not be backed up; trying again", slog.String("dir", c.Dir), slog.Any(telemetry.LogError, err))
		}
		wait = c.again(time.Now())
	}
	return nil
}

// alone returns an error if another server makes copies in the folder, and keeps others from it until release. Each would remove the other's copies as surplus.
func (c *copies) alone() (err error) {
	if c.claim != nil {
		return nil
	}
	if c.claim, err = boltdb.Open(filepath.Join(c.Dir, claimFile), boltdb.Options{}); fault.ReasonOf(err) == "STORE_LOCKED" {
		return err
	}
	return nil // where there are no locks, copies are made without; all other errors are those of the copy, too
}

func (c *copies) release() {
	if c.claim != nil {
		_ = c.claim.Close() // nothing is ever written to it
	}
}

// again returns how long to wait after an error. If a copy was made but old ones could not be removed, the next is not made at once, since that would
// fill the disk.
func (c *copies) again(now time.Time) time.Duration {
	return max(c.due(now), min(c.Every, copyAgain))
}

// Overdue returns for how long a copy has been due that was not made; 0 or less if none is, or if there is no copy yet.
func (b Backup) Overdue(now time.Time) time.Duration { return -(&copies{Backup: b}).due(now) }

// Exists reports whether there is a copy.
func (b Backup) Exists() bool {
	whole, _, err := (&copies{Backup: b}).list(time.Now())
	return err == nil && len(whole) > 0
}

// Taken reports whether a server makes copies in the folder now.
func (b Backup) Taken() bool {
	return fault.ReasonOf(boltdb.Look(filepath.Join(b.Dir, claimFile), boltdb.Options{})) == "STORE_LOCKED"
}

// due returns how long to wait until the next copy is due, by the names of the existing ones.
func (c *copies) due(now time.Time) time.Duration {
	whole, _, err := c.list(now)
	if err != nil || len(whole) == 0 {
		return 0
	}
	last, err := time.Parse(copyName, whole[len(whole)-1])
	if err != nil || last.After(now) {
		return 0
	}
	return c.Every - now.Sub(last)
}

// list returns the names of the complete copies, the oldest first, and of incomplete ones. Copies from the future, made when the clock was wrong,
// come first: otherwise they would count as the newest, and every new copy would be removed as surplus.
func (c *copies) list(now time.Time) (whole, cut []string, err error) {
	entries, err := os.ReadDir(c.Dir)
	for _, e := range entries {
		name, unfinished := strings.CutSuffix(e.Name(), part)
		_, err := time.Parse(copyName, name)
		switch {
		case err != nil: // not a copy of ours
		case unfinished:
			cut = append(cut, e.Name())
		default:
			whole = append(whole, e.Name())
		}
	}
	latest := now.UTC().Format(copyName)
	if n := slices.IndexFunc(whole, func(name string) bool { return name > latest }); n > 0 {
		whole = slices.Concat(whole[n:], whole[:n])
	}
	return whole, cut, err
}

// once makes one copy and removes those that are surplus.
func (c *copies) once(ctx context.Context, now time.Time) (path string, size int64, err error) {
	if err := c.alone(); err != nil {
		return "", 0, err
	}
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return "", 0, err
	}
	_, cut, err := c.list(now)
	if err == nil {
		err = c.remove(cut)
	}
	if err != nil {
		return "", 0, err
	}
	path = filepath.Join(c.Dir, now.UTC().Format(copyName))
	if size, err = c.write(ctx, path+part); err != nil {
		return "", 0, errors.Join(err, os.RemoveAll(path+part))
	}
	if err := os.Rename(path+part, path); err != nil {
		return "", 0, err
	}
	whole, _, err := c.list(now)
	if err == nil {
		err = errors.Join(syncFolder(c.Dir), c.remove(whole[:max(len(whole)-c.Keep, 0)]))
	}
	return path, size, err
}

// write makes a folder with all files and syncs them to disk.
func (c *copies) write(ctx context.Context, folder string) (size int64, err error) {
	if err := os.Mkdir(folder, 0o700); err != nil {
		return 0, err
	}
	for _, f := range c.files {
		n, err := f.copyTo(ctx, filepath.Join(folder, f.name))
		if err != nil {
			return 0, err
		}
		size += n
	}
	return size, syncFolder(folder)
}

func (c *copies) remove(names []string) error {
	var errs []error
	for _, name := range names {
		errs = append(errs, os.RemoveAll(filepath.Join(c.Dir, name)))
	}
	return errors.Join(errs...)
}

// syncFolder syncs the names in a folder to disk.
func syncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
