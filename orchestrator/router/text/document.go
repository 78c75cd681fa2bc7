package text

import (
	"crypto/sha256"
	"io"
	"maps"
	"slices"
	"strings"
)

// document is what a skill says, in the form in which it is compared.
type document struct {
	called   []string   // words of the name, or else of the id, each once
	name     []string   // their stems, each once
	fields   [][]string // stems of each source, each once: name, description, tags, inputs and outputs
	examples []example
	said     example // the set of words that the card uses for the skill, wherever it does
}

// example is a prepared example of a skill.
type example struct {
	words []string
	stems []string // each once
}

// bytes returns the length of an example, which determines how long it takes to learn from it.
func (x *example) bytes() (n int) {
	for _, w := range x.words {
		n += len(w)
	}
	return n
}

func newDocument(s *Skill) document {
	var d document
	add := func(texts ...string) {
		d.fields = append(d.fields, distinct(stems(declared(texts...))))
	}
	d.called = distinct(declared(s.Name))
	if len(d.called) == 0 {
		d.called = distinct(declared(s.ID))
	}
	d.name = distinct(stems(d.called))
	add(s.Name, s.ID)
	add(s.Description)
	add(s.Tags...)
	add(slices.Concat(s.Inputs, s.Outputs)...)
	own := within(spread(plainest(declared(append([]string{s.Name, s.ID, s.Description}, s.Tags...)...)), maxExampleWords), maxExampleBytes)
	d.said = example{own, distinct(stems(own))}
	d.examples = newExamples(s.Examples)
	return d
}

// ownerWords returns the stems of what a skill's agent says of itself, each once.
func ownerWords(s *Skill) []string { return distinct(stems(declared(s.Agent, s.AgentDescription))) }

// key identifies documents that say the same.
func (d *document) key() (sum [sha256.Size]byte) {
	h := sha256.New()
	add := func(list []string) { // no word has a space or a line break
		_, _ = io.WriteString(h, strings.Join(list, " ")+"\n")
	}
	add(d.called)
	for _, f := range d.fields {
		add(f)
	}
	add(d.said.words)
	for _, x := range d.examples {
		add(x.words)
	}
	h.Sum(sum[:0])
	return sum
}

// newExamples prepares examples: of those with the same words only the shortest, in an order that does not depend on the card's, since a limit keeps
// only some of them.
func newExamples(texts []string) []example {
	shortest := make(map[string]example) // by gist
	for _, text := range texts {
		list, _ := words(text)
		list = within(list[:min(len(list), maxExampleWords)], maxExampleBytes)
		x := example{list, distinct(stems(list))}
		key := gist(list)
		if old, ok := shortest[key]; len(list) > 0 && (!ok || len(list) < len(old.words)) {
			shortest[key] = x
		}
	}
	return slices.SortedFunc(maps.Values(shortest), func(a, b example) int { return slices.Compare(a.words, b.words) })
}

// gist returns a key by which examples are told apart: their words in sorted order, without fillers unless there is nothing else.
func gist(list []string) string {
	said := content(list)
	if len(said) == 0 {
		said = distinct(stems(list))
	}
	return strings.Join(said, " ")
}
