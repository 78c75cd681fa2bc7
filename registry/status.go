package registry

import "time"

// Statuses of an agent.
const (
	StatusAvailable   = "available"
	StatusBusy        = "busy"
	StatusUnavailable = "unavailable"
	StatusError       = "error"
	StatusUnknown     = "unknown" // never heard of
)

// neverHeard is the message for an unknown agent. Without it, nobody who registers a card by its text learns why no task is routed to the agent.
const neverHeard = "so far it has sent no heartbeat, and its own card was not found at its address"

// Status is an agent's state at the time of reading.
type Status struct {
	Status          string // one of the constants above
	CurrentTaskID   string // when busy
	ErrorMessage    string // what the agent reports as wrong, or why it is drained or unknown; Message says more
	LastHeartbeat   time.Time
	LeaseExpireTime time.Time
	Epoch           int64 // of the process that holds the lease
	Capacity        int   // how many tasks the agent can work on at a time; 0 when it does not say
	InFlight        int   // how many tasks it is working on, as it says
	Draining        bool  // an admin keeps new tasks from it; Status is then StatusUnavailable, or StatusError if the agent reports one
	Silent          bool  // it had leases, and none of them is live; Status is then StatusUnavailable
}

// Message returns ErrorMessage or, for an agent that is silent and not drained, since when. That is written only when somebody asks: a decision looks at
// hundreds of agents.
func (s *Status) Message() string {
	if !s.Silent || s.Draining {
		return s.ErrorMessage
	}
	return "not heard of since " + s.LastHeartbeat.Format(time.RFC3339) + "; the lease ended at " + s.LeaseExpireTime.Format(time.RFC3339)
}

// Pulse is what is stored about an agent's life: the last status that it reported, the last probe that it answered, and whether an admin drains it.
// Heartbeats, probes and admins write separate fields, so none of them can renew or resume for another. A store must not let a pulse with a DrainTime
// expire.
type Pulse struct {
	Epoch         int64     `json:"epoch,omitempty"` // incremented by each process that starts to beat
	Word          string    `json:"word,omitempty"`  // the reported status: available, busy, unavailable or error
	CurrentTaskID string    `json:"current_task_id,omitempty"`
	ErrorMessage  string    `json:"error_message,omitempty"`
	BeatTime      time.Time `json:"beat_time,omitzero"`
	BeatExpire    time.Time `json:"beat_expire,omitzero"`
	ProbeTime     time.Time `json:"probe_time,omitzero"`
	ProbeExpire   time.Time `json:"probe_expire,omitzero"`
	Capacity      int       `json:"capacity,omitempty"`
	InFlight      int       `json:"in_flight,omitempty"`
	DrainTime     time.Time `json:"drain_time,omitzero"` // zero means not drained
	DrainReason   string    `json:"drain_reason,omitempty"`
	SeenTime      time.Time `json:"seen_time,omitzero"`  // when the agent was last seen in its source
	Announced     string    `json:"announced,omitempty"` // the last status in the change log; empty is StatusUnknown
}

// beating reports whether the lease of the last heartbeat is live.
func (p Pulse) beating(now time.Time) bool { return live(p.BeatTime, p.BeatExpire, now) }

// answering reports whether the lease of the last answered probe is live.
func (p Pulse) answering(now time.Time) bool { return live(p.ProbeTime, p.ProbeExpire, now) }

// live reports whether a lease is live. One that begins later than it lasts is from a clock that was set back since then, and would seem live for as long as that
// was ahead.
func live(begin, end, now time.Time) bool {
	return now.Before(end) && (!begin.After(now) || begin.Sub(now) < end.Sub(begin)) // the latter alone says as much, but a decision may ask for thousands
}

// answered renews the lease of a probe that was sent at a time and answered, unless a later one was. It counts from the sending: the answer says nothing
// about a later time.
func (p *Pulse) answered(asked time.Time, lease time.Duration) {
	if asked.After(p.ProbeTime) || !p.answering(asked) {
		p.ProbeTime, p.ProbeExpire = asked, asked.Add(lease)
	}
}

// At returns the status at now. The reported status counts while the agent's own lease is live. After that an answered probe proves only that the
// agent is up, not that it has finished the work for which it was busy, or recovered from its error. How many tasks it had while it was available says nothing
// by then: it would seem to have them for ever.
func (p Pulse) At(now time.Time) Status {
	s := Status{
		Epoch: p.Epoch, LastHeartbeat: later(p.BeatTime, p.ProbeTime), LeaseExpireTime: later(p.BeatExpire, p.ProbeExpire),
		Capacity: p.Capacity, InFlight: p.InFlight,
	}
	ownWord := p.beating(now) || p.Word == StatusBusy || p.Word == StatusError
	switch {
	case s.LastHeartbeat.IsZero():
		s.Status, s.ErrorMessage = StatusUnknown, neverHeard
	case !p.beating(now) && !p.answering(now):
		s.Status, s.Silent = StatusUnavailable, true
	case ownWord:
		s.Status, s.ErrorMessage = p.Word, p.ErrorMessage
		if p.Word == StatusBusy {
			s.CurrentTaskID = p.CurrentTaskID
		}
	default:
		s.Status, s.InFlight = StatusAvailable, 0
	}
	if !p.DrainTime.IsZero() {
		s.drain(p)
	}
	return s
}

// drain makes an agent that is up, or may be, unavailable. The work it reports stays visible.
func (s *Status) drain(p Pulse) {
	s.Draining = true
	if s.Status == StatusError {
		return // the agent reports something worse
	}
	s.Status = StatusUnavailable
	s.ErrorMessage = "drained since " + p.DrainTime.Format(time.RFC3339)
	if p.DrainReason != "" {
		s.ErrorMessage += ": " + p.DrainReason
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
