package router_test

import (
	"context"
	"slices"
	"testing"

	"github.com/quorate/quorate/orchestrator/router"
)

// reader is a model that notes what it reads.
type reader struct{ read []string }

func (r *reader) Embed(_ context.Context, texts []string) ([][]float32, error) {
	r.read = append(r.read, texts...)
	return slices.Repeat([][]float32{{1}}, len(texts)), nil
}

func TestSkillsAreReadOnceAndForgottenWhenTheyAreGone(t *testing.T) {
	t.Parallel()
	m := &reader{}
	r := router.New(router.Config{Directory: fleet{}, Embedder: m})
	for _, skills := range [][]string{{"cats", "dogs", "dogs"}, {"dogs", "birds"}, {"birds"}} {
		kept, err := r.EmbedSkills(t.Context(), skills...)
		if want := len(slices.Compact(slices.Clone(skills))); err != nil || kept != want {
			t.Errorf("EmbedSkills(%v) = %d, %v, want %d vectors kept", skills, kept, err, want)
		}
	}
	if want := []string{"cats", "dogs", "birds"}; !slices.Equal(m.read, want) {
		t.Errorf("the model has read %v, want %v", m.read, want)
	}
}
