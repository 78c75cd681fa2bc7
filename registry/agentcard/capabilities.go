package agentcard

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/quorate/quorate/platform/fault"
)

// capabilities reads the card's capabilities into card and returns the metadata in the card's extensions, or nil.
func (r *reader) capabilities(root map[string]any, card *Card) *Metadata {
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
