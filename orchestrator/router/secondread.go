package router

import (
	"context"
	"crypto/sha256"
	"slices"
	"strings"
	"time"

	"github.com/quorate/quorate/registry"
)

const (
	readTimeout = 30 * time.Second // of a call that reads skills
	batch       = 64               // texts of a call
	maxVectors  = 50_000           // that are kept; words alone decide on texts beyond
	docExamples = 5                // of a skill that are read
)

// readAll has the skills of all tenants that are indexed read, again after a while when that fails.
func (r *Router) readAll(ctx context.Context) {
	for {
		var documents []string
		for _, s := range r.library.all() {
			v := s.view.Load()
			if v == nil {
				continue
			}
			for _, a := range v.Agents {
				for _, skill := range a.Card.Skills {
					documents = append(documents, documentOf(a, skill.ID))
				}
			}
		}
		var again <-chan time.Time // never, unless something is left to read
		if r.second.read(ctx, documents) != nil {
			again = time.After(restAfter)
		}
		select {
		case <-ctx.Done():
			return
		case <-r.library.unread:
		case <-again:
		}
	}
}

// read has the texts of skills that are not known yet turned into vectors, and forgets those that are gone. Decisions say why it could not.
func (s *second) read(ctx context.Context, documents []string) (err error) {
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.trouble = err
	}()
	var missing []string
	wanted := make(map[[sha256.Size]byte]bool, len(documents))
	s.mu.Lock()
	for _, d := range documents {
		k := sha256.Sum256([]byte(d))
		if !wanted[k] && s.vectors[k] == nil && len(wanted) < maxVectors {
			missing = append(missing, d)
		}
		wanted[k] = true
	}
	for k := range s.vectors {
		if !wanted[k] {
			delete(s.vectors, k)
		}
	}
	s.mu.Unlock()
	for chunk := range slices.Chunk(missing, batch) {
		if err := s.readSome(ctx, chunk); err != nil {
			return err
		}
	}
	return nil
}

func (s *second) readSome(ctx context.Context, documents []string) error {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	vectors, err := s.embedder.Embed(ctx, documents)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, d := range documents {
		s.vectors[sha256.Sum256([]byte(d))] = vectors[i]
	}
	return nil
}

// documentOf is the text of a skill that the second stage compares.
func documentOf(a *registry.Agent, skill string) string {
	for _, s := range a.Card.Skills {
		if s.ID != skill {
			continue
		}
		parts := []string{s.Name, s.Description, strings.Join(s.Tags, ", ")}
		parts = append(parts, s.Examples[:min(len(s.Examples), docExamples)]...)
		return clipped(strings.Join(parts, "\n"))
	}
	return ""
}

// clipped returns what of a text goes to the model.
func clipped(s string) string {
	return strings.ToValidUTF8(s[:min(len(s), maxDocument)], "")
}
