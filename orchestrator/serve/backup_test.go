package serve_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quorate/quorate/orchestrator/doctor"
)

// said waits until the log has an entry and returns it.
func (p *process) said(t *testing.T, msg string) map[string]any {
	t.Helper()
	deadline := time.After(patience)
	for {
		for line := range strings.Lines(p.log.String()) {
			var entry map[string]any
			if json.Unmarshal([]byte(line), &entry) == nil && entry["msg"] == msg {
				return entry
			}
		}
		select {
		case <-p.log.more:
		case <-deadline:
			t.Fatalf("nothing says %q after %s:\n%s", msg, patience, p.log)
		}
	}
}

func TestACopyMadeWhileItRunsIsAStoreToStartFrom(t *testing.T) {
	t.Parallel()
	c, admin := config(t)
	first := start(t, c)
	for _, name := range []string{"echo", "other"} {
		if code, body := call(t, new(http.Client), "POST", "http://"+first.addr+"/v1/agents:register", admin, strings.ReplaceAll(card, `"echo"`, `"`+name+`"`)); code != 200 {
			t.Fatalf("register %s = %d %s", name, code, body)
		}
	}
	if err := first.stop(); err != nil {
		t.Fatal(err)
	}
	c.Backup.Dir, c.Backup.Keep = filepath.Join(t.TempDir(), "copies"), 2
	for _, name := range []string{"quorate-20260101T000000Z", "quorate-20260102T000000Z", "quorate-20260103T000000Z", "quorate-20260104T000000Z.part", "notes"} {
		if err := os.MkdirAll(filepath.Join(c.Backup.Dir, name, "within"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	running := start(t, c)
	copied, _ := running.said(t, "backed up")["path"].(string)
	entries, err := os.ReadDir(c.Backup.Dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if want := []string{".lock", "notes", "quorate-20260103T000000Z", filepath.Base(copied)}; !slices.Equal(names, want) {
		t.Errorf("the folder has %q, want %q: the newest, and what is not ours", names, want)
	}
	code, page := call(t, new(http.Client), "GET", "http://"+running.addr+"/v1/agents?page_size=1", admin, "")
	var list struct{ NextPageToken string }
	if err := json.Unmarshal([]byte(page), &list); err != nil || code != 200 {
		t.Fatalf("GET /v1/agents = %d %s, want a page", code, page)
	}

	c.Store.DataDir, c.Backup.Dir = copied, ""
	restored := start(t, c) // while the other runs
	if code, body := call(t, new(http.Client), "GET", "http://"+restored.addr+"/v1/agents?page_size=1&page_token="+list.NextPageToken, admin, ""); code != 200 || !strings.Contains(body, `"other"`) {
		t.Errorf("GET /v1/agents of the copy, with a page token of the original = %d %s, want the other agent", code, body)
	}
}

// TestANewStoreIsAnnounced has a data folder that is empty at the second start, as one whose disk is not mounted. Later, copies of the new store would take the place
// of those of the earlier one.
func TestANewStoreIsAnnounced(t *testing.T) {
	t.Parallel()
	c, _ := config(t)
	c.Backup.Dir = filepath.Join(t.TempDir(), "copies")
	if f := examined(t, c, "store"); f.Status != doctor.OK || !strings.Contains(f.Found, "has no store yet") {
		t.Errorf("the doctor says %+v of a folder that is new, want ok and that it is new", f)
	}
	first := start(t, c)
	if said := first.said(t, "a new store begins"); said["level"] != "INFO" || said["dir"] != c.Store.DataDir {
		t.Errorf("it said %v, want the folder of the new store at level info", said)
	}
	first.said(t, "backed up")
	if err := first.stop(); err != nil {
		t.Fatal(err)
	}
	again := start(t, c)
	if err := again.stop(); err != nil || strings.Contains(again.log.String(), "a new store begins") {
		t.Errorf("a start with the same store says\n%s, want nothing of a new one", again.log)
	}
	c.Store.DataDir = filepath.Join(t.TempDir(), "unmounted")
	if f := examined(t, c, "store"); f.Status != doctor.Warn || !strings.Contains(f.Found, c.Backup.Dir) {
		t.Errorf("the doctor says %+v of an empty folder, want a warning that names the copies", f)
	}
	const warning = "a new store begins, although there are copies of an earlier one"
	if said := start(t, c).said(t, warning); said["level"] != "WARN" || said["dir"] != c.Store.DataDir || said["copies"] != c.Backup.Dir {
		t.Errorf("it said %v, want a warning with both folders", said)
	}
}

// TestServersDoNotRemoveEachOthersCopies has two servers with one folder for copies, of which each keeps the newest.
func TestServersDoNotRemoveEachOthersCopies(t *testing.T) {
	t.Parallel()
	c, _ := config(t)
	c.Backup.Dir, c.Backup.Keep = filepath.Join(t.TempDir(), "copies"), 1
	first := start(t, c)
	copied, _ := first.said(t, "backed up")["path"].(string)
	other, _ := config(t)
	other.Backup = c.Backup
	second := start(t, other)
	if said := second.said(t, "the store could not be backed up; trying again"); !strings.Contains(fmt.Sprint(said["error"]), "another quorate uses the directory "+c.Backup.Dir) {
		t.Errorf("the second server says %v, want that another one uses the folder", said)
	}
	if _, err := os.Stat(filepath.Join(copied, "quorate.db")); err != nil {
		t.Errorf("the copy of the first server: %v, want it to be there", err)
	}
	if err := errors.Join(first.stop(), os.RemoveAll(copied)); err != nil {
		t.Fatal(err)
	}
	start(t, c).said(t, "backed up")
}

func TestItServesWithoutACopyThatCannotBeMade(t *testing.T) {
	t.Parallel()
	c, admin := config(t)
	c.Backup.Dir = filepath.Join(write(t, filepath.Join(t.TempDir(), "file"), ""), "copies")
	p := start(t, c)
	if said := p.said(t, "the store could not be backed up; trying again"); said["level"] != "ERROR" || said["dir"] != c.Backup.Dir {
		t.Errorf("it said %v, want an error with the folder", said)
	}
	if code, body := call(t, new(http.Client), "GET", "http://"+p.addr+"/v1/agents", admin, ""); code != 200 {
		t.Errorf("GET /v1/agents = %d %s, want 200", code, body)
	}
}
