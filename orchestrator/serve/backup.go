package serve

import (
	"path/filepath"
	"time"

	"github.com/quorate/quorate/orchestrator/server"
)

// Backup says where the embedded store is copied to while it runs.
type Backup struct {
	Dir   string        `yaml:"dir" doc:"Absolute path of a folder, for nothing else, in which whole copies of the embedded store are made while it runs; each is a folder that can be taken as store.dataDir once it is elsewhere. Empty: none."`
	Every time.Duration `yaml:"every" doc:"Time between two copies, 1m or more."`
	Keep  int           `yaml:"keep" doc:"How many of the newest copies stay, 1 to 1000."`
}

const (
	minBackup = time.Minute
	maxCopies = 1000
)

// Validate refuses a folder that depends on where the process was started, and numbers of which none would be left.
func (b *Backup) Validate() error {
	switch {
	case b.Dir != "" && !filepath.IsAbs(b.Dir):
		return invalid("dir", "%q is not an absolute path", b.Dir)
	case b.Every < minBackup:
		return invalid("every", "%s is less than %s", b.Every, minBackup)
	case b.Keep < 1 || b.Keep > maxCopies:
		return invalid("keep", "%d is not from 1 to %d", b.Keep, maxCopies)
	}
	return nil
}

// apartFrom refuses a store that is itself in the folder of the copies: started from there, it would be removed as an old copy while it runs.
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
