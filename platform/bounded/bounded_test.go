package bounded_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quorate/quorate/platform/bounded"
)

func TestAFileIsReadWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "ten")
	if err := os.WriteFile(name, []byte("0123456789"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := bounded.File(name, 10); err != nil || string(got) != "0123456789" {
		t.Errorf("File() of 10 bytes of 10 = %q, %v, want them", got, err)
	}
	if got, err := bounded.File(name, 9); !errors.Is(err, bounded.ErrTooLarge) || !strings.Contains(err.Error(), name) || got != nil {
		t.Errorf("File() of 10 bytes of 9 = %q, %v, want ErrTooLarge and the name", got, err)
	}
}

func TestAnErrorNamesTheFile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	missing := filepath.Join(folder, "missing")
	if _, err := bounded.File(missing, 1); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), missing) {
		t.Errorf("File() of a missing file = %v, want ErrNotExist and the name", err)
	}
	if _, err := bounded.File(folder, 1); err == nil || !strings.Contains(err.Error(), folder) {
		t.Errorf("File() of a folder = %v, want an error with the name", err)
	}
}

func TestARegularFileIsNothingElse(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	name := filepath.Join(folder, "ten")
	if err := os.WriteFile(name, []byte("0123456789"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := bounded.RegularFile(name, 10); err != nil || string(got) != "0123456789" {
		t.Errorf("RegularFile() of 10 bytes of 10 = %q, %v, want them", got, err)
	}
	if _, err := bounded.RegularFile(name, 9); !errors.Is(err, bounded.ErrTooLarge) {
		t.Errorf("RegularFile() of 10 bytes of 9 = %v, want ErrTooLarge", err)
	}
	if _, err := bounded.RegularFile(name+"x", 9); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("RegularFile() of a missing file = %v, want ErrNotExist", err)
	}
	for _, other := range []string{folder, os.DevNull} {
		if _, err := bounded.RegularFile(other, 10); err == nil || !strings.Contains(err.Error(), other+" is not a file") {
			t.Errorf("RegularFile(%s) = %v, want that it is not a file", other, err)
		}
	}
}
