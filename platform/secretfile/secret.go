package secretfile

import (
	"bytes"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/quorate/quorate/platform/auth"
)

// Secret is the text of a file, without white space around it. Make it with Open; it is safe for concurrent use.
type Secret struct {
	file string

	mu      sync.Mutex
	text    auth.Secret // guarded by mu
	changed time.Time   // guarded by mu; when the file was changed that text is from
	checked time.Time   // guarded by mu
	since   time.Time   // guarded by mu; since when text is known
	err     error       // guarded by mu; why the file could not be read when it was looked at last
}

// Open reads a secret, which must be there and not empty.
func Open(file string) (*Secret, error) {
	s := &Secret{file: file}
	s.look()
	if s.text == "" {
		return nil, s.err
	}
	return s, nil
}

// Text returns the secret and since when it is known. The error says why the file could not be read again; the secret of before counts on.
func (s *Secret) Text() (text auth.Secret, since time.Time, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.checked) >= checkEvery {
		s.look()
	}
	return s.text, s.since, s.err
}

// Check has the next Text look at the file at once.
func (s *Secret) Check() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.checked = time.Time{}
}

// look reads the file if it is another one than it was.
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
