package discovery

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/jws"
)

// Types of entries.
const (
	typeCard    = "application/a2a-agent-card+json"
	typeCatalog = "application/ai-catalog+json"
)

// entry is an entry of an AI Catalog, as far as it matters here.
type entry struct {
	Identifier string          `json:"identifier"`
	Type       string          `json:"type"`
	MediaType  string          `json:"mediaType"` // the name of type before version 1.0
	URL        string          `json:"url"`
	Data       json.RawMessage `json:"data"`
}

func (e *entry) kind() string {
	kind, _, _ := strings.Cut(cmp.Or(e.Type, e.MediaType), ";")
	return strings.ToLower(strings.TrimSpace(kind))
}

// entriesOf returns the entries of an AI Catalog, none of which has been checked. It refuses a document whose own members can be read in more than one way.
func entriesOf(document []byte) ([]json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(document))
	if open, err := d.Token(); err != nil || open != json.Delim('{') || !json.Valid(document) {
		return nil, errors.New("it is not an AI Catalog")
	}
	members := make(map[string]json.RawMessage)
	for d.More() {
		token, _ := d.Token() // the document is valid
		key, _ := token.(string)
		var value json.RawMessage
		_ = d.Decode(&value)
		if _, twice := members[key]; twice {
			return nil, fmt.Errorf("it can be read in more than one way: the key %q occurs twice", fault.Clip(key))
		}
		members[key] = value
	}
	var version string
	var entries []json.RawMessage
	if json.Unmarshal(members["specVersion"], &version) != nil || version == "" || json.Unmarshal(members["entries"], &entries) != nil {
		return nil, errors.New("it is not an AI Catalog, which has a specVersion and a list of entries")
	}
	return entries, nil
}

// readEntry reads an entry. With an error it returns what it could read, which may tell which entry it is.
func readEntry(raw []byte) (entry, error) {
	var e entry
	if err := json.Unmarshal(raw, &e); err != nil {
		return e, fmt.Errorf("it is not an entry of an AI Catalog: %w", fault.InWordsOfJSON(err))
	}
	if _, err := jws.Canonical(raw); err != nil { // duplicate keys, for example
		return e, fmt.Errorf("it can be read in more than one way: %w", err)
	}
	return e, nil
}
