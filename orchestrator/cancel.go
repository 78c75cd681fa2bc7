package orchestrator

import (
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/platform/fault"
)

// MaxCancelMetadata is the maximum size of a CancelMetadata in bytes. It is part of EndRoom, so that even a task whose state is full can be canceled.
const MaxCancelMetadata = 3 << 10

// CancelMetadata is what a request to cancel a task says beside the task's id (A2A §3.1.5), as JSON. Empty stands for nothing.
type CancelMetadata string

// NewCancelMetadata returns metadata without the keys that Quorate sets itself. The result is an InvalidArgument fault with the reason
// CANCEL_METADATA_INVALID if it is too large or has values that JSON does not have.
func NewCancelMetadata(said *structpb.Struct) (CancelMetadata, error) {
	said = withoutReservedKeys(said)
	if len(said.GetFields()) == 0 {
		return "", nil
	}
	raw, err := protojson.Marshal(said)
	switch {
	case err != nil:
		return "", fault.Invalid("metadata", "CANCEL_METADATA_INVALID", "the metadata has values that JSON does not have, such as NaN")
	case len(raw) > MaxCancelMetadata:
		return "", fault.Invalid("metadata", "CANCEL_METADATA_INVALID", "the metadata has %d bytes as JSON; a request to cancel takes at most %d", len(raw), MaxCancelMetadata)
	}
	return CancelMetadata(raw), nil
}

// Struct returns the metadata as an agent gets it; nil for none.
func (m CancelMetadata) Struct() *structpb.Struct {
	if m == "" {
		return nil
	}
	said := &structpb.Struct{}
	if err := protojson.Unmarshal([]byte(m), said); err != nil {
		return nil // nobody but NewCancelMetadata makes one
	}
	return said
}
