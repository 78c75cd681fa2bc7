package boltdb_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/fault"
)

func TestAFileInAnotherFormatIsRefusedWithAClearError(t *testing.T) {
	t.Parallel()
	whole := filepath.Join(t.TempDir(), "whole.db")
	closeDB(t, open(t, whole, boltdb.Options{}))
	heads, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	const page, transaction = 8 << 10, 64 // the first two pages say which transaction was the last, and have a checksum
	heads[transaction]++
	heads[page+transaction]++
	for name, content := range map[string]string{
		"a line": "hello\n", "pages of another": strings.Repeat("another database ", 9999), "a page and a half": strings.Repeat("x", 6000),
		"two wrong checksums": string(heads),
	} {
		path := filepath.Join(t.TempDir(), "quorate.db")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		db, err := boltdb.Open(path, boltdb.Options{})
		if err == nil {
			closeDB(t, db)
		}
		if fault.ReasonOf(err) != "STORE_DAMAGED" || !strings.Contains(err.Error(), path+": the file is not a database of this kind, or it is damaged; replace it with a complete copy") {
			t.Errorf("Open(of %s) = %v, want words about the file and what to do", name, err)
		}
	}
}

func TestAFileThatWasCutShortIsRefused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "whole.db")
	db, err := boltdb.Open(path, boltdb.Options{})
	if err != nil {
		t.Fatalf("Open() = %v, want no error", err)
	}
	err = db.Update(t.Context(), func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucket([]byte("b"))
		for i := 0; i < 1000 && err == nil; i++ {
			err = b.Put(fmt.Appendf(nil, "%04d", i), make([]byte, 1000))
		}
		return err
	})
	if err != nil {
		t.Fatalf("Update() = %v, want no error", err)
	}
	used := 0 // the rest of the file is free space
	if err := db.View(func(tx *bbolt.Tx) error { used = int(tx.Size()); return nil }); err != nil {
		t.Fatalf("View() = %v, want no error", err)
	}
	if err := db.Close(); err != nil {
		t.Fatalf("Close() = %v, want no error", err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, left := range []int{1, 10_000, 20_000, used / 2, used - 1, used} {
		path := filepath.Join(t.TempDir(), "short.db")
		if err := os.WriteFile(path, whole[:left], 0o600); err != nil {
			t.Fatal(err)
		}
		db, err := boltdb.Open(path, boltdb.Options{})
		if (err == nil) != (left == used) || err != nil && !strings.Contains(err.Error(), path) {
			t.Errorf("Open(of %d bytes of %d) = %v, want an error with the file's name for less than all", left, used, err)
		}
		if err == nil {
			closeDB(t, db)
		}
	}
}

// TestADamagedFileIsRefusedWithAClearError overwrites single pages of a file, as a copy that was made while the file was written has them.
func TestADamagedFileIsRefusedWithAClearError(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "whole.db")
	db := open(t, path, boltdb.Options{})
	page, pages := 0, 0
	for round := range 3 { // so that some pages are free, and others not at their first place
		err := db.Update(t.Context(), func(tx *bbolt.Tx) error {
			page, pages = tx.DB().Info().PageSize, int(tx.Size())/tx.DB().Info().PageSize
			return fillNested(tx, round)
		})
		if err != nil {
			t.Fatalf("Update() = %v, want no error", err)
		}
	}
	closeDB(t, db)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	whole = whole[:page*pages] // the rest of the file is free space
	damaged := func(n int, damage func(p, next []byte)) (path string, err error) {
		content := bytes.Clone(whole)
		damage(content[n*page:][:page], whole[(n+1)%pages*page:][:page])
		path = filepath.Join(t.TempDir(), "damaged.db")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		db, err := boltdb.Open(path, boltdb.Options{})
		if err == nil {
			closeDB(t, db)
		}
		return path, err
	}
	used := 0
	for n := 2; n < pages; n++ {
		if _, err := damaged(n, zeros); err == nil {
			continue // the page is free
		}
		used++
		for name, damage := range damages {
			path, err := damaged(n, damage)
			if fault.ReasonOf(err) != "STORE_DAMAGED" || !strings.Contains(err.Error(), path+": the file is damaged: ") || !strings.Contains(err.Error(), "; replace it with a complete copy") {
				t.Errorf("Open(with %s in page %d) = %v, want that the file is damaged", name, n, err)
			}
		}
	}
	if used < pages/3 || used > pages-2 {
		t.Errorf("%d pages of %d are in use, want some that are and some that are free", used, pages)
	}
}

// damages are what can be wrong with a page, which is given with the one behind it. Its header has 16 bytes, and each entry behind that.
var damages = map[string]func(p, next []byte){
	"another page":         func(p, next []byte) { copy(p, next) },
	"another kind":         func(p, _ []byte) { p[8] = 4 },
	"pages behind the end": func(p, _ []byte) { p[13] = 1 },
	"keys far away": func(p, _ []byte) {
		for i := range 64 {
			p[16+i] |= 0x70
		}
	},
	"a value that is too long": func(p, _ []byte) { p[16+12+3] |= 0x70 },
	"a small bucket with a key far away": func(p, next []byte) {
		if at := bytes.Index(p, only); at > 0 {
			p[at-16+7] |= 0x70
		} else {
			zeros(p, next)
		}
	},
	"itself below it": func(p, next []byte) {
		if isBranch(p) {
			copy(p[16+8:][:8], p)
		} else {
			zeros(p, next)
		}
	},
	"another key that leads to a page": func(p, next []byte) {
		if isBranch(p) {
			p[16+16+binary.NativeEndian.Uint32(p[16+16:])] ^= 0x40 // the first byte of the second key, whose place is counted from its entry
		} else {
			zeros(p, next)
		}
	},
}

