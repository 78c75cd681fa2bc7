package agentauth

import (
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/quorate/quorate/platform/bounded"
	"github.com/quorate/quorate/platform/config"
)

const (
	maxEntries = 1000
	maxFile    = 1 << 20 // bytes
)

// entry is a credential in the file: a secret of one kind, a client certificate, or both. Every secret in it is a reference.
type entry struct {
	Origin   string `yaml:"origin"`
	Insecure bool   `yaml:"insecure"` // it may be sent unencrypted to another machine

	Bearer    *bearer    `yaml:"bearer"`
	Basic     *basic     `yaml:"basic"`
	APIKey    *apiKey    `yaml:"apiKey"`
	OAuth2    *oauth     `yaml:"oauth2"`
	MutualTLS *mutualTLS `yaml:"mutualTLS"`
}

// kind is how a credential with a secret is made.
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
	return list
}

// problem says which entry an error is about.
func (e *entry) problem(i int, err error) string {
	if o, _, parseErr := e.where(); parseErr == nil {
		return fmt.Sprintf("entry %d (%s): %s", i+1, o, err)
	}
	return fmt.Sprintf("entry %d: %s", i+1, err) // what is in the place of the origin may be a secret
}

// hash returns the hash of the file. Its modification time says less: it stays the same for files in images and for copies.
func (c Config) hash() ([sha256.Size]byte, error) {
	content, err := bounded.RegularFile(c.File, maxFile)
	return sha256.Sum256(content), err
}

// readFile parses the entries strictly: unknown and duplicate fields are refused.
func readFile(name string) ([]entry, error) {
	var list struct {
		Credentials []entry `yaml:"credentials"`
	}
	switch err := config.ReadStrict(name, &list); {
	case err != nil:
		return nil, err
	case list.Credentials == nil:
		return nil, errors.New("it is empty: want credentials: and a list")
	case len(list.Credentials) > maxEntries:
		return nil, fmt.Errorf("it has %d entries; the most is %d", len(list.Credentials), maxEntries)
	}
	return list.Credentials, nil
}
