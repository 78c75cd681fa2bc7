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

// content is what tells a retry from another request under its id: all of a submission that its caller chose, around the deadline. The deadline is part of the
// hash that a task is kept with, since it has always been; but programs that give each attempt so many minutes say another time in each.
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

// hash returns the hash of the content with a deadline, the zero time for none; it is empty when there is no content that matters.
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

// isOf reports whether a task was made of the content, with whatever deadline.
func (c content) isOf(t *orchestrator.Task) bool {
	return t.RequestHash == c.hash(t.Deadline) || t.RequestHash == c.hash(time.Time{}) // when none was given
}