func zeros(p, _ []byte) { clear(p) }

func isBranch(p []byte) bool { return p[8] == 1 }

// only is the only key of a bucket that has no page of its own.
var only = []byte("the only key")

// fillNested writes into a bucket and into two within it.
func fillNested(tx *bbolt.Tx, round int) error {
	b, err := tx.CreateBucketIfNotExists(bucket)
	for i := 0; i < 2000 && err == nil; i++ {
		err = b.Put(fmt.Appendf(nil, "%04d", i), fmt.Appendf(nil, "%d %0100d", round, i))
	}
	if err == nil {
		b, err = b.CreateBucketIfNotExists([]byte("within"))
	}
	for i := 0; i < 200 && err == nil; i++ {
		err = b.Put(fmt.Appendf(nil, "%d", i), make([]byte, 100))
	}
	if err == nil {
		b, err = b.CreateBucketIfNotExists([]byte("small"))
	}
	if err == nil {
		err = b.Put(only, nil)
	}
	return err
}

func TestALookChangesNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.db")
	if err := boltdb.Look(path, boltdb.Options{}); err != nil {
		t.Errorf("Look(at no file) = %v, want no error", err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("Stat() = %v, want that there is still no file", err)
	}
	db := open(t, path, boltdb.Options{})
	if err := boltdb.Look(path, boltdb.Options{}); fault.ReasonOf(err) != "STORE_LOCKED" {
		t.Errorf("Look(at an open file) = %v, want STORE_LOCKED", err)
	}
	if err := db.Update(t.Context(), put("k", "v")); err != nil || get(t, db, "k") != "v" {
		t.Errorf("Update() after that = %v, want no error", err)
	}
	closeDB(t, db)
	if err := boltdb.Look(path, boltdb.Options{}); err != nil {
		t.Errorf("Look() = %v, want no error", err)
	}
	if err := os.Truncate(path, 20_000); err != nil {
		t.Fatal(err)
	}
	if err := boltdb.Look(path, boltdb.Options{}); fault.ReasonOf(err) != "STORE_DAMAGED" || !strings.Contains(err.Error(), path+": the file is cut short") {
		t.Errorf("Look(at a part of it) = %v, want that it is cut short", err)
	}
}

// TestAFileOfAnotherKindIsRefused has files with so few buckets that one page has all, and with so many that several do.
func TestAFileOfAnotherKindIsRefused(t *testing.T) {
	t.Parallel()
	for _, count := range []int{0, 1, 50, 2000} {
		path := filepath.Join(t.TempDir(), "s.db")
		db := open(t, path, boltdb.Options{Own: "mine"})
		if err := db.Update(t.Context(), func(tx *bbolt.Tx) error {
			for i := range count {
				if _, err := tx.CreateBucket(fmt.Appendf(nil, "%04d", i)); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		closeDB(t, db)
		for _, bucket := range []string{"mine", "0000", "0049", "1999", "0000x", "a", "z"} {
			opts := boltdb.Options{Own: "new", Foreign: bucket}
			number, err := strconv.Atoi(bucket)
			want := ""
			if bucket == "mine" || err == nil && number < count {
				want = "STORE_DAMAGED"
			}
			if err := boltdb.Look(path, opts); fault.ReasonOf(err) != want {
				t.Errorf("Look(a file with %d buckets, foreign %s) = %v, want %q", count, bucket, err, want)
			}
			db, err := boltdb.Open(path, opts)
			if fault.ReasonOf(err) != want {
				t.Errorf("Open(a file with %d buckets, foreign %s) = %v, want %q", count, bucket, err, want)
			}
			if err == nil {
				closeDB(t, db)
			}
		}
	}
}

// TestALookSurvivesAnyFile has the beginning of every page wrong, one byte after the other, except in the two pages that have a checksum.
func TestALookSurvivesAnyFile(t *testing.T) {
	t.Parallel()
	const page, pages, beginning = 8192, 8, 96
	path := filepath.Join(t.TempDir(), "s.db")
	closeDB(t, open(t, path, boltdb.Options{Own: "mine"}))
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }() // nothing of it is needed any more
	refused, one := 0, make([]byte, 1)
	for at := int64(2 * page); at < pages*page; at++ {
		if at%page == beginning {
			at += page - beginning
		}
		_, err := f.ReadAt(one, at)
		for range 2 { // the second time it is mended
			one[0] ^= 0xff
			if _, again := f.WriteAt(one, at); err != nil || again != nil {
				t.Fatal(err, again)
			}
			if err := boltdb.Look(path, boltdb.Options{Foreign: "mine"}); err != nil {
				refused++
			}
		}
	}
	if refused == 0 {
		t.Error("Look() refuses none, want at least those whose bucket it can still read")
	}
}
