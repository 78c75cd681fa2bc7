package a2aedge

import (
	"maps"
	"slices"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/orchestrator/engine"
)

// shownArtifacts are the artifacts that a client has of a stream, by id.
type shownArtifacts map[string]shownArtifact

type shownArtifact struct {
	*a2apb.Artifact
	whole bool // the client was told that it has the last chunk
}

// drafts returns the updates that bring the client what the agent has delivered so far. What the agent has replaced is forgotten, and would be shown anew:
// it may give each artifact a new id for hours.
func (s shownArtifacts) drafts(artifacts []engine.Draft) (updates []*a2apb.TaskArtifactUpdateEvent) {
	now := make(map[string]bool, len(artifacts))
	for _, a := range artifacts {
		now[a.GetArtifactId()] = true
		if u := s.mark(a.ArtifactId, s.draft(a.Artifact), a.Whole); u != nil {
			updates = append(updates, u)
		}
	}
	maps.DeleteFunc(s, func(id string, _ shownArtifact) bool { return !now[id] })
	return updates
}

// mark makes an update, which may be nil, say whether it has the last chunk of an artifact. If the client has all of the artifact already, but not that word,
// the artifact comes once more: an update has at least one part (A2A §4.1.7).
func (s shownArtifacts) mark(id string, u *a2apb.TaskArtifactUpdateEvent, whole bool) *a2apb.TaskArtifactUpdateEvent {
	had, known := s[id]
	if u == nil && known && whole && !had.whole {
		u = &a2apb.TaskArtifactUpdateEvent{Artifact: had.Artifact}
	}
	if u != nil {
		u.LastChunk = whole
		s[id] = shownArtifact{had.Artifact, whole}
	}
	return u
}

// draft returns the update that brings the client what the agent has delivered of an artifact so far, or nil when it has that: the parts that are new
// or, when others have changed, the whole artifact. An artifact without parts is not shown, since A2A has none (§4.1.7).
func (s shownArtifacts) draft(a *a2apb.Artifact) *a2apb.TaskArtifactUpdateEvent {
	had, known := s[a.GetArtifactId()]
	more, continued := added(had.GetParts(), a.GetParts())
	if len(a.GetParts()) == 0 || known && continued && len(more) == 0 {
		return nil
	}
	if !known || !continued {
		s[a.GetArtifactId()] = shownArtifact{Artifact: a}
		return &a2apb.TaskArtifactUpdateEvent{Artifact: a}
	}
	s[a.GetArtifactId()] = shownArtifact{Artifact: &a2apb.Artifact{
		ArtifactId: had.GetArtifactId(), Name: had.GetName(), Description: had.GetDescription(), Extensions: had.GetExtensions(), Metadata: had.GetMetadata(), Parts: a.GetParts(),
	}}
	return &a2apb.TaskArtifactUpdateEvent{Append: true, Artifact: &a2apb.Artifact{ArtifactId: a.GetArtifactId(), Parts: more}}
}

// final returns the update after which the client has an artifact as it is stored, or nil when it has that. said is whether the agent has said that this was the
// last chunk. Once the task has ended it is in any case, if there is one.
func (s shownArtifacts) final(a *a2apb.Artifact, said, ended bool) *a2apb.TaskArtifactUpdateEvent {
	had, known := s[a.GetArtifactId()]
	if known && sameHead(had.Artifact, a) {
		u := s.draft(a)
		return s.mark(a.GetArtifactId(), u, said || ended && u != nil)
	}
	s[a.GetArtifactId()] = shownArtifact{Artifact: a}
	return s.mark(a.GetArtifactId(), &a2apb.TaskArtifactUpdateEvent{Artifact: a}, said || ended)
}

// added returns the parts that follow those that were shown. It reports false when they do not begin with them.
func added(shown, now []*a2apb.Part) (more []*a2apb.Part, continued bool) {
	n := len(shown)
	switch {
	case n == 0:
		return now, true
	case len(now) < n:
		return nil, false
	case now[0] == shown[0] && now[n-1] == shown[n-1]: // parts are only added to a list, or all are replaced
		return now[n:], true
	}
	same := slices.EqualFunc(now[:n], shown, func(a, b *a2apb.Part) bool { return proto.Equal(a, b) })
	return now[n:], same
}

// sameHead reports whether two artifacts are alike but for their parts.
func sameHead(a, b *a2apb.Artifact) bool {
	return a.GetName() == b.GetName() && a.GetDescription() == b.GetDescription() && slices.Equal(a.GetExtensions(), b.GetExtensions()) &&
		proto.Equal(a.GetMetadata(), b.GetMetadata())
}
