//go:build linux

package browser_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/platform/config"
)

// temporary makes a directory the system's temporary one. Its path is short, as that of Chromium's socket has to be.
func temporary(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "q") //nolint:usetesting // the path of t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	t.Setenv("TMPDIR", dir)
	return dir
}

// filesIn returns the names in dir.
func filesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

func TestWhatABrowserWritesIsRemoved(t *testing.T) {
	dir := temporary(t)
	var sockets []string // where they are, while a page is loaded
	site, host := serve(t, func(w http.ResponseWriter, r *http.Request) {
		links, _ := filepath.Glob(filepath.Join(dir, "*", "profile", "SingletonSocket")) // the pattern is valid
		for _, link := range links {
			socket, err := os.Readlink(link)
			if err != nil {
				t.Error(err)
			}
			sockets = append(sockets, socket)
		}
		if r.URL.Path == "/endless" {
			page("<p>x</p><script>for (;;) {}</script>")(w, &http.Request{URL: r.URL.JoinPath("..")})
			return
		}
		page(shell)(w, r)
	})
	f := newFetcher(t, host)
	if p, err := f.Fetch(t.Context(), webfetch.Request{URL: site + "/", Render: webfetch.RenderAlways}); err != nil || !strings.Contains(p.Content, "written by a script") {
		t.Errorf("Fetch() = %q, %v, want the page", p.Content, err)
	}
	if p, err := f.Fetch(t.Context(), webfetch.Request{URL: site + "/endless", Render: webfetch.RenderAlways, Timeout: 4 * time.Second}); p.ErrorCode != webfetch.CodeTimeout {
		t.Errorf("Fetch(an endless script) = %+v, %v, want a timeout", p, err)
	}
	if len(sockets) == 0 {
		t.Error("no page was loaded by a Chromium whose profile is in the temporary directory")
	}
	for _, socket := range sockets {
		if !strings.HasPrefix(socket, dir) {
			t.Errorf("Chromium has made %s, want it in %s", socket, dir)
		}
	}
	if left := filesIn(t, dir); len(left) > 0 {
		t.Errorf("%q are left of two pages, want nothing", left)
	}
}

// TestWhatAKilledProcessLeavesIsRemoved kills another process while its browser loads a page.
func TestWhatAKilledProcessLeavesIsRemoved(t *testing.T) {
	find(t)
	dir := temporary(t)
	asked := make(chan struct{}, 8)
	slow, slowHost := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		asked <- struct{}{}
		<-r.Context().Done()
	})
	other := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestRenderForAnother$")
	other.Env = append(os.Environ(), "RENDER_URL="+slow+"/", "RENDER_HOST="+slowHost)
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	<-asked
	site, host := serve(t, page(shell))
	f := newFetcher(t, host)
	render := func() {
		if p, err := f.Fetch(t.Context(), webfetch.Request{URL: site + "/", Render: webfetch.RenderAlways}); err != nil {
			t.Errorf("Fetch() = %+v, %v, want the page", p, err)
		}
	}
	render()
	if links, _ := filepath.Glob(filepath.Join(dir, "*", "profile", "SingletonSocket")); len(links) != 1 {
		t.Errorf("%q are there while another process has a page open, want one of its browser", links)
	}
	_ = other.Process.Kill()
	_ = other.Wait()
	if names := filesIn(t, dir); len(names) != 1 {
		t.Errorf("%q are left of a killed process, want its directory", names)
	}
	for try := 0; try < 5 && len(filesIn(t, dir)) > 0; try++ { // its Chromium may still be ending, and write while it does
		render()
	}
	if left := filesIn(t, dir); len(left) > 0 {
		t.Errorf("%q are left after the next pages, want nothing", left)
	}
}

// TestRenderForAnother is what the other process of TestWhatAKilledProcessLeavesIsRemoved does.
func TestRenderForAnother(t *testing.T) {
	url := config.Env("RENDER_URL")
	if url == "" {
		return
	}
	p, err := newFetcher(t, config.Env("RENDER_HOST")).Fetch(t.Context(), webfetch.Request{URL: url, Render: webfetch.RenderAlways, Timeout: 5 * time.Minute})
	t.Errorf("Fetch() = %+v, %v, want to be killed before", p, err)
}
