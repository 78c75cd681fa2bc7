package dev_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestThePortsFileIsThereWhileAllIsReady(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "ports.json")
	if err := os.WriteFile(file, []byte("of an earlier start"), 0o600); err != nil {
		t.Fatal(err)
	}
	start(t, dir).stop() // start reads the file
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Stat(ports file) after the end = %v, want that it is gone", err)
	}
}
