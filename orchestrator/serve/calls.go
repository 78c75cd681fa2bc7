package serve

import (
	"log/slog"

	"github.com/quorate/quorate/platform/rpcserver"
)

// Calls limits what one caller can make this process do.
type Calls struct {
	Max         int     `yaml:"max" doc:"Maximum number of open calls, including streams, 16 to 1000000; one caller may have as many as are still free."`
	PerSecond   float64 `yaml:"perSecond" doc:"How many calls each caller may begin per second, at each replica; 0 means no limit."`
	Burst       int     `yaml:"burst" doc:"How many calls each caller may begin at once; 0 means as many as perSecond."`
	Connections int     `yaml:"connections" doc:"Maximum number of open connections to both ports, 16 to 1000000; one address may have as many as are still free, so a proxy half of all."`
}

const (
	minCalls = 16
	maxCalls = 1_000_000 // these are the bounds of connections, too
)

// Validate refuses limits that are out of bounds or would have no effect.
func (c *Calls) Validate() error {
	switch {
	case c.Max < minCalls || c.Max > maxCalls:
		return invalid("max", "%d is not from %d to %d", c.Max, minCalls, maxCalls)
	case c.Connections < minCalls || c.Connections > maxCalls:
		return invalid("connections", "%d is not from %d to %d", c.Connections, minCalls, maxCalls)
	case !(c.PerSecond >= 0 && c.PerSecond <= maxCalls): // so that NaN is refused
		return invalid("perSecond", "%g is not from 0 to %d", c.PerSecond, maxCalls)
	case c.Burst < 0 || c.Burst > maxCalls:
		return invalid("burst", "%d is not from 0 to %d", c.Burst, maxCalls)
	case c.Burst > 0 && c.PerSecond == 0:
		return invalid("burst", "burst has no effect without perSecond: set perSecond, or take burst away")
	}
	return nil
}

func (c *Calls) limits() rpcserver.Limits {
	return rpcserver.Limits{MaxCalls: c.Max, PerSecond: c.PerSecond, Burst: c.Burst}
}

// connections returns how many may be open where the process may have so many files open, and at which level the log says that these are fewer than
// configured: only who has set a number has asked for as many.
func (c *Calls) connections(files int) (most int, level slog.Level) {
	most = min(c.Connections, files/2) //nolint:mnd // the other half is for agents and the store
	if c.Connections == rpcserver.DefaultMaxConnections {
		return most, slog.LevelInfo
	}
	return most, slog.LevelWarn
}
