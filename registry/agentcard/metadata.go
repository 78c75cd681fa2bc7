package agentcard

import "slices"

// ContractExtension is the A2A extension whose params are an agent's Metadata.
const ContractExtension = "https://github.com/quorate/quorate/extensions/contract/v1"

// SemanticTypes are the types that inputs and outputs can have, by the data model. It is read-only.
var SemanticTypes = []string{"document", "artifact", "collection", "reference", "comment"}

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
