package dynamo

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/boltdb"
)

// Names of a task's content. Those of artifacts and turns are artifact/0000 and so on.
const (
	planContent    = "plan"
	gatesContent   = "gates"
	messageContent = "message"
	statusContent  = "status"
	aboutContent   = "about" // the metadata of the agent's task
	artifactPrefix = "artifact/"
	turnPrefix     = "turn/"

	maxArtifacts = 10_000 // far more than fit into an item
)

// plan is what is fixed when a task is accepted: it is read often, hardly ever rewritten, and would make the task's item large.
type plan struct {
	Attributes   consultation.Attributes    `json:",omitempty"`
	Requirements []consultation.Requirement `json:",omitempty"`
	Decision     orchestrator.Decision
}

func planOf(t *orchestrator.Task) plan { return plan{t.Attributes, t.Requirements, t.Decision} }

// piece is one content of a task.
type piece struct {
	name  string
	what  string // for people
	limit int    // bytes
	// Exactly one is set.
	message proto.Message
	value   any // encoded as JSON
}

// pieces returns the content of a task, in order.
func pieces(t *orchestrator.Task) []piece {
	const item = boltdb.MaxItemBytes
	list := []piece{{name: planContent, what: "what the task was accepted under, its attributes included,", limit: item, value: planOf(t)}}
	if len(t.Gates) > 0 {
		list = append(list, piece{name: gatesContent, what: "the task's gates", limit: item, value: t.Gates})
	}
	if t.Message != nil {
		list = append(list, piece{name: messageContent, what: "the message", limit: t.MessageLimit(), message: t.Message})
	}
	if t.StatusMessage != nil {
		list = append(list, piece{name: statusContent, what: "the agent's status message", limit: item, message: t.StatusMessage})
	}
	if t.Metadata != nil {
		list = append(list, piece{name: aboutContent, what: "the metadata of the agent's task", limit: item, message: t.Metadata})
	}
	for i, a := range t.Artifacts {
		what := fmt.Sprintf("artifact %q", a.GetArtifactId())
		list = append(list, piece{name: fmt.Sprintf("%s%04d", artifactPrefix, i), what: what, limit: orchestrator.MaxTaskBytes, message: a})
	}
	for i := range t.Turns {
		if m := t.Turns[i].Message; m != nil {
			what := fmt.Sprintf("message %d", i+1)
			list = append(list, piece{name: fmt.Sprintf("%s%04d", turnPrefix, i), what: what, limit: t.MessageLimit(), message: m})
		}
	}
	return list
}

// isKnown reports whether this version knows a name of content. Content of newer versions is neither read nor dropped.
func isKnown(name string) bool {
	switch name {
	case planContent, gatesContent, messageContent, statusContent, aboutContent:
		return true
	}
	return isArtifact(name) || isTurn(name)
}

func isArtifact(name string) bool { return strings.HasPrefix(name, artifactPrefix) }

func isTurn(name string) bool { return strings.HasPrefix(name, turnPrefix) }

// isPart returns which names of content belong to a part of a task.
func isPart(want orchestrator.Part) func(name string) bool {
	return func(name string) bool {
		switch {
		case isArtifact(name):
			return want.Artifacts
		case isTurn(name), name == messageContent:
			return want.Messages
		default:
			return isKnown(name)
		}
	}
}

// isListed reports whether lists of tasks show the content.
func isListed(name string) bool { return name == planContent || name == gatesContent }

// same reports whether a piece is unchanged: messages are replaced as a whole, so the same pointer means the same content.
func (p piece) same(old piece) bool {
	if p.message != nil {
		return p.message == old.message
	}
	return reflect.DeepEqual(p.value, old.value)
}

func (p piece) encode() (encoded []byte, err error) {
	if p.message != nil {
		encoded, err = proto.MarshalOptions{Deterministic: true}.Marshal(p.message) // so that a later try of the same change knows it again
	} else {
		encoded, err = json.Marshal(p.value)
	}
	if err != nil {
		return nil, fmt.Errorf("encoding %s: %w", p.what, err)
	}
	return encoded, boltdb.CheckSize(p.what, len(encoded), p.limit)
}

// decodePiece decodes the content with a name: a plan, gates, an artifact, a message or metadata. The result is shared with other readers.
func decodePiece(name string, encoded []byte) (content any, err error) {
	switch {
	case name == planContent:
		var p plan
		err = json.Unmarshal(encoded, &p)
		content = p
	case name == gatesContent:
		var g []orchestrator.Gate
		err = json.Unmarshal(encoded, &g)
		content = g
	case name == aboutContent:
		s := &structpb.Struct{}
		content, err = s, proto.Unmarshal(encoded, s)
	case isArtifact(name):
		a := &a2apb.Artifact{}
		content, err = a, proto.Unmarshal(encoded, a)
	default:
		m := &a2apb.Message{}
		content, err = m, proto.Unmarshal(encoded, m)
	}
	if err != nil {
		return nil, fmt.Errorf("decoding content %s: %w", name, err)
	}
	return content, nil
}

// fill sets a content in a task, whose turns must exist already.
func fill(t *orchestrator.Task, name string, content any) {
	_, number, _ := strings.Cut(name, "/")
	index, err := strconv.Atoi(number)
	if err != nil {
		index = -1
	}
	switch v := content.(type) {
	case plan:
		t.Attributes, t.Requirements, t.Decision = v.Attributes, v.Requirements, v.Decision
	case []orchestrator.Gate:
		t.Gates = v
	case *structpb.Struct:
		t.Metadata = v
	case *a2apb.Artifact:
		if index >= 0 && index < maxArtifacts {
			t.Artifacts = append(t.Artifacts, make([]*a2apb.Artifact, max(index+1-len(t.Artifacts), 0))...)
			t.Artifacts[index] = v
		}
	case *a2apb.Message:
		switch {
		case name == messageContent:
			t.Message = v
		case name == statusContent:
			t.StatusMessage = v
		case index >= 0 && index < len(t.Turns):
			t.Turns[index].Message = v
		}
	}
}
