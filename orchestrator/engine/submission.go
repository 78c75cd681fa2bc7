package engine

import (
	"fmt"
	"math"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/agentcard"
)

const maxContextID = 256 // bytes

// Submission is a request to accept a task.
type Submission struct {
	Tenant     string
	Caller     string
	Message    *a2apb.Message
	Route      orchestrator.Route
	Attributes consultation.Attributes
	Inputs     []orchestrator.Input
	RequestID  string                // empty: every submission is a new task
	Deadline   time.Time             // zero: orchestrator.DefaultDeadline from now
	Webhook    *orchestrator.Webhook // gets push notifications; may be nil

	given  []orchestrator.Given // which inputs of the agent the message's inputs are for
	parent *orchestrator.Parent
	chain  []orchestrator.Link // the chain to which the task belongs, as the step at link; nil: none
	link   int
	skill  string // that the caller of the plan to which the task belongs asked for
	owner  string // whose task it is, when not the caller's

	content content // set by check
}

// check refuses what cannot become a task, and fills in defaults.
func (s *Submission) check() error {
	if err := checkMessage(s.Message); err != nil {
		return err
	}
	if err := checkIDs(s.Message); err != nil {
		return err
	}
	if err := checkAttributes(s.Attributes); err != nil {
		return err
	}
	if err := checkInputs(s.Inputs); err != nil {
		return err
	}
	if s.RequestID != "" && s.parent == nil { // without one there is no retry, and one of the engine's own always means the same
		var err error
		if s.content, err = s.encode(); err != nil {
			return err
		}
	}
	if s.Message.GetRole() == a2apb.Role_ROLE_UNSPECIFIED || s.Message.GetMessageId() == "" {
		m := orchestrator.CopyMessage(s.Message)
		m.Role = a2apb.Role_ROLE_USER
		if m.GetMessageId() == "" {
			m.MessageId = randomHex(16)
		}
		s.Message = m
	}
	return nil
}

func (s *Submission) checkDeadline(now time.Time) error {
	if !s.Deadline.IsZero() && (!s.Deadline.After(now) || s.Deadline.After(now.Add(orchestrator.MaxDeadline))) {
		return fault.Invalid("deadline", "DEADLINE_OUT_OF_RANGE", "the deadline %s has passed or is more than %d days away",
			s.Deadline.Format(time.RFC3339), int(orchestrator.MaxDeadline.Hours()/24))
	}
	return nil
}

// checkIDs refuses a context id that stores cannot use as a key, and a message that replies to a task: it would become a new task that nobody
// expects.
func checkIDs(m *a2apb.Message) error {
	switch {
	case len(m.GetContextId()) > maxContextID:
		return fault.Invalid("message.context_id", "CONTEXT_ID_TOO_LONG", "the context id is longer than %d bytes", maxContextID)
	case m.GetTaskId() != "":
		return fault.Invalid("message.task_id", "TASK_ID_GIVEN", "the message names a task: reply to that one instead, or leave the id out for a new task")
	}
	return nil
}

// checkMessage refuses a message that says that it is the agent's, one without content, and one with what could be stored and not sent.
func checkMessage(m *a2apb.Message) error {
	if role := m.GetRole(); role != a2apb.Role_ROLE_USER && role != a2apb.Role_ROLE_UNSPECIFIED {
		return fault.Invalid("message.role", "ROLE_INVALID", "the role of a client's message is ROLE_USER, not %s", role)
	}
	if len(m.GetParts()) == 0 {
		return fault.Invalid("message.parts", "MESSAGE_EMPTY", "the message has no parts: say what to do, for example as {\"text\": …}")
	}
	for i, p := range m.GetParts() {
		if p.GetContent() == nil {
			return fault.Invalid(fmt.Sprintf("message.parts[%d]", i), "PART_EMPTY", "the part has no content: set text, raw, url or data")
		}
	}
	if !orchestrator.PlainMessage(m) {
		return invalidValue("message", "the message")
	}
	return orchestrator.CheckRequest(m)
}

// invalidValue is the fault for what a caller gives as whose data, if that is not plain: it could be stored, and not sent.
func invalidValue(field, whose string) error {
	return fault.Invalid(field, "VALUE_INVALID", "%s has data with values that JSON does not have (NaN, infinity, unknown fields, none at all), or more than %d deep", whose, orchestrator.MaxNesting)
}

// checkSize refuses a message, with the inputs in it, that is larger than a task takes, before a store does.
func checkSize(m *a2apb.Message, limit int) error {
	if size := proto.Size(m); size > limit {
		return fault.Invalid("message", "ITEM_TOO_LARGE", "the message has %d bytes, its inputs included, and the limit is %d: send it in several, or the URL of what is large", size, limit)
	}
	return nil
}

func checkAttributes(attributes consultation.Attributes) error {
	if len(attributes) > orchestrator.MaxAttributes {
		return fault.Invalid("attributes", "TOO_MANY_ATTRIBUTES", "there are %d attributes; the limit is %d", len(attributes), orchestrator.MaxAttributes)
	}
	for key, value := range attributes {
		if !agentcard.IsVisible(key) { // a rule about the name that people see would not apply
			return fault.Invalid(attributeField(key), "ATTRIBUTE_NAME", "the name of attribute %q begins or ends with a space, or has a character that nobody sees: leave it out", key)
		}
		if !isSimple(value, true) {
			return fault.Invalid(attributeField(key), "ATTRIBUTE_KIND",
				"attribute %q must be a string, a number below 2^53, a boolean or a list of them; send a longer number as a string", key)
		}
	}
	return nil
}

// attributeField names an attribute as package rpcserver names entries of maps: keys may have dots.
func attributeField(key string) string { return fmt.Sprintf("attributes[%q]", key) }

func isSimple(value any, lists bool) bool {
	switch v := value.(type) {
	case float64:
		return math.Abs(v) < agentcard.NumberLimit // and no NaN: rules would not tell larger ones apart
	case string, bool:
		return true
	case []any:
		for _, item := range v {
			if !isSimple(item, false) {
				return false
			}
		}
		return lists
	default:
		return false
	}
}

// requirements converts an agent's rules to the types of package consultation.
func requirements(m agentcard.Metadata) []consultation.Requirement {
	var list []consultation.Requirement
	for _, r := range m.ConsultationRequirements {
		c := consultation.Requirement{ID: r.ID, TargetAgent: r.TargetAgent, Phase: r.Phase, Mandatory: r.Mandatory, MinLevel: r.MinLevel}
		if r.Condition != nil {
			c.Condition = &consultation.Condition{Attribute: r.Condition.Attribute, Operator: r.Condition.Operator, Value: r.Condition.Value}
		}
		list = append(list, c)
	}
	return list
}
