package text

import "slices"

const (
	foldsMost  = 5
	enoughHeld = 1000 // number of held-out examples that suffices to fit the limit
	fewestHeld = 20   // and the minimum

	// For a skill without examples it is unknown how people ask for it. At this limit, in public sets with names and descriptions only, one in
	// twenty-five texts that no skill fits is accepted, and half of those that one does fit.
	usualLimit = 0.5
	evenOdds   = 1.05 // the evidence at the limit
)

// calibrate finds the confidence below which the given share of examples falls when they are not in the index. ok is false when there are not enough
// examples, or none are wanted.
func calibrate(skills []Skill, docs []document, o Options) (limit float32, ok bool) {
	total := examplesHeld(docs)
	if o.Untrained || total < fewestHeld {
		return 0, false
	}
	var seen []float32
	var r ranking
	for fold := range min(foldsMost, 1+enoughHeld*foldsMost/total) {
		// A fifth of a skill's examples is held out, or one if there are fewer. Examples are sorted by their words, so that nearly equal ones are
		// held out together; otherwise each would find its twin, as texts of other people do not.
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
	for least < len(seen) && seen[least] <= 0 { // a text that shares no word with any skill is always refused, so such examples do not count
		least++
	}
	if least == len(seen) {
		return 0, false
	}
	return seen[least], true
}

// examplesHeld counts the examples of skills that have more than one, so that some can be held out.
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
