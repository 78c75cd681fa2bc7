package browser

import (
	"fmt"
	"os"
	"path/filepath"
)

// scratchPattern is how directories of browsers are named.
const scratchPattern = "quorate-browser-*"

// scratch is the directory in which everything lies that one browser writes: its profile, sockets and temporary files. Chromium is killed when its page
// ends, and removes nothing itself.
type scratch struct {
	path string
	lock *os.File // held while the browser runs, so that a directory without is known to be left over; see removeLeft
}

// newScratch makes a directory for a browser. First it removes those that killed processes have left.
func newScratch() (scratch, error) {
	base := scratchBase()
	removeLeft(base)
	for {
		path, err := os.MkdirTemp(base, scratchPattern)
		if err != nil {
			return scratch{}, fmt.Errorf("make a directory for a browser: %w", err)
		}
		lock := lockDirectory(path)
		if _, err := os.Stat(path); err == nil {
			return scratch{path: path, lock: lock}, nil
		}
		_ = lock.Close() // another process has removed it before it was locked
	}
}

// scratchBase returns the system's temporary directory, or /tmp where its path is too long: Chromium makes a socket below it.
func scratchBase() string {
	const socket = "/quorate-browser-0123456789/org.chromium.Chromium.012345/SingletonSocket"
	const longest = 103 // of the path of a socket, which has 104 bytes with its end on some systems and 108 on others
	if base := os.TempDir(); len(base)+len(socket) <= longest {
		return base
	}
	return "/tmp"
}

// profile is the directory of Chromium's user data.
func (s scratch) profile() string { return filepath.Join(s.path, "profile") }

// remove removes the directory. What a process of Chromium that ends late may still write there, the next page removes.
func (s scratch) remove() {
	_ = os.RemoveAll(s.path)
	_ = s.lock.Close()
}
