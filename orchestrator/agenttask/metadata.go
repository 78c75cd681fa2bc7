package agenttask

import (
	"maps"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
)

// maxMetadataBytes is the maximum size of the metadata of an agent's task.
const maxMetadataBytes = 256 << 10

// setMetadata adds metadata to what the agent said of its whole task before. That of a status update counts as the task's, as in the SDKs of the A2A
// project. What Quorate says of its own tasks is left out: an agent may be another Quorate.
func (h *Task) setMetadata(before, added *structpb.Struct) error {
	if _, ours := added.GetFields()[orchestrator.TaskExtension]; ours {
		added = &structpb.Struct{Fields: maps.Clone(added.GetFields())}
		delete(added.GetFields(), orchestrator.TaskExtension)
	}
	switch {
	case len(added.GetFields()) == 0:
		if h.Metadata = before; before == nil {
			h.metadataMemory = 0
		}
		return nil
	case before == nil:
		h.Metadata = added
	default:
		proto.Merge(before, added)
		h.Metadata = before
	}
	bytes, values := proto.Size(h.Metadata), orchestrator.Values(h.Metadata)
	if h.metadataMemory = bytes + values*orchestrator.ValueBytes; bytes > maxMetadataBytes || values > orchestrator.MaxTaskValues {
		return fault.New(fault.FailedPrecondition, "METADATA_TOO_LARGE", "the metadata of the agent's task has %d bytes and %d values; a task holds at most %d bytes and %d values",
			bytes, values, maxMetadataBytes, orchestrator.MaxTaskValues)
	}
	return nil
}
