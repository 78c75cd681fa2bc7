//go:build unix

package auth_test

import (
	"log/slog"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
)

func TestAPipeOfKeysIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "keys")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := auth.OpenKeysFile(pipe, "auth.keysFile", slog.New(slog.DiscardHandler))
	if fault.ReasonOf(err) != "CONFIG_INVALID" || !strings.Contains(err.Error(), pipe+" is not a file") {
		t.Errorf("OpenKeysFile() of a pipe = %v, want CONFIG_INVALID and that it is not a file", err)
	}
}
