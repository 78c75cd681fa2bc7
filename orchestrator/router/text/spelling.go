package text

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Words whose spelling is corrected. Short ones are too near to others.
const (
	minSpelled      = 5 // letters
	minReplaced     = 6 // of a word with another letter: too many of five differ by one
	maxSpelled      = 24
	maxSpelledWords = 50_000 // words that texts are corrected to, those of most agents
)

// spelling finds the word that somebody meant who made a slip: a letter too many, too few or another, or two letters in the other order.
type spelling struct {
	words []string  // that skills and their examples use, those of most agents first
	near  *inverted // the words that have a hash, as they are or without one of their letters
}

// newSpelling takes the words of skills, whose owners are in order.
func newSpelling(c *corpus, owner []int32) spelling {
	type use struct{ agents, last int32 }
	uses := make(map[string]use) // by word
	for i, at := range c.doc {
		d := &c.docs[at]
		own := slices.Concat(d.called, d.said.words)
		for _, x := range d.examples {
			own = append(own, x.words...)
		}
		for _, w := range own {
			u, used := uses[w]
			if used && u.last == owner[i] {
				continue // once for each agent, so that repeating a word or a skill gains nothing
			}
			if n := len([]rune(w)); n >= minSpelled && n <= maxSpelled {
				uses[w] = use{u.agents + 1, owner[i]}
			}
		}
	}
	var s spelling
	for w := range uses {
		s.words = append(s.words, w)
	}
	slices.SortFunc(s.words, func(a, b string) int {
		return cmp.Or(cmp.Compare(uses[b].agents, uses[a].agents), strings.Compare(a, b))
	})
	s.words = s.words[:min(len(s.words), maxSpelledWords)]
	hashes := make([][]uint32, len(s.words))
	for i, w := range s.words {
		hashes[i] = shortened(w)
	}
	s.near = invert(hashes)
	return s
}

// shortened returns the hashes of a word and of the word without one of its letters. The first letter stays: it is hardly ever wrong.
func shortened(word string) []uint32 {
	out := append(make([]uint32, 0, len(word)), hash(kindWord, word))
	_, first := utf8.DecodeRuneInString(word)
	for i := first; i < len(word); {
		_, n := utf8.DecodeRuneInString(word[i:])
		out = append(out, hash(kindWord, word[:i]+word[i+n:]))
		i += n
	}
	return out
}

// correct replaces the words that nobody uses by those that were probably meant.
func (x *Index) correct(list []string) []string {
	for i, w := range list {
		if _, known := x.bm25.terms[stem(w)]; !known && !fillers[w] {
			list[i] = x.spelling.meant(w)
		}
	}
	return list
}

// meant returns the word of most agents from which a word differs by a slip, or the word itself.
func (s *spelling) meant(word string) string {
	letters := []rune(word)
	if len(letters) < minSpelled || len(letters) > maxSpelled {
		return word
	}
	best := int32(len(s.words)) //nolint:gosec // at most maxSpelledWords
	for _, h := range shortened(word) {
		for _, at := range s.near.list(h) {
			other := s.words[at]
			if at >= best {
				break
			}
			if other == word {
				return word
			}
			if other[0] == word[0] && slip(letters, []rune(other)) {
				best = at
			}
		}
	}
	if int(best) == len(s.words) {
		return word
	}
	return s.words[best]
}

// slip reports whether two different words differ by one letter more, less or other, or by two neighbours in the other order.
func slip(a, b []rune) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	switch {
	case len(a) < len(b):
		return slices.Equal(a[i:], b[i+1:])
	case i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i]:
		return slices.Equal(a[i+2:], b[i+2:])
	default:
		return len(a) >= minReplaced && slices.Equal(a[i+1:], b[i+1:])
	}
}
