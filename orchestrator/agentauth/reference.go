package agentauth

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/config"
	"github.com/quorate/quorate/platform/secretfile"
)

// openReference returns the source for a reference, env:NAME or file:/path, which must exist. An error never contains a text that is not a reference.
func openReference(c Config, reference string) (source, error) {
	where, what, _ := strings.Cut(reference, ":")
	switch {
	case where == "env" && what != "":
		value := config.Env(what)
		if value == "" {
			return nil, fmt.Errorf("the environment variable %s is not set", what)
		}
		if !sendable(value) {
			return nil, fmt.Errorf("the environment variable %s has characters that no header can hold", what)
		}
		return fixed(value), nil
	case where == "file" && filepath.IsAbs(what):
		return openFile(c, what)
	default:
		return nil, errors.New("want env: and the name of a variable, or file: and an absolute path; the secret itself does not belong here")
	}
}

// fixed is a secret that does not change.
type fixed auth.Secret

func (f fixed) secret(context.Context) (auth.Secret, error) { return auth.Secret(f), nil }

func (fixed) refused(time.Time) bool { return false }

// file is a secret that may change.
type file struct{ text *secretfile.Secret }

func openFile(c Config, name string) (*file, error) {
	text, err := secretfile.Open(name, c.Logger)
	if err != nil {
		return nil, err
	}
	if s, _ := text.Text(); !sendable(s.Reveal()) {
		return nil, fmt.Errorf("%s has more than one line, or characters that no header can hold", name)
	}
	return &file{text}, nil
}

func (f *file) secret(context.Context) (auth.Secret, error) {
	s, _ := f.text.Text()
	return s, nil
}

func (f *file) refused(sent time.Time) bool {
	f.text.Check()
	_, since := f.text.Text()
	return since.After(sent)
}
