package server_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quorate/quorate/orchestrator/server"
	"github.com/quorate/quorate/platform/fault"
)

func TestAStoreThatLostItsMainFileIsNotReplacedByAnEmptyOne(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(file string) error{
		"missing": os.Remove,
		"empty":   func(file string) error { return os.Truncate(file, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			stores, err := server.OpenEmbedded(t.Context(), server.Embedded{Dir: dir})
			if err != nil {
				t.Fatalf("OpenEmbedded() = %v, want no error", err)
			}
			if err := stores.Close(); err != nil {
				t.Fatalf("Close() = %v, want no error", err)
			}
			if err := lose(filepath.Join(dir, "quorate.db")); err != nil {
				t.Fatal(err)
			}
			if err := server.LookEmbedded(dir); fault.ReasonOf(err) != "STORE_INCOMPLETE" {
				t.Errorf("LookEmbedded() = %v, want STORE_INCOMPLETE", err)
			}
			stores, err = server.OpenEmbedded(t.Context(), server.Embedded{Dir: dir})
			if fault.ReasonOf(err) != "STORE_INCOMPLETE" || !strings.Contains(err.Error(), "restore all files") {
				t.Errorf("OpenEmbedded() = %v, want STORE_INCOMPLETE with what to do", err)
			}
			if err == nil {
				_ = stores.Close()
			}
		})
	}
}
