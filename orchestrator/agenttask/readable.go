package agenttask

import (
	"slices"
	"strconv"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
)

// unnamedID is the id of an artifact to which the agent gave none, unless another one of the agent's task has it.
const unnamedID = "unnamed"

// makeReadable gives what an agent said a form that every client reads: a2a-go's reads no task with a part without content or an artifact without an id,
// and no list of tasks with such a task.
func makeReadable(r *a2apb.StreamResponse) {
	for _, m := range []*a2apb.Message{r.GetMessage(), r.GetTask().GetStatus().GetMessage(), r.GetStatusUpdate().GetStatus().GetMessage()} {
		if m != nil {
			dropEmptyParts(&m.Parts)
		}
	}
	artifacts := r.GetTask().GetArtifacts()
	if a := r.GetArtifactUpdate().GetArtifact(); a != nil {
		artifacts = []*a2apb.Artifact{a}
	}
	taken := make(map[string]bool, len(artifacts))
	for _, a := range artifacts {
		dropEmptyParts(&a.Parts)
		taken[a.GetArtifactId()] = true
	}
	unnamed := 0
	for _, a := range artifacts {
		for a.GetArtifactId() == "" {
			unnamed++
			if id := nameUnnamed(unnamed); !taken[id] {
				a.ArtifactId = id
			}
		}
	}
}

// dropEmptyParts takes the parts without content out of a list. Without any it writes nothing: others may be reading.
func dropEmptyParts(parts *[]*a2apb.Part) {
	if slices.ContainsFunc(*parts, isEmptyPart) {
		*parts = slices.DeleteFunc(*parts, isEmptyPart)
	}
}

// isEmptyPart reports whether a part has no content. Over JSON, content of a newer version of A2A is gone when it gets here; over gRPC it is unknown
// fields.
func isEmptyPart(p *a2apb.Part) bool {
	return p.GetContent() == nil && len(p.ProtoReflect().GetUnknown()) == 0
}

// nameUnnamed returns the nth id for artifacts without one. An update is about the first.
func nameUnnamed(n int) string {
	if n == 1 {
		return unnamedID
	}
	return unnamedID + "-" + strconv.Itoa(n)
}
