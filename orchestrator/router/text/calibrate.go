package text

import (
	"math"
	"slices"
)

const (
	maxFolds   = 5
	enoughHeld = 1000 // number of held-out examples that suffices to fit the limit
	minHeld    = 20   // and the minimum for weighing words without a background

	// For a skill without examples it is unknown how people ask for it. At this limit, in public sets with names and descriptions only, one in
	// twenty-five texts that no skill fits is accepted, and half of those that one does fit.
	usualLimit = 0.5
	evenOdds   = 1.05 // the evidence at the limit

	// The same for skills with an example each. In public sets, one in fifty texts that no skill fits is accepted among some hundred skills and one in
	// fifteen among five, and of those that one does fit a third and two thirds.
	fewLimit = 0.24
	halfWay  = 5 // examples of a skill at which the limit is half-way between that and the one fitted to them
)

// trust returns how far what examples taught determines the confidence, given their average number for each skill. The rest is shared words, which
// tell better what no skill fits as long as examples are few, and add something however many there are.
func trust(examples float64) float64 {
	const least, most, enough = 0.2, 0.8, 60
	return least + (most-least)*min(examples/enough, 1)
}

// examplesEach returns the average number of examples of the documents that have any.
func examplesEach(docs []document) float64 {
	total, taught := 0, 0
	for _, d := range docs {
		total += len(d.examples)
		taught += min(len(d.examples), 1)
	}
	return float64(total) / float64(max(taught, 1))
}

// calibrate returns the confidence below which a text is refused: with many examples, the one below which the given share of them falls when they are
// not in the index. The fewer there are, the less they show how people ask, and the closer it is to a fixed limit.
func calibrate(c *corpus, o Options) float32 {
	fitted := fit(c, o)
	if fitted <= 0 {
		return fewLimit
	}
	n := examplesEach(c.docs)
	known := n / (n + halfWay)
	return float32(math.Pow(fewLimit, 1-known) * math.Pow(fitted, known))
}

// fit returns the confidence below which the given share of examples falls when they are not in the index. It is 0 when there is none that can be
// held out and is like another.
func fit(c *corpus, o Options) float64 {
	total := examplesHeld(c.docs)
	if total == 0 {
		return 0
	}
	var seen []float32
	var r ranking
	first := firstUses(c.docs)
	for fold := range min(maxFolds, 1+enoughHeld*maxFolds/total) {
		// A fifth of a document's examples is held out, or one if there are fewer. Examples are sorted by their words, so that nearly equal ones are
		// held out together, and so are those that say the same in different documents; otherwise each would find its twin, as texts of other people
		// do not.
		held := func(doc, example int) bool {
			at := first[doc][example]
			n := len(c.docs[at.doc].examples)
			return n > 1 && at.example*min(n, maxFolds)/n == (fold+at.doc)%min(n, maxFolds)
		}
		x := build(c, held, true, o)
		if o.stopped() {
			return 0
		}
		for i, d := range c.docs {
			for e, y := range d.examples {
				if first[i][e] == (use{i, e}) && held(i, e) {
					x.rank(&r, y.words, y.stems)
					seen = append(seen, r.confidence)
				}
			}
		}
	}
	slices.Sort(seen)
	least := int(o.FalseRefusal * float64(len(seen)))
	for least < len(seen) && seen[least] <= 0 { // a text that shares no word with any skill is always refused, so such examples do not count
		least++
	}
	if least == len(seen) {
		return 0
	}
	return float64(seen[least])
}

// use is where an example is.
type use struct{ doc, example int }

// firstUses returns for each example of each document the first one that says the same.
func firstUses(docs []document) [][]use {
	known := make(map[string]use) // by gist
	out := make([][]use, len(docs))
	for i, d := range docs {
		for e, x := range d.examples {
			key := gist(x.words)
			if _, ok := known[key]; !ok {
				known[key] = use{i, e}
			}
			out[i] = append(out[i], known[key])
		}
	}
	return out
}

// examplesHeld counts the examples of documents that have more than one, so that some can be held out.
func examplesHeld(docs []document) int {
	total := 0
	for _, d := range docs {
		if n := len(d.examples); n > 1 {
			total += n
		}
	}
	return total
}

// enoughExamples reports whether there are enough examples to learn from.
func enoughExamples(docs []document) bool { return examplesHeld(docs) >= minHeld }
