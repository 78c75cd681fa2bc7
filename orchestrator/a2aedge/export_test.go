package a2aedge

import "github.com/a2aproject/a2a-go/v2/a2apb/v1"

// ShownArtifacts are the artifacts that a client has of a stream.
type ShownArtifacts = shownArtifacts

// Drafts returns the updates for what the agent has delivered so far.
func (s shownArtifacts) Drafts(artifacts []*a2apb.Artifact) []*a2apb.TaskArtifactUpdateEvent {
	return s.drafts(artifacts)
}

// Final returns the update for what is stored.
func (s shownArtifacts) Final(a *a2apb.Artifact) *a2apb.TaskArtifactUpdateEvent { return s.final(a) }
