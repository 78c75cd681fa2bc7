package router

import (
	"context"
	"crypto/sha256"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/agentcard"
)

const (
	embedTimeout        = 30 * time.Second // for a call that reads skills
	embedBatchSize      = 64               // texts in a call
	maxVectors          = 50_000           // vectors that are kept; beyond these, texts are decided by words alone
	maxDocumentExamples = 5                // examples of a skill that are read
	shortDocument       = 500              // bytes of a text that was refused; models read 512 tokens or more
	maxRefused          = 8                // skills whose beginning is refused, too, before the others are not tried
	dropDelay           = 10 * time.Minute // pause after vectors were dropped
)

// embedAllSkills reads the skills of all indexed tenants, and tries again after a while when that fails.
func (r *Router) embedAllSkills(ctx context.Context) {
	for {
		var documents []string
		for _, s := range r.indexes.all() {
			v := s.view.Load()
			if v == nil {
				continue
			}
			for _, a := range v.Agents {
				for i := range a.Card.Skills {
					documents = append(documents, skillDocument(&a.Card.Skills[i]))
				}
			}
		}
		var again <-chan time.Time // nil waits for ever: nothing is left to read
		if r.secondStage.embedSkills(ctx, documents) != nil {
			again = time.After(embedRetryDelay)
		}
		select {
		case <-ctx.Done():
			return
		case <-r.indexes.newSkills:
		case <-r.secondStage.dropped:
		case <-again:
		}
	}
}

// embedSkills gets the vectors of new skills' texts and drops those of skills that are gone. If it fails, decisions say why.
func (s *secondStage) embedSkills(ctx context.Context, documents []string) (err error) {
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.embedErr = err
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
	var refused []error
	for chunk := range slices.Chunk(missing, embedBatchSize) {
		if err := s.embedBatch(ctx, chunk, &refused); err != nil {
			return err
		}
	}
	if len(refused) > 0 {
		return refused[0]
	}
	return nil
}

// embedBatch gets the vectors of documents. An endpoint refuses a whole call for one text, say because that is longer than its model reads: then the
// others are read without it, and of that one the beginning. If even that is refused, it is added to refused, and too many of these are an error.
func (s *secondStage) embedBatch(ctx context.Context, documents []string, refused *[]error) error {
	err := s.embed(ctx, documents, documents)
	if err == nil || fault.KindOf(err) != fault.InvalidArgument {
		return err
	}
	if half := len(documents) / 2; half > 0 {
		if err := s.embedBatch(ctx, documents[:half], refused); err != nil {
			return err
		}
		return s.embedBatch(ctx, documents[half:], refused)
	}
	err = s.embed(ctx, documents, []string{beginning(documents[0], shortDocument)})
	if err == nil || fault.KindOf(err) != fault.InvalidArgument {
		return err
	}
	if *refused = append(*refused, err); len(*refused) == maxRefused { // it is not about the texts
		return err
	}
	return nil
}

// embed gets the vectors of texts and keeps them as those of documents.
func (s *secondStage) embed(ctx context.Context, documents, texts []string) error {
	ctx, cancel := context.WithTimeout(ctx, embedTimeout)
	defer cancel()
	vectors, err := s.embedder.Embed(ctx, texts)
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

// dropOthers drops the vectors of another dimension, because the endpoint has got another model, and has their skills read again. It does so rarely: an
// endpoint with two models would have to read all of them again and again.
func (s *secondStage) dropOthers(dimension int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.droppedAt.IsZero() && time.Since(s.droppedAt) < dropDelay {
		return
	}
	s.droppedAt, s.embedErr = time.Now(), errDimensions
	maps.DeleteFunc(s.vectors, func(_ [sha256.Size]byte, v []float32) bool { return len(v) != dimension })
	notify(s.dropped)
}

// skillDocument returns the text of a skill for the second stage.
func skillDocument(s *agentcard.Skill) string {
	parts := []string{s.Name, s.Description, strings.Join(s.Tags, ", ")}
	parts = append(parts, s.Examples[:min(len(s.Examples), maxDocumentExamples)]...)
	return beginning(strings.Join(parts, "\n"), maxDocument)
}

// beginning returns the part of a text that is sent to the model, of at most so many bytes.
func beginning(s string, most int) string {
	return strings.ToValidUTF8(s[:min(len(s), most)], "")
}
