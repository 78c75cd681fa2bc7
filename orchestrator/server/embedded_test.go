package server_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quorate/quorate/orchestrator/server"
	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/fault"
)

// opened opens the store in dir, which makes what is missing there, and closes it.
func opened(t *testing.T, dir string) {
	t.Helper()
	stores, err := server.OpenEmbedded(t.Context(), server.Embedded{Dir: dir})
	if err != nil {
		t.Fatalf("OpenEmbedded() = %v, want no error", err)
	}
	if err := stores.Close(); err != nil {
		t.Fatalf("Close() = %v, want no error", err)
	}
}

func TestAStoreThatLostAFileIsNotReplacedByAnEmptyOne(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(dir string) error{
		"the main file is missing": func(dir string) error { return os.Remove(filepath.Join(dir, "quorate.db")) },
		"the main file is empty":   func(dir string) error { return os.Truncate(filepath.Join(dir, "quorate.db"), 0) },
		"the spans are missing":    func(dir string) error { return os.Remove(filepath.Join(dir, "spans.db")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			opened(t, dir)
			if err := lose(dir); err != nil {
				t.Fatal(err)
			}
			if err := server.LookEmbedded(dir); fault.ReasonOf(err) != "STORE_INCOMPLETE" {
				t.Errorf("LookEmbedded() = %v, want STORE_INCOMPLETE", err)
			}
			stores, err := server.OpenEmbedded(t.Context(), server.Embedded{Dir: dir})
			if fault.ReasonOf(err) != "STORE_INCOMPLETE" || !strings.Contains(err.Error(), "restore all files") {
				t.Errorf("OpenEmbedded() = %v, want STORE_INCOMPLETE with what to do", err)
			}
			if err == nil {
				_ = stores.Close()
			}
		})
	}
}

// TestAStoreGoesOnWithoutSpansIfAsked has an operator who lost the spans, and made an empty file in their place.
func TestAStoreGoesOnWithoutSpansIfAsked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for range 2 {
		opened(t, dir)
		if err := os.Truncate(filepath.Join(dir, "spans.db"), 0); err != nil {
			t.Fatal(err)
		}
		if err := server.LookEmbedded(dir); err != nil {
			t.Errorf("LookEmbedded() = %v, want no error", err)
		}
	}
}

// TestFilesUnderTheNameOfTheOtherAreRefused has an operator mistake one file for the other. Nothing is changed, so that the names can be put right.
func TestFilesUnderTheNameOfTheOtherAreRefused(t *testing.T) {
	t.Parallel()
	swap := func(main, spans string) error {
		return errors.Join(os.Rename(main, main+".x"), os.Rename(spans, main), os.Rename(main+".x", spans))
	}
	for name, test := range map[string]struct {
		mistake  func(main, spans string) error
		old      bool // no file has a mark yet
		blames   string
		mendable bool
	}{
		"swapped":                       {swap, false, "quorate.db", true},
		"swapped before they had marks": {swap, true, "spans.db", true},
		"the main file twice":           {copyFile, false, "spans.db", false},
		"the spans twice":               {func(main, spans string) error { return copyFile(spans, main) }, false, "quorate.db", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			main, spans := filepath.Join(dir, "quorate.db"), filepath.Join(dir, "spans.db")
			opened(t, dir)
			if test.old {
				unmarked(t, spans)
			}
			if err := test.mistake(main, spans); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if err := server.LookEmbedded(dir); fault.ReasonOf(err) != "STORE_DAMAGED" {
					t.Errorf("LookEmbedded() = %v, want STORE_DAMAGED", err)
				}
				stores, err := server.OpenEmbedded(t.Context(), server.Embedded{Dir: dir})
				if fault.ReasonOf(err) != "STORE_DAMAGED" || !strings.Contains(err.Error(), test.blames+": the file is another one of the store") {
					t.Fatalf("OpenEmbedded() = %v, want STORE_DAMAGED about %s", err, test.blames)
				}
				if err == nil {
					_ = stores.Close()
				}
			}
			if test.mendable {
				if err := swap(main, spans); err != nil {
					t.Fatal(err)
				}
				opened(t, dir)
			}
		})
	}
}

func copyFile(from, to string) error {
	content, err := os.ReadFile(from)
	return errors.Join(err, os.WriteFile(to, content, 0o600))
}

// unmarked replaces a file of spans by one of an earlier version.
func unmarked(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	db, err := boltdb.Open(path, boltdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestTheKeyOfPageTokensIsKept has nobody else know the key, and a restart not change it, so that pages go on.
func TestTheKeyOfPageTokensIsKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "page.key")
	var keys []string
	for range 2 {
		opened(t, dir)
		key, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, string(key))
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("Stat(%s) = %v, %v, want a file that its owner alone may read", file, info, err)
	}
	if keys[0] != keys[1] || len(keys[0]) != server.PageKeyBytes || strings.Trim(keys[0], "\x00") == "" {
		t.Errorf("the keys are %x, want the same one, of random bytes", keys)
	}
	if err := os.Truncate(file, 1); err != nil {
		t.Fatal(err)
	}
	if stores, err := server.OpenEmbedded(t.Context(), server.Embedded{Dir: dir}); fault.ReasonOf(err) != "STORE_DAMAGED" || !strings.Contains(err.Error(), file+" has 1 bytes, not 32") {
		t.Errorf("OpenEmbedded() with a key that is cut = %v, %v, want STORE_DAMAGED that names its file", stores, err)
	}
}

// TestAnEmptyKeyOfPageTokensIsNone has a first start end between making the file and writing to it.
func TestAnEmptyKeyOfPageTokensIsNone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "page.key")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	opened(t, dir)
	if key, err := os.ReadFile(file); err != nil || len(key) != server.PageKeyBytes {
		t.Errorf("ReadFile(%s) = %d bytes, %v, want a key", file, len(key), err)
	}
}

func TestAServerIsReadyWhenItsStoresAre(t *testing.T) {
	t.Parallel()
	for why, want := range map[error]int{nil: http.StatusOK, errors.New("disk on fire"): http.StatusServiceUnavailable} {
		stores, err := server.OpenEmbedded(t.Context(), server.Embedded{Dir: t.TempDir()})
		if err != nil {
			t.Fatalf("OpenEmbedded() = %v, want no error", err)
		}
		stores.Ready["store"] = func(context.Context) error { return why }
		l := listen(t)
		startOn(t, stores, l)
		d := doors{http: "http://" + l.Addr().String()}
		answer := d.call(t, "", http.MethodGet, "/readyz", "", "")
		answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("GET /readyz of a store with the error %v = %d, want %d", why, answer.StatusCode, want)
		}
	}
}
