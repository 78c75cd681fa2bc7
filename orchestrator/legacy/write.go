package legacy

import (
	"encoding/json"
	"fmt"

	old "github.com/a2aproject/a2a-go/a2a"
	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
)

// Version is the version of A2A that is translated.
const Version = "0.3"

// Event encodes the answer to an operation, or an event of a stream, in the form of 0.3. Other messages are an error. A status update that requires input
// is final if it ends its stream, which ends says: a2a-go takes each for final.
func Event(answer proto.Message, ends bool) ([]byte, error) {
	event, err := eventOf(answer)
	if err != nil {
		return nil, err
	}
	said, err := a2av0.FromV1Event(event)
	if err != nil {
		return nil, err
	}
	if u, ok := said.(*old.TaskStatusUpdateEvent); ok && !u.Status.State.Terminal() {
		u.Final = u.Final && ends
	}
	return json.Marshal(said)
}

// eventOf returns an answer as a2a-go's type.
func eventOf(answer proto.Message) (a2a.Event, error) {
	switch answer.(type) {
	case *a2apb.Task:
		task := &a2a.Task{}
		return task, decode(answer, task)
	case *a2apb.SendMessageResponse, *a2apb.StreamResponse: // alike in JSON
		var r a2a.StreamResponse
		err := decode(answer, &r)
		return r.Event, err
	default:
		return nil, fmt.Errorf("a %T has no form in A2A %s", answer, Version)
	}
}

// SendParams encodes the params of message/send and message/stream.
func SendParams(req *a2apb.SendMessageRequest) ([]byte, error) {
	modern := &a2a.SendMessageRequest{}
	if err := decode(named(req), modern); err != nil {
		return nil, err
	}
	return json.Marshal(a2av0.FromV1SendMessageRequest(modern))
}

// TaskParams encodes the params of a method about a task. history bounds how many messages tasks/get returns; nil is no bound. with may be nil.
func TaskParams(id string, history *int32, with *structpb.Struct) ([]byte, error) {
	return json.Marshal(struct {
		ID       string           `json:"id"`
		History  *int32           `json:"historyLength,omitempty"`
		Metadata *structpb.Struct `json:"metadata,omitempty"`
	}{id, history, with})
}

// decode converts a message to one of a2a-go's types of 1.0.
func decode(from proto.Message, to any) error {
	raw, err := protojson.Marshal(presentable(from))
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, to)
}
