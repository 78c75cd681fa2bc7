//go:build unix

package secretfile_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/quorate/quorate/platform/certtest"
	"github.com/quorate/quorate/platform/secretfile"
)

// A handshake reads a certificate again that has changed: it would wait, and all others with it.
func TestNobodyWaitsForAPipe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe, key := filepath.Join(dir, "pipe"), filepath.Join(dir, "key")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	write(t, key, string(certtest.NewAuthority(t).Key), 0o600, time.Now())
	_, ofPair := secretfile.OpenKeyPair(pipe, key, nil)
	_, ofAuthorities := secretfile.Authorities(pipe)
	_, ofSecret := secretfile.Open(pipe, nil)
	for what, err := range map[string]error{"OpenKeyPair": ofPair, "Authorities": ofAuthorities, "Open": ofSecret} {
		if err == nil || !strings.Contains(err.Error(), pipe+" is not a file") {
			t.Errorf("%s() of a pipe = %v, want that it is not a file", what, err)
		}
	}
}
