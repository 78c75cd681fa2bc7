package agentauth

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync/atomic"
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
type file struct {
	name    string
	text    *secretfile.Secret
	logger  *slog.Logger
	failing atomic.Bool
}

func openFile(c Config, name string) (*file, error) {
	text, err := secretfile.Open(name)
	if err != nil {
		return nil, err
	}
	if s, _, _ := text.Text(); !sendable(s.Reveal()) {
		return nil, fmt.Errorf("%s has more than one line, or characters that no header can hold", name)
	}
	return &file{name: name, text: text, logger: c.Logger}, nil
}

func (f *file) secret(ctx context.Context) (auth.Secret, error) {
	s, _, err := f.text.Text()
	if failing := err != nil; f.failing.Swap(failing) != failing && failing {
		f.logger.WarnContext(ctx, "a secret for agents could not be read again; the one of before counts", slog.String("file", f.name), slog.Any("error", err))
	}
	return s, nil
}

func (f *file) refused(sent time.Time) bool {
	f.text.Check()
	_, since, _ := f.text.Text()
	return since.After(sent)
}
