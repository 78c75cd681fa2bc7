package secretfile

import (
	"bytes"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/quorate/quorate/platform/auth"
)

// Secret is the text of a file without surrounding white space, made by Open. It is safe for concurrent use.
type Secret struct {
	file   string
	logger *slog.Logger

	mu      sync.Mutex
	text    auth.Secret // guarded by mu
	checked time.Time   // guarded by mu
	since   time.Time   // guarded by mu; when text was first read
	err     error       // guarded by mu; why the file could not be read the last time
}

// Open reads a secret. A missing or empty file is an error. That it cannot be read again later is logged, once; a nil logger logs nothing.
func Open(file string, logger *slog.Logger) (*Secret, error) {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	s := &Secret{file: file, logger: logger}
	s.look()
	if s.text == "" {
		return nil, s.err
	}
	return s, nil
}

// Text returns the secret and when it was first read. When the file cannot be read again, the previous secret stays in use.
func (s *Secret) Text() (text auth.Secret, since time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.checked) >= checkEvery {
		failing := s.err != nil
		if s.look(); s.err != nil && !failing { // without a context, because it is chance which call checks the file
			s.logger.Error("a secret could not be read again; the previous one stays in use", slog.String("file", s.file), slog.Any("error", s.err))
		}
	}
	return s.text, s.since
}

// Check makes the next Text check the file, however short ago it was checked.
func (s *Secret) Check() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.checked = time.Time{}
}

// look reads the file. It does not rely on the modification time, which stays the same for files in images and for copies.
func (s *Secret) look() {
	s.checked = time.Now()
	content, err := Read(s.file)
	text := auth.Secret(bytes.TrimSpace(content))
	if err == nil && text == "" {
		err = fmt.Errorf("%s is empty", s.file)
	}
	if s.err = err; err == nil && text != s.text {
		s.text, s.since = text, s.checked
	}
}
