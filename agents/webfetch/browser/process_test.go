//go:build linux

package browser_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/quorate/quorate/agents/webfetch"
)

// TestNoZombiesAreLeft has this process inherit what Chromium's processes start, as the first process of a container does.
func TestNoZombiesAreLeft(t *testing.T) {
	inherit := func(on uintptr) {
		const subreaper = 36 // PR_SET_CHILD_SUBREAPER of prctl(2)
		if _, _, failure := syscall.RawSyscall(syscall.SYS_PRCTL, subreaper, on, 0); failure != 0 {
			t.Fatal(failure)
		}
	}
	inherit(1)
	defer inherit(0)
	site, host := serve(t, page(shell))
	f := newFetcher(t, host)
	const pages, handlers = 3, 2 // Chromium's two crash handlers may end after it, and are waited for by the next page
	for range pages {
		if p, err := f.Fetch(t.Context(), webfetch.Request{URL: site + "/", Render: webfetch.RenderAlways}); err != nil {
			t.Errorf("Fetch() = %+v, %v, want the page", p, err)
		}
	}
	if left := children(t); len(left) > handlers {
		t.Errorf("after %d pages, there are still %d processes of Chromium: %q", pages, len(left), left)
	}
}

// children returns the processes that this one has to wait for.
func children(t *testing.T) (all []string) {
	t.Helper()
	paths, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(paths) == 0 {
		t.Fatalf("Glob(processes) = %q, %v, want some", paths, err)
	}
	for _, path := range paths {
		text, _ := os.ReadFile(path) // it may have ended
		name, rest, _ := strings.Cut(string(text), ") ")
		var state string
		var parent int
		if _, err := fmt.Sscan(rest, &state, &parent); err == nil && parent == os.Getpid() {
			all = append(all, name+") "+state)
		}
	}
	return all
}
