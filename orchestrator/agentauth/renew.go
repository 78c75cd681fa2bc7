package agentauth

import (
	"context"
	"log/slog"
	"os"
	"time"
)

// checkEvery is how often the file is looked at.
const checkEvery = 10 * time.Second

// Run reads the file again whenever it has changed, until ctx ends. A file that is wrong, or gone, changes nothing: the list of before counts as a whole, and
// the log says so. What an entry that is gone was shown for is not shown from then on; calls under way go on, but for those over connections that were made
// with its client certificate.
func (c *Credentials) Run(ctx context.Context) error {
	if c == nil || c.config.File == "" {
		<-ctx.Done()
		return nil
	}
	ticker := time.NewTicker(checkEvery)
	defer ticker.Stop()
	told := "" // the error that was logged last
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		changed, err := c.Renew()
		said := ""
		if err != nil {
			said = err.Error()
		}
		if said != "" && said != told {
			c.config.Logger.ErrorContext(ctx, "the credentials for agents could not be read again; those of before count", slog.Any("error", err))
		}
		if told = said; changed {
			c.config.Logger.InfoContext(ctx, "the credentials for agents were read again", slog.String("file", c.config.File), slog.Int("entries", len(c.now.Load().made)))
		}
	}
}

// Renew reads the file if it has changed, and reports whether it did. One that is wrong is looked at again, for a secret that it names may come later.
func (c *Credentials) Renew() (changed bool, err error) {
	before := c.now.Load()
	if info, err := os.Stat(c.config.File); err == nil && info.ModTime().Equal(before.changed) {
		return false, nil
	}
	next, err := c.config.read(before)
	if err != nil {
		return false, err
	}
	c.now.Store(next)
	before.closeBut(next)
	return true, nil
}
