package agentcard

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/schema"
)

// Limits of metadata, in entries and characters.
const (
	maxEntries     = 64
	maxRules       = 32
	maxEnum        = 256
	maxName        = 128
	MaxDescription = 2000 // also of what relates semantic types
	maxMessage     = 500
	maxPattern     = 1000
	maxValue       = 4 << 10 // bytes
)

var (
	phases    = []string{"pre-execution", "design-review", "pre-completion", "on-error"}
	levels    = []string{"C1", "C2", "C3"}
	operators = []string{"equals", "contains", "greater_than", "exists"}
	idPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
)

// Validate returns an InvalidArgument fault with the reason METADATA_INVALID that names every wrong field of the metadata of agent agentName, or nil.
func (m *Metadata) Validate(agentName string) error {
	v := &validator{}
	v.count("metadata.input_schemas", len(m.InputSchemas), maxEntries)
	v.count("metadata.output_schemas", len(m.OutputSchemas), maxEntries)
	v.count("metadata.consultation_requirements", len(m.ConsultationRequirements), maxEntries)
	v.count("metadata.at_most_once_skills", len(m.AtMostOnceSkills), maxSkills)
	if len(v.violations) > 0 { // so that the work is bounded for lists of any length
		return invalid("METADATA_INVALID", v.violations)
	}
	if m.AgentName != "" && m.AgentName != agentName {
		v.wrong("metadata.agent_name", "this is the metadata of %q, and the agent is %q; omit the name or correct it", fault.Clip(m.AgentName), fault.Clip(agentName))
	}
	v.inputs(m.InputSchemas)
	v.outputs(m.OutputSchemas)
	v.requirements(agentName, m.ConsultationRequirements)
	for i, id := range m.AtMostOnceSkills {
		if id == "" || utf8.RuneCountInString(id) > maxSkillID {
			v.wrong(fmt.Sprintf("metadata.at_most_once_skills[%d]", i), "a skill id has 1 to %d characters", maxSkillID)
		}
	}
	if len(v.violations) > 0 {
		return invalid("METADATA_INVALID", v.violations)
	}
	return nil
}

// validator checks metadata and collects what is wrong.
type validator struct{ mistakes }

func (v *validator) count(field string, n, most int) {
	if n > most {
		v.wrong(field, "there are %d entries; the most is %d", n, most)
	}
}

func (v *validator) length(field, text string, least, most int) {
	if n := utf8.RuneCountInString(text); n < least || n > most {
		v.wrong(field, "this has %d characters; %d to %d are allowed", n, least, most)
	}
}

func (v *validator) oneOf(field, value string, known []string) {
	if !slices.Contains(known, value) {
		v.wrong(field, "%q is not one of %s", fault.Clip(value), strings.Join(known, ", "))
	}
}

func (v *validator) once(field, name string, seen map[string]bool) {
	if seen[name] {
		v.wrong(field, "%q occurs twice", fault.Clip(name))
	}
	seen[name] = true
}

// text checks what an admin reads. It may have several lines, and hides nothing.
func (v *validator) text(field, text string, least, most int) {
	v.length(field, text, least, most)
	if c, found := first(text, func(c rune) bool { return conceals(c) || isInvisible(c) }); found {
		v.wrong(field, "the character %U hides what the text says, or cannot be seen: leave it out", c)
	}
}

// name checks the name of an input or output.
func (v *validator) name(field, name string, seen map[string]bool) {
	v.length(field, name, 1, maxName)
	v.once(field, name, seen)
	if !IsVisible(name) {
		v.wrong(field, "%q begins or ends with a space, or has a character that nobody sees: leave it out", fault.Clip(name))
	}
}

func (v *validator) inputs(list []InputSchema) {
	seen := make(map[string]bool)
	for i, s := range list {
		path := fmt.Sprintf("metadata.input_schemas[%d]", i)
		v.name(path+".name", s.Name, seen)
		v.oneOf(path+".semantic_type", s.SemanticType, SemanticTypes)
		v.text(path+".description", s.Description, 0, MaxDescription)
		v.jsonSchema(path+".json_schema", s.JSONSchema)
		v.count(path+".validation_rules", len(s.ValidationRules), maxRules)
		for j, rule := range s.ValidationRules[:min(len(s.ValidationRules), maxRules)] {
			v.rule(fmt.Sprintf("%s.validation_rules[%d]", path, j), rule)
		}
	}
}

func (v *validator) outputs(list []OutputSchema) {
	seen := make(map[string]bool)
	for i, s := range list {
		path := fmt.Sprintf("metadata.output_schemas[%d]", i)
		v.name(path+".name", s.Name, seen)
		v.oneOf(path+".semantic_type", s.SemanticType, SemanticTypes)
		v.text(path+".description", s.Description, 0, MaxDescription)
		v.jsonSchema(path+".json_schema", s.JSONSchema)
	}
}

