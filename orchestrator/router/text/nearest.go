package text

import (
	"math"
	"slices"
)

// Settings of the comparison with single examples. They suit public sets with as many examples for each document, or with far more for some than for others.
const (
	nearestSkills = 10  // the likeliest documents, whose examples are compared
	nearestEach   = 3   // examples of a document that count: one by itself may be odd
	maxNearest    = 500 // examples of a document that are compared
	nearestSharp  = 8   // of the resemblance as a logit
	usualAlike    = 0.3 // resemblance that says nothing for or against a document
	nearestNone   = 10  // examples of a document up to which they are not compared one by one: in so few, hardly anyone has asked for the same
	nearestFull   = 50  // examples of a document from which the resemblance counts in full
)

// nearest compares a text with single examples: someone may have asked for nearly the same before, which the sum of what all examples taught shows less.
// It is empty when no document has enough of them.
type nearest struct {
	sharpness []float32    // by document; 0 when its examples are not compared
	examples  [][]neighbor // by document
}

// neighbor is an example with which texts are compared.
type neighbor struct {
	rows []uint32 // of the linear scorer, for its words and word pairs
	norm float32
}

func newNearest(docs []document, held func(doc, example int) bool, m *linear) nearest {
	if !slices.ContainsFunc(docs, func(d document) bool { return len(d.examples) > nearestNone }) {
		return nearest{}
	}
	n := nearest{make([]float32, len(docs)), make([][]neighbor, len(docs))}
	for i, d := range docs {
		known := float64(len(d.examples)-nearestNone) / (nearestFull - nearestNone)
		if known <= 0 {
			continue
		}
		n.sharpness[i] = float32(nearestSharp * min(known, 1))
		for _, e := range spread(numbers(len(d.examples)), maxNearest) {
			if held != nil && held(i, e) {
				continue
			}
			if rows, norm := m.wholeRows(wholes(d.examples[e].words)); norm > 0 {
				n.examples[i] = append(n.examples[i], neighbor{rows, norm})
			}
		}
	}
	return n
}

// wholeRows returns the rows of a text's words and word pairs, and the square root of the sum of the squared weights of all of them, with a row or not.
func (m *linear) wholeRows(ids []uint32) (rows []uint32, norm float32) {
	rows = m.rowsOf(ids)
	sum := float64(len(ids)-len(rows)) * square(m.rare)
	for _, r := range rows {
		sum += square(m.idf[r])
	}
	return rows, float32(math.Sqrt(sum))
}

func square(x float32) float64 { return float64(x) * float64(x) }

// compareNearest adds to the logits of documents what their single examples say of a text with these words and word pairs. Those of unlikely skills are taken
// for unlike it.
func (x *Index) compareNearest(r *ranking, whole []uint32) {
	if x.nearest.examples == nil {
		return
	}
	likely := best(r.share, nearestSkills)
	for c, sharpness := range x.nearest.sharpness {
		r.share[c] -= usualAlike * sharpness
	}
	if len(r.said) != len(x.linear.idf) {
		r.said = make([]float32, len(x.linear.idf))
	}
	rows, norm := x.linear.wholeRows(whole)
	for _, row := range rows {
		r.said[row] = float32(square(x.linear.idf[row])) / norm
	}
	for _, c := range likely {
		r.share[c] += x.nearest.sharpness[c] * alike(x.nearest.examples[c], r.said)
	}
	for _, row := range rows { // all of it would be far more
		r.said[row] = 0
	}
}

// alike returns the mean resemblance of the examples that a text resembles most, 0 to 1. What is not there resembles nothing.
func alike(examples []neighbor, said []float32) float32 {
	var most [nearestEach]float32 // the greatest first
	for _, x := range examples {
		var v float32
		for _, row := range x.rows {
			v += said[row]
		}
		v /= x.norm
		for i, m := range most {
			if v > m {
				most[i], v = v, m
			}
		}
	}
	var sum float32
	for _, m := range most {
		sum += m
	}
	return sum / nearestEach
}

// moved returns the same for documents that have learned what others have; the examples of new ones are not compared.
func (n *nearest) moved(known []int32) nearest {
	if n.examples == nil {
		return nearest{}
	}
	out := nearest{make([]float32, len(known)), make([][]neighbor, len(known))}
	for now, old := range known {
		if old != none {
			out.sharpness[now], out.examples[now] = n.sharpness[old], n.examples[old]
		}
	}
	return out
}
