package consultation

import (
	"slices"
	"time"
)

// ExtensionURI identifies the A2A extension by which a task carries its requirements to an agent, and a consultation its question to the target.
const ExtensionURI = "https://github.com/quorate/quorate/extensions/consultation/v1"

// States of a consultation.
const (
	StateOpen     = "open"
	StateAsking   = "asking" // open, and the target asks something before it judges; the feedback is its question
	StateAnswered = "answered"
	StateFailed   = "failed"  // the question could not be carried, or the target answered without evidence; with Traces, computed when read
	StateExpired  = "expired" // computed when read, never stored
)

// Limits.
const (
	MaxPerTask       = 100  // consultations of one task
	MaxFeedbackBytes = 1024 // of an outcome
	MaxRefusals      = 20   // kept for each consultation
)

// Consultation is one question about one content. The JSON names of this type and those below are the stored form.
type Consultation struct {
	ID            string    `json:"id"` // unguessable
	Tenant        string    `json:"tenant"`
	TaskID        string    `json:"task_id"`
	TaskTime      time.Time `json:"task_time,omitzero"` // when the task was accepted; zero counts as any time
	RequirementID string    `json:"requirement_id"`
	Phase         string    `json:"phase"`
	SourceAgent   string    `json:"source_agent"` // executes the task
	TargetAgent   string    `json:"target_agent"` // is consulted
	Mandatory     bool      `json:"mandatory"`
	MinLevel      string    `json:"min_level,omitempty"` // of the requirement
	Attempt       int       `json:"attempt"`             // number of the attempt at the same requirement of the same task, from 1
	SubjectDigest string    `json:"subject_digest"`
	TraceID       string    `json:"trace_id"` // 32 hexadecimal digits; chosen by Quorate
	SpanID        string    `json:"span_id"`  // 16 hexadecimal digits; chosen by Quorate; the parent of the evidence
	State         string    `json:"state"`
	Outcome       string    `json:"outcome,omitempty"`  // the most restrictive one recorded
	Feedback      string    `json:"feedback,omitempty"` // of that outcome; or why the consultation failed; or the target's question
	CarrierTaskID string    `json:"carrier_task_id,omitempty"`
	Direct        bool      `json:"direct,omitempty"` // the source agent asks the target itself
	IssueTime     time.Time `json:"issue_time"`
	CarryTime     time.Time `json:"carry_time,omitzero"`  // when the answer came back and Traces had to be searched for its evidence
	SearchTime    time.Time `json:"search_time,omitzero"` // until when the span may still arrive in the Traces
	ExpireTime    time.Time `json:"expire_time"`          // evidence received later does not count
	Refused       []Refusal `json:"refused,omitempty"`
	Requests      []Request `json:"requests,omitempty"` // that this consultation answers
}

// Refusal records a span that claims to answer a consultation and does not count.
type Refusal struct {
	Recorder string `json:"recorder"`          // the agent that sent it; empty when the sender is no agent
	Reason   string `json:"reason"`            // one of the EVIDENCE reasons
	Backend  string `json:"backend,omitempty"` // the Traces in which it was found; empty if it was received
	Detail   string `json:"detail,omitempty"`  // what is wrong with it, if the target itself sent it
}

// isOf reports whether c is about the task that was accepted at a time. Once a task has been removed, its id is free for another one, while consultations
// may be kept for ever.
func (c Consultation) isOf(accepted time.Time) bool {
	return c.TaskTime.IsZero() || c.TaskTime.Equal(accepted)
}

// ofTask returns the entries that are about the task that was accepted at a time.
func ofTask(entries []Entry, accepted time.Time) []Entry {
	return slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool { return !e.Consultation.isOf(accepted) })
}

// Unanswered reports whether there is no outcome yet, and there may still be one.
func (c Consultation) Unanswered() bool { return c.State == StateOpen || c.State == StateAsking }

// Sent reports whether the question certainly reached its target: a task carries it, or there is an outcome.
func (c Consultation) Sent() bool { return c.CarrierTaskID != "" || c.State == StateAnswered }

// at returns c as of now: an open consultation whose time is over has expired, and one whose answer came back long ago without evidence has failed.
func (c Consultation) at(now time.Time) Consultation {
	switch {
	case !c.Unanswered():
	case now.After(c.ExpireTime):
		c.State = StateExpired
	case !c.CarryTime.IsZero() && now.After(c.SearchTime):
		c.State, c.Feedback = StateFailed, answeredInVain
	}
	return c
}

// forged reports whether somebody who may not answer c tried to.
func (c Consultation) forged() bool {
	for _, r := range c.Refused {
		if r.Recorder != c.TargetAgent || r.Reason == ReasonOtherService || r.Reason == ReasonOtherTrace {
			return true
		}
	}
	return false
}

// mistaken reports whether all that was refused came from the target itself, and something about it has to be corrected.
func (c Consultation) mistaken() bool {
	own := func(r Refusal) bool { return r.Recorder == c.TargetAgent }
	wrong := func(r Refusal) bool { return r.Reason != ReasonExpired }
	return !slices.ContainsFunc(c.Refused, func(r Refusal) bool { return !own(r) }) && slices.ContainsFunc(c.Refused, wrong)
}

// Entry is a consultation as a store keeps it.
type Entry struct {
	Consultation Consultation `json:"consultation"`
	Evidence     []Evidence   `json:"evidence,omitempty"` // in the order of receipt
}