func (v *validator) jsonSchema(field string, declared map[string]any) {
	if declared == nil {
		return
	}
	if err := schema.Check(declared); err != nil {
		v.wrong(field, "%v", err)
	}
}

func (v *validator) rule(path string, rule ValidationRule) {
	v.text(path+".message", rule.Message, 1, maxMessage)
	check := map[string]func(any) error{"format": checkFormat, "length": checkLength, "pattern": checkPattern, "enum": checkEnum}[rule.Type]
	if check == nil {
		v.oneOf(path+".type", rule.Type, []string{"format", "length", "pattern", "enum"})
	} else if err := check(rule.Value); err != nil {
		v.wrong(path+".value", "%v", err)
	}
}

func checkFormat(value any) error {
	if text, ok := value.(string); !ok || text == "" || len(text) > maxName {
		return errors.New("a format rule's value is a format's name")
	}
	return nil
}

func checkLength(value any) error {
	if n, ok := value.(float64); !ok || n < 0 || n != math.Trunc(n) {
		return errors.New("a length rule's value is a whole number of characters")
	}
	return nil
}

func checkPattern(value any) error {
	text, ok := value.(string)
	if !ok || len(text) > maxPattern {
		return fmt.Errorf("a pattern rule's value is a regular expression of at most %d bytes", maxPattern)
	}
	return checkRegexp(text)
}

func checkEnum(value any) error {
	list, ok := value.([]any)
	isOther := func(v any) bool { _, text := v.(string); return !text }
	if !ok || len(list) == 0 || len(list) > maxEnum || slices.ContainsFunc(list, isOther) {
		return fmt.Errorf("an enum rule's value is a list of 1 to %d strings", maxEnum)
	}
	return nil
}

func (v *validator) requirements(agentName string, list []ConsultationRequirement) {
	seen := make(map[string]bool)
	for i, q := range list {
		path := fmt.Sprintf("metadata.consultation_requirements[%d]", i)
		if !idPattern.MatchString(q.ID) {
			v.wrong(path+".id", "%q is not valid: letters, digits, dot, underscore and hyphen, 1 to 64 characters", fault.Clip(q.ID))
		}
		v.once(path+".id", q.ID, seen)
		switch {
		case !ValidName(q.TargetAgent):
			v.wrong(path+".target_agent", "%q is not an agent's name: %s", fault.Clip(q.TargetAgent), NameRule)
		case q.TargetAgent == agentName:
			v.wrong(path+".target_agent", "an agent cannot be consulted about its own work")
		}
		v.oneOf(path+".phase", q.Phase, phases)
		if q.MinLevel != "" {
			v.oneOf(path+".min_level", q.MinLevel, levels)
		}
		if q.Condition != nil {
			v.condition(path+".condition", q.Condition)
		}
	}
}

// IsVisible reports whether a name is what people see of it: it neither begins nor ends with a space, and has no character that nobody sees.
func IsVisible(name string) bool {
	hidden := func(c rune) bool { return !unicode.IsPrint(c) }
	return strings.TrimSpace(name) == name && !strings.ContainsFunc(name, hidden)
}

// NumberLimit is what the numbers in conditions and attributes are below: from there on, a float64 is not one number, but also its neighbors.
const NumberLimit = 1 << 53

// distinct reports whether a value has no number from NumberLimit on.
func distinct(value any) bool {
	switch value := value.(type) {
	case float64:
		return math.Abs(value) < NumberLimit
	case []any:
		return !slices.ContainsFunc(value, func(v any) bool { return !distinct(v) })
	default:
		return true
	}
}

func (v *validator) condition(path string, c *Condition) {
	v.length(path+".attribute", c.Attribute, 1, maxName)
	if !IsVisible(c.Attribute) {
		v.wrong(path+".attribute", "no task has an attribute whose name begins or ends with a space, or has a character that nobody sees")
	}
	v.oneOf(path+".operator", c.Operator, operators)
	_, isNumber := c.Value.(float64)
	_, isList := c.Value.([]any)
	_, isObject := c.Value.(map[string]any)
	switch {
	case c.Operator == "contains" && (isList || isObject):
		v.wrong(path+".value", "contains needs one string, number or truth value; for one of several, write a requirement for each")
	case c.Operator == "greater_than" && !isNumber:
		v.wrong(path+".value", "greater_than needs a number")
	case c.Operator == "exists" && c.Value == false: // the rule would never apply to the tasks that it is meant for
		v.wrong(path+".value", "exists is about an attribute that is there, and nothing is about one that is not; leave the value out")
	case !distinct(c.Value):
		v.wrong(path+".value", "no task has an attribute that is a number of 2^53 or more; write it as a string, as tasks do")
	case c.Operator != "exists" && c.Value == nil:
		v.wrong(path+".value", "%s needs a value", fault.Clip(c.Operator))
	}
	if encoded, err := json.Marshal(c.Value); err != nil || len(encoded) > maxValue {
		v.wrong(path+".value", "the value has more than %d bytes as JSON", maxValue)
	}
}
