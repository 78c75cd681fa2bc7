//go:build unix

package dev_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/quorate/quorate/orchestrator/dev"
	"github.com/quorate/quorate/platform/fault"
)

func TestATokenFileThatACrashLeftEmptyGetsAToken(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cfg := configIn(dir)
	if err := os.Mkdir(cfg.Store.DataDir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dev.TokenFile(cfg.Store.DataDir), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	start(t, dir).addEcho(t)
}

// TestAStartThatFailsMakesNoToken starts a second dev mode on data in use: a token of its own would be in the file, and be refused by the first one.
func TestAStartThatFailsMakesNoToken(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	start(t, dir)
	file := dev.TokenFile(configIn(dir).Store.DataDir)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := dev.Run(t.Context(), configIn(dir), t.Output(), t.Output()); fault.ReasonOf(err) != "STORE_LOCKED" {
		t.Fatalf("Run() on data that is in use = %v, want STORE_LOCKED", err)
	}
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Stat(%s) = %v, want that there is no such file", file, err)
	}
}

func TestATokenFileThatHoldsNoTokenOfOursIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := func(name, text string, mode os.FileMode) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
		return file
	}
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		dir:  "is not a file: remove it",
		pipe: "is not a file: remove it",
		in("long", strings.Repeat("x", 4<<10+1), 0o600): "it has more than 4096 bytes; delete it",
		in("short", "secret\n", 0o600):                  "holds no token: delete it",
		in("open", strings.Repeat("x", 40), 0o640):      "may be read by others (mode -rw-r-----): run chmod 600 on it",
	} {
		if token, err := dev.AdminToken(file); err == nil || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), want) {
			t.Errorf("adminToken(%s) = %s, %v, want an error with the file and %q", file, token, err, want)
		}
	}
}
