package dev_test

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/quorate/quorate/orchestrator/dev"
	"github.com/quorate/quorate/platform/fault"
)

func TestTheDocumentedDemoSiteIsWhereItIs(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	pages := regexp.MustCompile(`http://([0-9.:]+)/article`).FindAllSubmatch(readme, -1)
	if len(pages) == 0 {
		t.Fatal("README.md names no page of the demo site")
	}
	for _, page := range pages {
		if string(page[1]) != dev.DemoAddr {
			t.Errorf("README.md reads %s, want a page of %s", page[0], dev.DemoAddr)
		}
	}
}

func TestTheDemoSiteMovesWhenItsPortIsTaken(t *testing.T) {
	t.Parallel()
	if l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", dev.DemoAddr); err == nil { // otherwise another program has it already
		defer l.Close() //nolint:errcheck // nothing was accepted
	}
	start(t, t.TempDir())
}

func TestAStartThatFailsLeavesThePortsOfTheRunningOneAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	start(t, dir)
	file := filepath.Join(configIn(dir).Store.DataDir, "ports.json")
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := dev.Run(t.Context(), configIn(dir), t.Output(), t.Output()); fault.ReasonOf(err) != "STORE_LOCKED" {
		t.Fatalf("Run() on data that is in use = %v, want STORE_LOCKED", err)
	}
	if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
		t.Errorf("the ports for the next start are %s, %v, want %s still", after, err, before)
	}
}

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

func TestAnAddressHasAPort(t *testing.T) {
	t.Parallel()
	for _, addr := range []string{"127.0.0.1", "127.0.0.1:", ""} {
		cfg := configIn(t.TempDir())
		cfg.GRPC.Addr = addr
		if err := cfg.Validate(); err == nil || !strings.Contains(err.Error(), "is not an address") {
			t.Errorf("Validate() with grpc.addr %q = %v, want that it is not an address", addr, err)
		}
	}
}
