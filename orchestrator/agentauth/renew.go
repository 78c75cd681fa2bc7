package agentauth

import (
	"context"
	"log/slog"
	"time"
)

// checkEvery is the interval at which the file is checked.
const checkEvery = 10 * time.Second

// Run reloads the file when it has changed, until ctx ends. If it is wrong or gone, the previous list stays in use as a whole, and that is logged.
// Credentials of removed entries are no longer sent; calls in progress continue, except those over connections with their client certificates.
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

// Renew reloads the file if it has changed, and reports whether it did. A wrong file is read again each time, since a secret to which it refers may
// appear later.
func (c *Credentials) Renew() (changed bool, err error) {
	before := c.now.Load()
	if hash, err := c.config.hash(); err == nil && hash == before.hash {
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
