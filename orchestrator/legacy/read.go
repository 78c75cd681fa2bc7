package legacy

import (
	"encoding/json"

	old "github.com/a2aproject/a2a-go/a2a"
	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// ReadEvent decodes the result of a method of 0.3, or an event of a stream.
func ReadEvent(raw []byte) (*a2apb.StreamResponse, error) {
	said, err := readOld(raw, func(raw []byte) (old.Event, error) { return old.UnmarshalEventJSON(withFiles(raw)) })
	if err != nil {
		return nil, err
	}
	event, err := a2av0.ToV1Event(said)
	if err != nil {
		return nil, err
	}
	r := &a2apb.StreamResponse{}
	return r, Encode(a2a.StreamResponse{Event: event}, r)
}

// ReadTask decodes a task, which is the result of tasks/get and tasks/cancel.
func ReadTask(raw []byte) (*a2apb.Task, error) {
	said, err := readOld(raw, func(raw []byte) (*old.Task, error) {
		t := &old.Task{}
		return t, Decode(raw, t)
	})
	if err != nil {
		return nil, err
	}
	task, err := a2av0.ToV1Task(said)
	if err != nil {
		return nil, err
	}
	t := &a2apb.Task{}
	return t, Encode(task, t)
}

// readOld reads an event of 0.3 and, where it cannot be read as it is, repaired.
func readOld[E old.Event](raw []byte, read func(raw []byte) (E, error)) (E, error) {
	if said, err := read(raw); err == nil && isKnown(said) {
		return said, nil
	}
	return read(repaired(raw))
}

var lenient = protojson.UnmarshalOptions{DiscardUnknown: true}

// Encode converts one of a2a-go's types of 1.0 to its message, through their common JSON: a2a-go's own conversion accepts no data except objects.
func Encode(from any, to proto.Message) error {
	raw, err := json.Marshal(from)
	if err != nil {
		return err
	}
	err = lenient.Unmarshal(raw, to)
	emptyFiles(to)
	return err
}
