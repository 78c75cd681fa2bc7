package serve

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/quorate/quorate/orchestrator/server"
)

// Backup configures copies of the embedded store.
type Backup struct {
	Dir   string        `yaml:"dir" doc:"Absolute path of a folder outside store.dataDir, used for nothing else and by no other server, in which complete copies of the embedded store are made while it runs; a copy can serve as store.dataDir once it was moved elsewhere. Empty: none."`
	Every time.Duration `yaml:"every" doc:"Time between two copies, 1m or more."`
	Keep  int           `yaml:"keep" doc:"How many of the newest copies are kept, 1 to 1000."`
}

const (
	minBackup = time.Minute
	maxCopies = 1000

	defaultEvery = 24 * time.Hour
	defaultKeep  = 7
)

// Validate refuses a relative path, which depends on where the process is started, and settings by which no copies would be made or kept.
func (b *Backup) Validate() error {
	switch {
	case b.Dir != "" && !filepath.IsAbs(b.Dir):
		return invalid("dir", "%q is not an absolute path", b.Dir)
	case b.Every < minBackup:
		return invalid("every", "%s is less than %s", b.Every, minBackup)
	case b.Keep < 1 || b.Keep > maxCopies:
		return invalid("keep", "%d is not from 1 to %d", b.Keep, maxCopies)
	case b.Dir == "" && (b.Every != defaultEvery || b.Keep != defaultKeep):
		return invalid("dir", "no copies are made without dir: set it, or take every and keep away")
	}
	return nil
}

// apartFrom refuses a store inside the folder of the copies, where a server started on a copy would later be removed as an old one, while using it; and copies inside
// the folder of the store, which would be lost with it, or when it is emptied for a restore.
func (b *Backup) apartFrom(dataDir string) error {
	if b.Dir == "" {
		return nil
	}
	data, err := filepath.Abs(dataDir)
	if err != nil {
		return invalid("store.dataDir", "the folder %q is no path: %s", dataDir, err)
	}
	data, copies := resolved(data), resolved(b.Dir)
	switch {
	case within(data, copies):
		return invalid("backup.dir", "%q is the folder of the store, or in it, and copies there are lost with it: choose a folder outside store.dataDir, best on another disk", b.Dir)
	case within(copies, data):
		return invalid("store.dataDir", "%q is in the folder of the copies, of which old ones are removed: move it out of backup.dir", dataDir)
	}
	return nil
}

// resolved follows the symbolic links in a path, as far as it exists.
func resolved(path string) string {
	there := existing(path)
	followed, err := filepath.EvalSymlinks(there)
	if err != nil {
		return path // what is wrong with it is found when it is used
	}
	return filepath.Join(followed, strings.TrimPrefix(path, there))
}

// within reports whether a path is a folder or below it.
func within(folder, path string) bool {
	below, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(below)
}

func (b *Backup) backup() server.Backup {
	if b.Dir == "" {
		return server.Backup{}
	}
	return server.Backup{Dir: b.Dir, Every: b.Every, Keep: b.Keep}
}
