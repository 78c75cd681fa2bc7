package dev_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/quorate/quorate/orchestrator/dev"
	"github.com/quorate/quorate/platform/fault"
)

func TestAFolderThatOthersMayWriteToHoldsNoToken(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // a start that is not refused ends at once
	for _, mode := range []os.FileMode{0o720, 0o702, 0o777 | os.ModeSticky} {
		cfg := configIn(t.TempDir())
		if err := os.Mkdir(cfg.Store.DataDir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(cfg.Store.DataDir, mode); err != nil { // not by Mkdir, whose mode the umask narrows
			t.Fatal(err)
		}
		err := dev.Run(ctx, cfg, t.Output(), t.Output())
		if fault.ReasonOf(err) != "CONFIG_INVALID" || !strings.Contains(err.Error(), "(mode "+(os.ModeDir|mode).String()+"): run chmod go-w on it") {
			t.Errorf("Run() on a folder of mode %s = %v, want CONFIG_INVALID and what to do", mode, err)
		}
		if files, err := os.ReadDir(cfg.Store.DataDir); err != nil || len(files) > 0 {
			t.Errorf("ReadDir() of a folder of mode %s = %v, %v, want that it is left alone", mode, files, err)
		}
	}
}

func TestADataFolderThatCannotBeMadeIsNamed(t *testing.T) {
	t.Parallel()
	cfg := configIn(t.TempDir())
	if err := os.WriteFile(cfg.Store.DataDir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	err := dev.Run(t.Context(), cfg, t.Output(), t.Output())
	if fault.ReasonOf(err) != "CONFIG_INVALID" || !strings.Contains(err.Error(), cfg.Store.DataDir) || !strings.Contains(err.Error(), "choose another with --data-dir") {
		t.Errorf("Run() on a file = %v, want CONFIG_INVALID, its name and what to do", err)
	}
}
