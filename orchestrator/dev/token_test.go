package dev_test

import (
	"errors"
	"io/fs"
	"os"
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
