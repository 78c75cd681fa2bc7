package text

import "slices"

const (
	foldsMost  = 5
	enoughHeld = 1000 // held-out examples that are enough to fit the limit
	fewestHeld = 20   // and that are too few

	// Of a skill without examples nothing tells how people ask for it. The limit is where, in public sets with names and descriptions only, one text in
	// twenty-five that nobody can do is taken, and half of those that somebody can.
	usualLimit = 0.5
	evenOdds   = 1.05 // evidence at the limit
)

// calibrate finds the confidence that the given share of examples would miss if they were not in the index; ok is false when there are not
// enough of them, or none are wanted.
func calibrate(skills []Skill, docs []document, o Options) (limit float32, ok bool) {
	total := examplesHeld(docs)
	if o.Untrained || total < fewestHeld {
		return 0, false
	}
	var seen []float32
	var r ranking
	for fold := range min(foldsMost, 1+enoughHeld*foldsMost/total) {
		// Of a skill's examples a fifth is held out, or one where there are fewer. They are in the order of their words, so that those that say
		// the same in nearly the same words are held out together: otherwise each would find its like, as a text of somebody else does not.
		held := func(skill, example int) bool {
			n := len(docs[skill].examples)
			return n > 1 && example*min(n, foldsMost)/n == (fold+skill)%min(n, foldsMost)
		}
		x := build(skills, docs, held, true, o)
		if o.stopped() {
			return 0, false
		}
		for i, d := range docs {
			for e, y := range d.examples {
				if held(i, e) {
					x.rank(&r, y.words, y.stems)
					seen = append(seen, r.confidence)
				}
			}
		}
	}
	slices.Sort(seen)
	least := int(o.FalseRefusal * float64(len(seen)))
	for least < len(seen) && seen[least] <= 0 { // what shares no word with any skill is like nothing, however many examples are like that
		least++
	}
	if least == len(seen) {
		return 0, false
	}
	return seen[least], true
}

// examplesHeld counts the examples of which some can be held out.
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
func enoughExamples(docs []document) bool { return examplesHeld(docs) >= fewestHeld }
