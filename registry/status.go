package registry

import (
	"fmt"
	"time"
)

// What an agent's status can be.
const (
	StatusAvailable   = "available"
	StatusBusy        = "busy"
	StatusUnavailable = "unavailable"
	StatusError       = "error"
	StatusUnknown     = "unknown" // never heard of
)

// Status is an agent's state at the time of reading.
type Status struct {
	Status          string // one of the constants above
	CurrentTaskID   string // when busy
	ErrorMessage    string // what the agent says is wrong, or why it counts as unavailable
	LastHeartbeat   time.Time
	LeaseExpireTime time.Time
	Epoch           int64 // of the process that holds the lease
}

// Pulse is what is stored about an agent's life: its own last word and the last probe that it answered. Beats and probes
// write their own fields only, so neither can renew the other.
type Pulse struct {
	Epoch         int64     `json:"epoch,omitempty"` // grows with every process that starts to beat
	Word          string    `json:"word,omitempty"`  // available, busy, unavailable or error
	CurrentTaskID string    `json:"current_task_id,omitempty"`
	ErrorMessage  string    `json:"error_message,omitempty"`
	BeatTime      time.Time `json:"beat_time,omitzero"`
	BeatExpire    time.Time `json:"beat_expire,omitzero"`
	ProbeTime     time.Time `json:"probe_time,omitzero"`
	ProbeExpire   time.Time `json:"probe_expire,omitzero"`
}

// beating reports whether the agent's own lease is live.
func (p Pulse) beating(now time.Time) bool { return now.Before(p.BeatExpire) }

// answering reports whether the lease of the last answered probe is live.
func (p Pulse) answering(now time.Time) bool { return now.Before(p.ProbeExpire) }

// At returns the status at now. The agent's own word counts while its own lease is live. After that an answered probe shows
// that the agent is up, but not that it has finished what it called itself busy with or recovered from its error.
func (p Pulse) At(now time.Time) Status {
	s := Status{Epoch: p.Epoch, LastHeartbeat: later(p.BeatTime, p.ProbeTime), LeaseExpireTime: later(p.BeatExpire, p.ProbeExpire)}
	ownWord := p.beating(now) || p.Word == StatusBusy || p.Word == StatusError
	switch {
	case s.LastHeartbeat.IsZero():
		s.Status = StatusUnknown
	case !p.beating(now) && !p.answering(now):
		s.Status = StatusUnavailable
		s.ErrorMessage = fmt.Sprintf("not heard of since %s; the lease ended at %s",
			s.LastHeartbeat.Format(time.RFC3339), s.LeaseExpireTime.Format(time.RFC3339))
	case ownWord:
		s.Status, s.ErrorMessage = p.Word, p.ErrorMessage
		if p.Word == StatusBusy {
			s.CurrentTaskID = p.CurrentTaskID
		}
	default:
		s.Status = StatusAvailable
	}
	return s
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
