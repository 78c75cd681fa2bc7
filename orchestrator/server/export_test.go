package server

import "time"

// Due is how long a next copy has time.
func (b Backup) Due(now time.Time) time.Duration { return (&copies{Backup: b}).due(now) }
