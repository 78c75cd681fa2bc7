package orchestrator

import (
	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// MaxSaying is the maximum size of a Saying in bytes.
const MaxSaying = 16 << 10

// Saying is a message with which an agent reports progress, as JSON, if the text in the log is not all of it: it may have data, files, metadata or more text
// than that. Empty stands for none.
type Saying string

// NewSaying returns the saying of a message that the log has as text, without the agent's ids of task and context. It is empty if the text says it all, or if
// it would be too large.
func NewSaying(m *a2apb.Message, text string) Saying {
	if all, only := OnlyText(m); only && (all == text || len(m.GetParts()) == 0) || proto.Size(m) > MaxSaying { // as JSON it is no smaller
		return ""
	}
	own := CopyMessage(m)
	own.TaskId, own.ContextId = "", ""
	raw, err := protojson.Marshal(own)
	if err != nil || len(raw) > MaxSaying {
		return ""
	}
	return Saying(raw)
}

// OnlyText returns the text of a message that has at most one part and nothing besides its text, and whether it is such a message.
func OnlyText(m *a2apb.Message) (string, bool) {
	if len(m.GetMetadata().GetFields()) > 0 || len(m.GetExtensions()) > 0 {
		return "", false
	}
	switch parts := m.GetParts(); len(parts) {
	case 0:
		return "", true
	case 1:
		return parts[0].GetText(), isPiece(parts[0]) && parts[0].GetMediaType() == ""
	default:
		return "", false
	}
}

// Message returns the message; nil for none.
func (s Saying) Message() *a2apb.Message {
	if s == "" {
		return nil
	}
	m := &a2apb.Message{}
	if err := protojson.Unmarshal([]byte(s), m); err != nil {
		return nil // nobody but NewSaying makes one
	}
	return m
}
