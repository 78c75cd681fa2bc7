package router_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/quorate/quorate/orchestrator/router"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
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

func TestNotEverySkillIsReadWhenThereAreTooMany(t *testing.T) {
	t.Parallel()
	const most = 50_000
	skills := make([]string, most+70) // more than a call's worth
	for i := range skills {
		skills[i] = strconv.Itoa(i)
	}
	m := &reader{}
	if kept, err := router.New(router.Config{Directory: fleet{}, Embedder: m}).EmbedSkills(t.Context(), skills...); kept != most || len(m.read) != most || err != nil {
		t.Errorf("EmbedSkills() = %d, %v after %d texts were read, want %d vectors, of as many texts", kept, err, len(m.read), most)
	}
}

func TestOfASkillSomeExamplesAreRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := skilled("a", registry.StatusAvailable, "draw", "Draws pictures.")
		a.Card.Skills[0].Examples = []string{"a cat", "a dog", "a bird", "a fish", "a horse", "a whale"}
		m := &reader{}
		r := router.New(router.Config{Directory: fleet{a}, Intn: first, Embedder: m})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go r.Run(ctx)
		unsure(t, r)
		synctest.Wait()
		if said := strings.Join(m.read, "\n"); !strings.Contains(said, "Draws pictures.") || !strings.Contains(said, "a cat\na dog\na bird\na fish\na horse") || strings.Contains(said, "a whale") {
			t.Errorf("the model has read %q, want the description and five of the examples", said)
		}
	})
}

// picky is a model that refuses texts with the word bad, and fails for their beginnings if it is to.
type picky struct {
	reader
	fails error
}

func (p *picky) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	at := slices.IndexFunc(texts, func(text string) bool { return strings.HasPrefix(text, "bad") })
	switch {
	case at >= 0 && len(texts[at]) <= 500 && p.fails != nil:
		return nil, p.fails
	case at >= 0:
		return nil, fault.Invalid("input", "TOO_LONG", "a text is too long")
	}
	return p.reader.Embed(ctx, texts)
}

// TestASkillThatIsRefusedIsSaidAndCostsNoOther has one of three skills be refused, and then the model fail.
func TestASkillThatIsRefusedIsSaidAndCostsNoOther(t *testing.T) {
	t.Parallel()
	away := errors.New("the model is away")
	skills := []string{"bad" + strings.Repeat(" and long", 100), "good", "fine"}
	r := router.New(router.Config{Directory: fleet{}, Embedder: &picky{}})
	if kept, err := r.EmbedSkills(t.Context(), skills...); kept != 2 || fault.ReasonOf(err) != "TOO_LONG" {
		t.Errorf("EmbedSkills() = %d, %v, want two vectors kept, and why there are no three", kept, err)
	}
	r = router.New(router.Config{Directory: fleet{}, Embedder: &picky{fails: away}})
	if kept, err := r.EmbedSkills(t.Context(), skills...); kept != 0 || !errors.Is(err, away) {
		t.Errorf("EmbedSkills() = %d, %v, want no more tried when the model fails", kept, err)
	}
}
