package jws

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/gowebpki/jcs"
)

// shape says which fields of a message are left out of the canonical form when they have their default value: those that the A2A specification
// neither requires nor marks as optional (section 8.4.1). Unknown fields are kept.
type shape struct {
	defaults map[string]any    // by field; nil when only null means that the field is absent
	fields   map[string]*shape // of fields that hold messages, or lists or maps of messages
}

var (
	text, list, object, no any = "", []any{}, map[string]any{}, false

	interfaceShape = &shape{defaults: map[string]any{"tenant": text}}
	extensionShape = &shape{defaults: map[string]any{"uri": text, "description": text, "required": no}}
	// A requirement's map of schemes and their scopes.
	scopesShape      = &shape{defaults: map[string]any{"list": list}}
	requirementShape = &shape{defaults: map[string]any{"schemes": object}, fields: map[string]*shape{"schemes": {fields: map[string]*shape{"*": scopesShape}}}}
	skillShape       = &shape{
		defaults: map[string]any{"examples": list, "inputModes": list, "outputModes": list, "securityRequirements": list},
		fields:   map[string]*shape{"securityRequirements": requirementShape},
	}
	flowShape = &shape{defaults: map[string]any{"refreshUrl": text, "pkceRequired": no}}
	// The deprecated flows require nothing.
	oldFlowShape = &shape{defaults: map[string]any{"authorizationUrl": text, "tokenUrl": text, "refreshUrl": text, "scopes": object}}
	schemeShape  = &shape{fields: map[string]*shape{
		"apiKeySecurityScheme":        {defaults: map[string]any{"description": text}},
		"httpAuthSecurityScheme":      {defaults: map[string]any{"description": text, "bearerFormat": text}},
		"openIdConnectSecurityScheme": {defaults: map[string]any{"description": text}},
		"mtlsSecurityScheme":          {defaults: map[string]any{"description": text}},
		"oauth2SecurityScheme": {
			defaults: map[string]any{"description": text, "oauth2MetadataUrl": text},
			fields:   map[string]*shape{"flows": {fields: map[string]*shape{"implicit": oldFlowShape, "password": oldFlowShape, "*": flowShape}}},
		},
	}}
	cardShape = &shape{
		defaults: map[string]any{
			"securitySchemes": object, "securityRequirements": list, "provider": nil, "documentationUrl": nil, "iconUrl": nil,
		},
		fields: map[string]*shape{
			"supportedInterfaces": interfaceShape,
			"capabilities": {
				defaults: map[string]any{"extensions": list, "streaming": nil, "pushNotifications": nil, "extendedAgentCard": nil},
				fields:   map[string]*shape{"extensions": extensionShape},
			},
			"securitySchemes":      {fields: map[string]*shape{"*": schemeShape}},
			"securityRequirements": requirementShape,
			"skills":               skillShape,
		},
	}
)

// Canonical returns the card in the form of RFC 8785, including its signatures. Cards with the same content have the same form.
func Canonical(card []byte) ([]byte, error) {
	canonical, err := jcs.Transform(card)
	if err != nil {
		return nil, fmt.Errorf("the card has no canonical form: %w", err)
	}
	return canonical, nil
}

// Payloads returns what a signature of the card may cover: the canonical form of the card without its signatures and without fields that have their
// default value, as A2A 8.4.1 demands; and the same form with these fields, as v0.3 cards and several signers have it. Both have the same content, so
// it does not matter for trust which of them was signed.
func Payloads(card []byte) ([][]byte, error) {
	canonical, err := Canonical(card) // refuses duplicate keys, unlike encoding/json
	if err != nil {
		return nil, err
	}
	tree, err := decode(canonical)
	if err != nil {
		return nil, err
	}
	delete(tree, "signatures")
	whole, err := encode(tree)
	if err != nil {
		return nil, err
	}
	cardShape.strip(tree)
	stripped, err := encode(tree)
	if err != nil {
		return nil, err
	}
	if bytes.Equal(stripped, whole) {
		return [][]byte{stripped}, nil
	}
	return [][]byte{stripped, whole}, nil
}

// decode returns a card in canonical form as an object. The form has no number that is not a float64.
func decode(canonical []byte) (tree map[string]any, err error) {
	if err := json.Unmarshal(canonical, &tree); err != nil {
		return nil, fmt.Errorf("the card is not a JSON object: %w", err)
	}
	return tree, nil
}

func encode(tree map[string]any) ([]byte, error) {
	encoded, err := json.Marshal(tree)
	if err != nil {
		return nil, fmt.Errorf("encoding the card: %w", err)
	}
	return Canonical(encoded)
}

// strip removes the fields of a message that have their default value.
func (s *shape) strip(message map[string]any) {
	for name, value := range message {
		next := s.fields[name]
		if next == nil {
			next = s.fields["*"]
		}
		if next != nil {
			next.stripAll(value)
		}
		if standard, ok := s.defaults[name]; ok && isDefault(value, standard) {
			delete(message, name)
		}
	}
}

func (s *shape) stripAll(value any) {
	switch v := value.(type) {
	case map[string]any:
		s.strip(v)
	case []any:
		for _, element := range v {
			s.stripAll(element)
		}
	}
}

// isDefault reports whether value is null, which ProtoJSON uses for absent fields, or an empty value of the type of standard.
func isDefault(value, standard any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case []any:
		_, ok := standard.([]any)
		return ok && len(v) == 0
	case map[string]any:
		_, ok := standard.(map[string]any)
		return ok && len(v) == 0
	}
	return value == standard
}
