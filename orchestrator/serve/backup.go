package serve

import (
	"path/filepath"
	"time"

	"github.com/quorate/quorate/orchestrator/server"
)

// Backup configures copies of the embedded store.
type Backup struct {
	Dir   string        `yaml:"dir" doc:"Absolute path of a folder, used for nothing else, in which complete copies of the embedded store are made while it runs; a copy can serve as store.dataDir once it was moved elsewhere. Empty: none."`
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

// apartFrom refuses a store inside the folder of the copies: a server started on a copy there would later remove it as an old copy, while using it.
func (b *Backup) apartFrom(dataDir string) error {
	if b.Dir == "" {
		return nil
	}
	data, err := filepath.Abs(dataDir)
	if err != nil {
		return invalid("store.dataDir", "the folder %q is no path: %s", dataDir, err)
	}
	if within, err := filepath.Rel(b.Dir, data); err == nil && filepath.IsLocal(within) && within != "." {
		return invalid("store.dataDir", "%q is in the folder of the copies, of which old ones are removed: move it out of backup.dir", dataDir)
	}
	return nil
}

func (b *Backup) backup() server.Backup {
	if b.Dir == "" {
		return server.Backup{}
	}
	return server.Backup{Dir: b.Dir, Every: b.Every, Keep: b.Keep}
}
