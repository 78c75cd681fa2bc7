package discovery_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/discovery"
	"github.com/quorate/quorate/registry/registrytest"
)

// TestASourceThatIsGoneTakesNoOtherWithIt has four folders, of which one goes away, and a file another one.
func TestASourceThatIsGoneTakesNoOtherWithIt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder := func(name, agent string) string {
		path := filepath.Join(dir, name)
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		into(t, path)(agent+".json", card(agent, "x"))
		return path
	}
	gone, emptied, stays, elsewhere := folder("gone", "a"), folder("emptied", "b"), folder("stays", "c"), folder("elsewhere", "a")
	synctest.Test(t, func(t *testing.T) {
		r := registrytest.New(t, registry.Options{})
		var log strings.Builder
		stop := runAll(t, r, nil, &log, discovery.Source{Folder: gone}, discovery.Source{Folder: emptied}, discovery.Source{Folder: stays},
			discovery.Source{Folder: elsewhere, Tenant: "acme"})
		want(t, r, "at once", "a x", "b x", "c x")
		for _, path := range []string{gone, filepath.Join(emptied, "b.json")} {
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
		}
		pass(4)
		want(t, r, "when a folder is gone, and a file of another", "-a x", "-b x", "c x")
		if a, err := r.Agent(t.Context(), "acme", "a"); err != nil || a.Source.Gone {
			t.Errorf("Agent(a) of the other tenant = gone %t, %v, want it there", a.Source.Gone, err)
		}
		stop()
		for _, wanted := range []string{"agent found", "source of agents not read", "agents are gone from their source"} {
			if !strings.Contains(log.String(), wanted) {
				t.Errorf("logged %s, want %q", log.String(), wanted)
			}
		}
	})
}

// TestAFolderHasAtMostTenThousandCards keeps a mistyped folder from being read for hours.
func TestAFolderHasAtMostTenThousandCards(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	into(t, folder)("0.json", card("a", "x"))
	for n := range 10_000 {
		if err := os.Link(filepath.Join(folder, "0.json"), filepath.Join(folder, fmt.Sprintf("%d.json", n+1))); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		r := registrytest.New(t, registry.Options{})
		var log strings.Builder
		runAll(t, r, nil, &log, discovery.Source{Folder: folder})()
		want(t, r, "of a folder with too many")
		if !strings.Contains(log.String(), "more than 10000 card files") {
			t.Errorf("logged %s, want why the folder is not read", log.String())
		}
	})
}
