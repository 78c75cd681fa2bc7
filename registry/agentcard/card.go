package agentcard

import (
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/Masterminds/semver/v3"

	"github.com/quorate/quorate/platform/fault"
)

// Limits of a card.
const (
	MaxBytes      = 256 << 10
	maxDepth      = 64
	maxCardName   = 256 // characters, of a card whose agent has another name
	maxSkills     = 500
	maxSkillID    = 256 // characters
	maxTag        = 256 // characters
	maxTags       = 1000
	maxInterfaces = 32
	maxURL        = 2048 // bytes
)

// Bindings of the A2A protocol (§5.8); a card may name others.
const (
	BindingGRPC     = "GRPC"
	BindingJSONRPC  = "JSONRPC"
	BindingHTTPJSON = "HTTP+JSON"
)

// Card is the parsed view of an A2A agent card, v1.0 or v0.3.
type Card struct {
	Name               string      `json:"name"` // the agent's own, unless that was registered under another
	Description        string      `json:"description,omitempty"`
	Version            string      `json:"version"`    // semantic version
	Interfaces         []Interface `json:"interfaces"` // in the card's order: the first is preferred
	Streaming          bool        `json:"streaming,omitempty"`
	PushNotifications  bool        `json:"push_notifications,omitempty"`
	Extensions         []Extension `json:"extensions,omitempty"`
	DefaultInputModes  []string    `json:"default_input_modes,omitempty"`
	DefaultOutputModes []string    `json:"default_output_modes,omitempty"`
	SecuritySchemes    []string    `json:"security_schemes,omitempty"` // their names, sorted
	Skills             []Skill     `json:"skills,omitempty"`

	// Security lists the ways in which callers can authenticate, in order of name. It is nil in records that were written before it was kept.
	Security []SecurityScheme `json:"security,omitempty"`
}

// Interface is one way to reach an agent.
type Interface struct {
	URL             string `json:"url"`     // as the card has it: http(s)://… or, for gRPC, host:port
	Binding         string `json:"binding"` // BindingGRPC, BindingJSONRPC, BindingHTTPJSON or another
	Tenant          string `json:"tenant,omitempty"`
	ProtocolVersion string `json:"protocol_version"` // such as 1.0 or 0.3.0
}

// Extension is a protocol extension that an agent declares.
type Extension struct {
	URI      string         `json:"uri"`
	Required bool           `json:"required,omitempty"`
	Params   map[string]any `json:"params,omitempty"` // without those of ContractExtension, which are metadata
}

// Skill is something an agent can do.
type Skill struct {
	ID          string   `json:"id"` // unique within the agent
	Name        string   `json:"name,omitempty"`
	Description string   `json:"description,omitempty"`
	Tags        []string `json:"tags,omitempty"`
	Examples    []string `json:"examples,omitempty"`
	InputModes  []string `json:"input_modes,omitempty"`
	OutputModes []string `json:"output_modes,omitempty"`
}

// Parse reads an A2A agent card, v1.0 or v0.3, of at most MaxBytes.
//
// The metadata is what the card carries as ContractExtension, or nil; it is not validated here. An error is an
// InvalidArgument fault that names each wrong field: CARD_TOO_LARGE, CARD_NOT_JSON, CARD_TOO_DEEP, CARD_DUPLICATE_KEY or
// CARD_INVALID.
func Parse(raw []byte) (Card, *Metadata, []Warning, error) { return ParseFor(raw, "") }

// ParseFor is Parse for the card of an agent that has a name already, or of a new one if agent is empty. Where there is a name, that in the card need not be
// one that agents can have.
func ParseFor(raw []byte, agent string) (Card, *Metadata, []Warning, error) {
	root, err := Decode(raw)
	if err != nil {
		return Card{}, nil, nil, err
	}
	r := &reader{}
	card := Card{
		Name:               r.text(root, "card", "name"),
		Description:        r.text(root, "card", "description"),
		Version:            r.text(root, "card", "version"),
		DefaultInputModes:  r.texts(root, "card", "defaultInputModes"),
		DefaultOutputModes: r.texts(root, "card", "defaultOutputModes"),
	}
	switch {
	case card.Name == "" || utf8.RuneCountInString(card.Name) > maxCardName:
		r.wrong("card.name", "a card's name has 1 to %d characters", maxCardName)
	case agent == "" && !ValidName(card.Name):
		r.wrong("card.name", "the name %q is not valid: %s; the agent can be registered under another name", fault.Clip(card.Name), NameRule)
	}
	if _, err := semver.StrictNewVersion(card.Version); err != nil {
		r.wrong("card.version", "the version %q is not a semantic version such as 1.2.0", fault.Clip(card.Version))
	}
	card.Interfaces = r.interfaces(root)
	metadata := r.capabilities(root, &card)
	card.Skills = r.skills(root)
	schemes := r.object(root, "card", "securitySchemes")
	card.SecuritySchemes = slices.Sorted(maps.Keys(schemes))
	card.Security = securitySchemes(root, schemes, card.SecuritySchemes)
	r.visibleSchemes(&card)
	if len(r.violations) > 0 {
		return Card{}, nil, nil, invalid("CARD_INVALID", r.violations)
	}
	if len(card.Skills) == 0 {
		r.warn("SKILLS_EMPTY", "card.skills", "the card names no skill, so the agent can be found by its name only")
	}
	return card, metadata, r.warnings, nil
}

// invalid returns one InvalidArgument fault for several violations; its message is the first of them.
func invalid(reason string, violations []fault.Violation) error {
	first := violations[0]
	e := fault.New(fault.InvalidArgument, reason, "%s: %s", first.Field, first.Description)
	if n := len(violations); n > 1 {
		e = fault.New(fault.InvalidArgument, reason, "%s: %s (the first of %d mistakes)", first.Field, first.Description, n)
	}
	e.Violations = violations
	return e
}
