package agentauth

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/quorate/quorate/platform/bounded"
)

const (
	maxFile    = 1 << 20
	maxEntries = 1000
)

// entry is a credential in the file, of exactly one kind. Every secret in it is a reference.
type entry struct {
	Origin   string `yaml:"origin"`
	Insecure bool   `yaml:"insecure"` // it may be sent unencrypted to another machine

	Bearer    *bearer    `yaml:"bearer"`
	Basic     *basic     `yaml:"basic"`
	APIKey    *apiKey    `yaml:"apiKey"`
	OAuth2    *oauth     `yaml:"oauth2"`
	MutualTLS *mutualTLS `yaml:"mutualTLS"`
}

// kind is how a credential is made.
type kind interface {
	credential(c Config) (*Credential, error)
}

func (e *entry) kinds() (list []kind) {
	if e.Bearer != nil {
		list = append(list, e.Bearer)
	}
	if e.Basic != nil {
		list = append(list, e.Basic)
	}
	if e.APIKey != nil {
		list = append(list, e.APIKey)
	}
	if e.OAuth2 != nil {
		list = append(list, e.OAuth2)
	}
	if e.MutualTLS != nil {
		list = append(list, e.MutualTLS)
	}
	return list
}

// problem says which entry an error is about.
func (e *entry) problem(i int, err error) string {
	if o, _, parseErr := e.where(); parseErr == nil {
		return fmt.Sprintf("entry %d (%s): %s", i+1, o, err)
	}
	return fmt.Sprintf("entry %d: %s", i+1, err) // what is in the place of the origin may be a secret
}

// readFile parses the entries strictly: unknown and duplicate fields are refused.
func readFile(name string) ([]entry, error) {
	text, err := bounded.File(name, maxFile)
	if err != nil {
		return nil, err
	}
	var list struct {
		Credentials []entry `yaml:"credentials"`
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	switch err := decoder.Decode(&list); {
	case errors.Is(err, io.EOF):
		return nil, errors.New("it is empty: want credentials: and a list")
	case err != nil:
		return nil, withoutValues(err)
	}
	switch err := decoder.Decode(new(yaml.Node)); {
	case !errors.Is(err, io.EOF):
		return nil, errors.New("it has more than one document")
	case len(list.Credentials) > maxEntries:
		return nil, fmt.Errorf("it has %d entries; the most is %d", len(list.Credentials), maxEntries)
	}
	return list.Credentials, nil
}

// quoted matches a value of a wrong type in errors of the YAML decoder, and Go types that mean nothing to operators.
var quoted = regexp.MustCompile("(?s) `.*?`| in type .*| into .*")

// unknown matches what the YAML decoder says of a field that does not exist; of a field named file it reads as if a file were missing.
var unknown = regexp.MustCompile(`field (\S+) not found in type .*`)

// withoutValues removes values from an error of the decoder.
func withoutValues(err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: unmarshal errors:\n")
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, strings.TrimSpace(quoted.ReplaceAllString(unknown.ReplaceAllString(line, "unknown field $1"), "")))
	}
	return errors.New(strings.Join(lines, "; "))
}
