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
		skills := make(map[string][]string)
		for _, s := range r.indexes.all() {
			v := s.view.Load()
			if v == nil {
				continue
			}
			for _, a := range v.Agents {
				for i := range a.Card.Skills {
					skills[s.tenant] = append(skills[s.tenant], skillDocument(&a.Card.Skills[i]))
				}
			}
		}
		var again <-chan time.Time // nil waits for ever: nothing is left to read
		if r.secondStage.embedSkills(ctx, skills) != nil {
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

// embedSkills gets the vectors of new skills' texts, which are given by tenant, and drops those of skills that are gone. If it fails, decisions of that
// tenant say why; those of others do not, since an endpoint may quote what it refuses.
func (s *secondStage) embedSkills(ctx context.Context, skills map[string][]string) (err error) {
	s.keepOnly(skills)
	troubles := make(map[string]error)
	for tenant, documents := range skills {
		e := s.embedTenant(ctx, documents)
		if e == nil {
			continue
		}
		troubles[tenant], err = e, e
		if fault.KindOf(e) != fault.InvalidArgument {
			break // it is not about the tenant's texts
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.troubles = troubles
	return err
}

// keepOnly drops the vectors of all but these skills.
func (s *secondStage) keepOnly(skills map[string][]string) {
	wanted := make(map[[sha256.Size]byte]bool)
	for _, documents := range skills {
		for _, d := range documents {
			wanted[sha256.Sum256([]byte(d))] = true
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.vectors, func(k [sha256.Size]byte, _ []float32) bool { return !wanted[k] })
}

// embedTenant gets the vectors of a tenant's skills that have none yet.
func (s *secondStage) embedTenant(ctx context.Context, documents []string) error {
	var refused []error
	for chunk := range slices.Chunk(s.missing(documents), embedBatchSize) {
		if err := s.embedBatch(ctx, chunk, &refused); err != nil {
			return err
		}
	}
	if len(refused) > 0 {
		return refused[0]
	}
	return nil
}

// missing returns the texts that have no vectors, each once, and not more than may be kept.
func (s *secondStage) missing(documents []string) []string {
	var missing []string
	seen := make(map[[sha256.Size]byte]bool)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range documents {
		k := sha256.Sum256([]byte(d))
		if !seen[k] && s.vectors[k] == nil && len(s.vectors)+len(missing) < maxVectors {
			missing = append(missing, d)
		}
		seen[k] = true
	}
	return missing
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
func (s *secondStage) dropOthers(tenant string, dimension int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.droppedAt.IsZero() && time.Since(s.droppedAt) < dropDelay {
		return
	}
	s.droppedAt, s.troubles = time.Now(), map[string]error{tenant: errDimensions}
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
