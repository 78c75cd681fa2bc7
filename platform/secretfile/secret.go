package secretfile

import (
	"bytes"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/quorate/quorate/platform/auth"
)

// Secret is the text of a file without surrounding white space, made by Open. It is safe for concurrent use.
type Secret struct {
	file string

	mu      sync.Mutex
	text    auth.Secret // guarded by mu
	changed time.Time   // guarded by mu; modification time of the file when text was read
	checked time.Time   // guarded by mu
	since   time.Time   // guarded by mu; when text was first read
	err     error       // guarded by mu; why the file could not be read the last time
}

// Open reads a secret. A missing or empty file is an error.
func Open(file string) (*Secret, error) {
	s := &Secret{file: file}
	s.look()
	if s.text == "" {
		return nil, s.err
	}
	return s, nil
}

// Text returns the secret and when it was first read. The error says why the file could not be read again; the returned secret stays in use then.
func (s *Secret) Text() (text auth.Secret, since time.Time, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.checked) >= checkEvery {
		s.look()
	}
	return s.text, s.since, s.err
}

// Check makes the next Text check the file, however short ago it was checked.
func (s *Secret) Check() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.checked = time.Time{}
}

// look reads the file if it has changed.
func (s *Secret) look() {
	s.checked = time.Now()
	info, err := os.Stat(s.file)
	if err == nil && s.err == nil && info.ModTime().Equal(s.changed) {
		return
	}
	content, info, err := read(s.file)
	if s.err = err; err != nil {
		return
	}
	text := auth.Secret(bytes.TrimSpace(content))
	switch {
	case text == "":
		s.err = fmt.Errorf("%s is empty", s.file)
		return
	case text != s.text:
		s.text, s.since = text, s.checked
	}
	s.changed = info.ModTime()
}
