package registry

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/quorate/quorate/platform/fault"
)

// ContractExtension is the A2A extension whose params are an agent's Metadata.
const ContractExtension = "https://github.com/quorate/quorate/extensions/contract/v1"

// Metadata is what Quorate needs to know beyond an A2A card. Names and values are those of the data model.
type Metadata struct {
	InputSchemas             []InputSchema             `json:"input_schemas,omitempty"`
	OutputSchemas            []OutputSchema            `json:"output_schemas,omitempty"`
	ConsultationRequirements []ConsultationRequirement `json:"consultation_requirements,omitempty"`
	AtMostOnceSkills         []string                  `json:"at_most_once_skills,omitempty"` // skills whose work must not be done twice; * means all

	// AgentName and Version are what the author of the metadata says it is about. They are checked and not kept; empty means that the author did not
	// say.
	AgentName string `json:"-"` // another agent's name is an error
	Version   string `json:"-"` // another version than the card's is a warning
}

// kept returns the metadata without the fields that are only checked.
func (m Metadata) kept() Metadata {
	m.AgentName, m.Version = "", ""
	return m
}

// AtMostOnce reports whether work for a skill must not be done twice. A task without a skill counts as work for each of them.
func (m *Metadata) AtMostOnce(skill string) bool {
	return slices.Contains(m.AtMostOnceSkills, "*") || slices.Contains(m.AtMostOnceSkills, skill) || skill == "" && len(m.AtMostOnceSkills) > 0
}

// InputSchema declares one input of an agent.
type InputSchema struct {
	Name            string           `json:"name"`
	SemanticType    string           `json:"semantic_type"` // document, artifact, collection, reference or comment
	Description     string           `json:"description,omitempty"`
	Required        bool             `json:"required,omitempty"`
	ValidationRules []ValidationRule `json:"validation_rules,omitempty"`
	JSONSchema      map[string]any   `json:"json_schema,omitempty"` // 2020-12, or an older draft that it names; the value must conform; nil means no schema
}

// OutputSchema declares one output of an agent.
type OutputSchema struct {
	Name         string `json:"name"`
	SemanticType string `json:"semantic_type"`
	Description  string `json:"description,omitempty"`
	Guaranteed   bool   `json:"guaranteed,omitempty"` // false means that it is not always produced

	JSONSchema map[string]any `json:"json_schema,omitempty"` // 2020-12, or an older draft that it names; the value conforms; nil means no schema
}

// ValidationRule is one rule for an input's value.
type ValidationRule struct {
	Type    string `json:"type"`    // format, length, pattern or enum
	Value   any    `json:"value"`   // the name of a format, a maximum length in characters, a regular expression (RE2), or a list of strings
	Message string `json:"message"` // for the caller whose value breaks the rule
}

// ConsultationRequirement says that another agent has to be consulted in a phase of a task.
type ConsultationRequirement struct {
	ID          string     `json:"id"`
	TargetAgent string     `json:"target_agent"`
	Phase       string     `json:"phase"` // pre-execution, design-review, pre-completion or on-error
	Mandatory   bool       `json:"mandatory,omitempty"`
	MinLevel    string     `json:"min_level,omitempty"` // of evidence: C1, C2 or C3; it can raise the server's level, never lower it
	Condition   *Condition `json:"condition,omitempty"` // nil means always
}

// Condition compares a task attribute with a value.
type Condition struct {
	Attribute string `json:"attribute"`
	Operator  string `json:"operator"` // equals, contains, greater_than or exists
	Value     any    `json:"value,omitempty"`
}

// capabilities reads the card's capabilities into card and returns the metadata in the card's extensions, or nil.
func (r *cardReader) capabilities(root map[string]any, card *Card) *Metadata {
	const path = "card.capabilities"
	capabilities := r.object(root, "card", "capabilities")
	card.Streaming = r.flag(capabilities, path, "streaming")
	card.PushNotifications = r.flag(capabilities, path, "pushNotifications")
	var metadata *Metadata
	r.objects(capabilities, path, "extensions", maxInterfaces, func(path string, o map[string]any) {
		e := Extension{URI: r.text(o, path, "uri"), Required: r.flag(o, path, "required"), Params: r.object(o, path, "params")}
		if e.URI == ContractExtension {
			m, err := metadataFrom(e.Params)
			if err != nil {
				r.wrong(path+".params", "the metadata cannot be read: %v", err)
			}
			if metadata != nil {
				r.wrong(path+".uri", "the extension occurs twice")
			}
			metadata, e.Params = m, nil
		}
		card.Extensions = append(card.Extensions, e)
	})
	return metadata
}

// metadataFrom reads metadata whose names are in snake_case or lowerCamelCase. An unknown name is an error: a rule with a misspelt field would
// silently bind less than its author meant.
func metadataFrom(params map[string]any) (*Metadata, error) {
	renamed, err := snakeKeys(params)
	if err != nil {
		return nil, err
	}
	snake, _ := renamed.(map[string]any) // as params is one
	about := func(key string) string {
		said, ok := snake[key].(string)
		if ok { // any other type is refused along with the unknown fields
			delete(snake, key)
		}
		return said
	}
	name, version := about("agent_name"), about("version")
	about("created_at") // dropped; the registry keeps its own times
	about("updated_at")
	encoded, err := json.Marshal(snake)
	if err != nil {
		return nil, errors.New("it is not JSON")
	}
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.DisallowUnknownFields()
	var m Metadata
	if err := decoder.Decode(&m); err != nil {
		return nil, fault.InWordsOfJSON(err)
	}
	m.AgentName, m.Version = name, version
	return &m, nil
}

// snakeKeys returns v with all names in snake_case, except inside a rule's value and inside a JSON Schema.
func snakeKeys(v any) (any, error) {
	switch v := v.(type) {
	case map[string]any:
		renamed := make(map[string]any, len(v))
		for key, value := range v {
			name := snakeCase(key)
			if _, twice := renamed[name]; twice {
				return nil, fmt.Errorf("the name %q occurs twice", name)
			}
			var err error
			if name != "value" && name != "json_schema" {
				value, err = snakeKeys(value)
			}
			if err != nil {
				return nil, err
			}
			renamed[name] = value
		}
		return renamed, nil
	case []any:
		renamed := make([]any, len(v))
		for i, value := range v {
			var err error
			if renamed[i], err = snakeKeys(value); err != nil {
				return nil, err
			}
		}
		return renamed, nil
	}
	return v, nil
}

func snakeCase(name string) string {
	var b strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
