package engine

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/orchestrator"
)

// content is what tells a retry from a different request under the same id: everything in a submission that its caller chose, before and after the
// deadline. The deadline is part of the hash that is stored with a task, for compatibility, but a retry may have another one: programs that allow
// each attempt some minutes send a new deadline each time.
type content struct{ before, after []byte }

func (s *Submission) encode() (content, error) {
	message, err := proto.MarshalOptions{Deterministic: true}.Marshal(s.Message)
	if err != nil {
		return content{}, fmt.Errorf("encode message: %w", err)
	}
	attributes, err := json.Marshal(s.Attributes)
	if err != nil {
		return content{}, fmt.Errorf("encode attributes: %w", err)
	}
	inputs, err := s.encodeInputs()
	if err != nil {
		return content{}, err
	}
	var rest string
	if s.Route.FanOut != nil {
		rest += fmt.Sprintf(" fan-out %s %d %d", s.Route.FanOut.Mode, s.Route.FanOut.K, s.Route.FanOut.Agents)
	}
	if s.Route.Version != "" {
		rest += fmt.Sprintf(" version %q", s.Route.Version)
	}
	if s.Route.Contract != nil || s.Route.Text != "" {
		rest += fmt.Sprintf(" %q %+q", s.Route.Text, s.Route.Contract)
	}
	separator := []byte{0}
	return content{
		before: bytes.Join([][]byte{message, attributes, fmt.Appendf(nil, "%q %q ", s.Route.Agent, s.Route.Skill)}, separator),
		after:  bytes.Join(append([][]byte{[]byte(rest)}, inputs...), separator),
	}, nil
}

// hash returns the hash of the content with a deadline, which is zero when there is none. It is empty when the content does not matter.
func (c content) hash(deadline time.Time) string {
	if c.before == nil {
		return ""
	}
	sum := sha256.New()
	for _, part := range [][]byte{c.before, strconv.AppendInt(nil, deadline.UnixMicro(), 10), c.after} {
		sum.Write(part)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// isOf reports whether a task was submitted with this content, under any deadline.
func (c content) isOf(t *orchestrator.Task) bool {
	return t.RequestHash == c.hash(t.Deadline) || t.RequestHash == c.hash(time.Time{}) // the second is for a submission without a deadline
}

// encodeInputs returns the content of a submission's inputs, for hashing.
func (s *Submission) encodeInputs() ([][]byte, error) {
	var list [][]byte
	for _, in := range s.Inputs {
		list = append(list, fmt.Appendf(nil, "%q %q %d", in.Name, in.SemanticType, len(in.Parts)))
		for _, p := range in.Parts {
			b, err := proto.MarshalOptions{Deterministic: true}.Marshal(p)
			if err != nil {
				return nil, fmt.Errorf("encode input %q: %w", in.Name, err)
			}
			list = append(list, b)
		}
	}
	return list, nil
}
