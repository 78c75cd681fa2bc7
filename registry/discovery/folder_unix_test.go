//go:build unix

package discovery_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/discovery"
	"github.com/quorate/quorate/registry/registrytest"
)

func TestAFolderMayHoldWhatIsNoFile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(folder, "1.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(folder, "2.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	into(t, folder)("3.json", card("a", "x"))
	synctest.Test(t, func(t *testing.T) {
		r := registrytest.New(t, registry.Options{})
		var log strings.Builder
		runAll(t, r, nil, &log, discovery.Source{Folder: folder})()
		want(t, r, "beside a pipe, which is not waited for", "a x")
		if got := log.String(); !strings.Contains(got, "1.json") || !strings.Contains(got, "it is not a file") || strings.Contains(got, "2.json") {
			t.Errorf("logged %s, want that the pipe is no file, and nothing about the folder", got)
		}
	})
}
