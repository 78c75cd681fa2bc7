package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/quorate/quorate/orchestrator/doctor"
	"github.com/quorate/quorate/orchestrator/server"
	"github.com/quorate/quorate/platform/fault"
)

const (
	littleSpace = 16 << 20 // bytes; with less the next write of a store may fail
	someSpace   = 1 << 30  // bytes; with less an operator should do something
	lateBackup  = 10 * time.Minute

	letItWrite = "run this as the server's user, and let that write there"
)

func (c *Config) checkStore(ctx context.Context) doctor.Finding {
	if c.Store.Kind == KindDynamoDB {
		return c.checkTables(ctx)
	}
	dir := c.Store.DataDir
	err := server.LookEmbedded(dir)
	switch {
	case locked(err):
		return c.checkHolder(ctx)
	case notWritable(err):
		return doctor.Failed(err, letItWrite)
	case err != nil:
		return doctor.Failed(err, "restore a backup")
	}
	if err := writable(dir); err != nil {
		return doctor.Failed(err, letItWrite)
	}
	size, err := server.EmbeddedSize(dir)
	switch {
	case err != nil:
		return doctor.Failed(err, "")
	case size == 0 && c.Backup.backup().Exists():
		return doctor.Warned("look whether it is the right folder, and its disk is mounted; if the store is lost, restore a copy", "%s has no store, but %s has copies of one; a start makes a new store", dir, c.Backup.Dir)
	case size == 0:
		return doctor.Found("%s has no store yet; a start makes a new one", dir)
	}
	return doctor.Found("%s can be used", dir)
}

// locked reports whether err says that another process has a file of a store open.
func locked(err error) bool { return fault.ReasonOf(err) == "STORE_LOCKED" }

// checkHolder finds out whether it may be this server that has the store open: another one keeps it from starting.
func (c *Config) checkHolder(ctx context.Context) doctor.Finding {
	if _, free := checkFree(ctx, "http.addr", c.HTTP.Addr); free {
		return doctor.Failed(fmt.Errorf("%s is in use by a process that does not serve http.addr (%s)", c.Store.DataDir, c.HTTP.Addr),
			"stop that process, or choose another store.dataDir; if it is this server, which starts, stops or has other settings, ask again when it has these")
	}
	return doctor.Found("%s is in use by a running server", c.Store.DataDir)
}

// checkTables asks for more than a replica, which is not allowed to read the settings of tables.
func (c *Config) checkTables(ctx context.Context) doctor.Finding {
	db, err := server.ReachTables(ctx, c.Store.DynamoDB())
	if err != nil {
		return doctor.Failed(err, "check region, endpoint, table prefix, credentials and policy; quorate tables plan says what is missing")
	}
	steps, err := db.Plan(ctx, server.Tables())
	switch {
	case fault.ReasonOf(err) == "STORE_DENIED":
		return doctor.Found("all tables and indexes of a replica are there; whether ttl and backups are on, its policy does not let it see: run quorate tables plan as an administrator")
	case err != nil:
		return doctor.Failed(err, "")
	case len(steps) == 0:
		return doctor.Found("all tables are as they should be")
	}
	var open []string
	for _, s := range steps {
		open = append(open, s.Table+": "+s.What)
	}
	return doctor.Warned("quorate tables apply", "the tables are there, but: %s", strings.Join(open, "; "))
}

func (c *Config) checkDisk(ctx context.Context) doctor.Finding {
	if c.Store.Kind != KindEmbedded {
		return notConfigured(ctx)
	}
	return checkSpace(c.Store.DataDir, littleSpace, someSpace)
}

func (c *Config) checkBackup(ctx context.Context) doctor.Finding {
	if c.Backup.Dir == "" {
		return notConfigured(ctx)
	}
	if err := writable(c.Backup.Dir); err != nil {
		return doctor.Failed(err, "let the server's user write to backup.dir")
	}
	if c.Backup.backup().Taken() && !locked(server.LookEmbedded(c.Store.DataDir)) { // our own server would have its store open, too
		return doctor.Failed(fmt.Errorf("another server makes copies in %s, and this one would make none", c.Backup.Dir), "choose another backup.dir for one of them")
	}
	if late := c.Backup.backup().Overdue(time.Now()); late > lateBackup {
		return doctor.Warned("start the server, which makes it then, or look for the reason in its log", "a copy has been due for %s", late.Round(time.Minute))
	}
	size, err := server.EmbeddedSize(c.Store.DataDir)
	if err != nil {
		return doctor.Failed(err, "")
	}
	return checkSpace(c.Backup.Dir, size, size+someSpace)
}

// checkSpace finds out whether there is room for so many bytes in a folder.
func checkSpace(dir string, least, enough int64) doctor.Finding {
	free, err := freeBytes(existing(dir))
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return doctor.Skipped("the free space cannot be read on this system")
	case err != nil:
		return doctor.Failed(err, "")
	}
	const todo = "free space there, or move to a larger disk"
	found := fmt.Sprintf("%d MiB are free for %s", free>>20, dir)
	switch {
	case free < least:
		return doctor.Failed(fmt.Errorf("only %s, and at least %d MiB are needed", found, least>>20), todo)
	case free < enough:
		return doctor.Warned(todo, "only %s", found)
	}
	return doctor.Found("%s", found)
}

// writable makes a file in a folder, or in the one in which it will be made, and removes it.
func writable(dir string) error {
	f, err := os.CreateTemp(existing(dir), ".quorate-doctor-*")
	if err != nil {
		return fmt.Errorf("%s cannot be written to: %w", dir, err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// existing returns dir or, while that is not there, the folder above it that is.
func existing(dir string) string {
	for {
		above := filepath.Dir(dir)
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) || above == dir { // a link to what is not there cannot be made a folder
			return dir
		}
		dir = above
	}
}
