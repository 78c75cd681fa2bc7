package a2aedge

import (
	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator/engine"
)

// Envelopes are what the two readers of an envelope make of a body; ok is false if the first leaves it to the second.
func Envelopes(body []byte) (quick, thorough envelope, ok bool, err error) {
	quick, ok = envelopeOf(body)
	thorough, err = readEnvelope(body)
	return quick, thorough, ok, err
}

// ShownArtifacts are the artifacts that a client has of a stream.
type ShownArtifacts = shownArtifacts

// Drafts returns the updates for what the agent has delivered so far.
func (s shownArtifacts) Drafts(artifacts []engine.Draft) []*a2apb.TaskArtifactUpdateEvent {
	return s.drafts(artifacts)
}

// Final returns the update for what is stored. said is whether the agent has said that this was the last chunk, and ended whether the task has ended.
func (s shownArtifacts) Final(a *a2apb.Artifact, said, ended bool) *a2apb.TaskArtifactUpdateEvent {
	return s.final(a, said, ended)
}
