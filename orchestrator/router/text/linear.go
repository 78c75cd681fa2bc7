package text

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Settings of training.
const (
	maxRivals     = 128      // documents from which an example is told apart: those most similar to it
	maxRowFactor  = 8        // how many times as many documents a feature may tell apart; a feature of more is not used
	maxWeights    = 32 << 20 // weights, of 8 bytes each; beyond that, examples get fewer rivals
	epochs        = 5        // passes over the examples
	maxSteps      = 2e9      // steps of training; beyond that, there are fewer epochs
	maxEpochSteps = 8e9      // steps of an epoch; beyond that, examples get fewer rivals
	minSeen       = 2        // examples in which a feature must occur
)

const untaughtSharpness = 10.2 // without examples

// schedule returns how far the examples are trusted, given their average number for each document: with few of them, shared words decide. The numbers
// are fitted to public sets, with 1 to 10 and all of their examples for each skill.
func schedule(examples float64) (sharpness, rate float64) {
	sharpness = max(6.1-2.3*math.Log10(1+examples), 2.5) + 4*math.Exp(-examples)
	return sharpness, 0.35 + 1.65*min(examples/50, 1)
}

// linear is a scorer that adds to a document's logit what each feature of a text says about it. The row of a feature holds the documents that it
// may tell apart, in order.
type linear struct {
	rows    *idSet    // ids of the features that tell documents apart; the number of one is its row
	idf     []float32 // by row
	rare    float32   // the same for a feature without a row
	starts  []int32   // start of each row; one more than there are rows
	docs    []int32
	weights []float32

	sharpness float32 // of the BM25 score as a logit
	rate      float64 // of the first step of training; it decreases to zero
}

// train fits the scorer to the examples that are not held out. The result is the same for the same skills, whatever the order of their examples.
func train(docs []document, held func(doc, example int) bool, o Options) linear {
	samples, idf, empty := collect(docs, held, o)
	m, work := layout(samples, idf, empty, o)
	if len(m.weights) == 0 {
		return m
	}
	rounds := min(epochs, max(1, int(maxSteps)/max(work, 1)))
	order := numbers(len(samples))
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // deterministic on purpose
	slot := make([]int32, len(docs))
	for i := range slot {
		slot[i] = -1
	}
	for step, steps := 0, rounds*len(samples); step < steps; step++ {
		if step%len(samples) == 0 {
			if o.stopped() {
				return m
			}
			random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		}
		m.learn(&samples[order[step%len(samples)]], float32(m.rate*(1-float64(step)/float64(steps))), slot)
	}
	return m
}

// numbers returns 0 to n-1.
func numbers(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// learn makes one step of gradient descent on the softmax loss over an example's rivals.
func (m *linear) learn(s *sample, rate float32, slot []int32) {
	logits := slices.Clone(s.base)
	for i, c := range s.rivals {
		slot[c] = int32(i)
	}
	for _, f := range s.features {
		weights := m.weights[m.starts[f.id]:m.starts[f.id+1]]
		if len(weights) == len(logits) { // a row includes all rivals of each of its examples: equal numbers mean equal sets
			for i, w := range weights {
				logits[i] += f.weight * w
			}
			continue
		}
		for j, c := range m.docs[m.starts[f.id]:m.starts[f.id+1]] {
			if i := slot[c]; i >= 0 {
				logits[i] += f.weight * weights[j]
			}
		}
	}
	softmax(logits)
	var moved []int32 // rivals to which the example makes a difference
	for i, c := range s.rivals {
		if slices.Contains(s.docs, c) {
			logits[i] -= 1 / float32(len(s.docs))
		}
		slot[c] = -1
		if l := logits[i]; l > minGradient || l < -minGradient {
			slot[c] = int32(i)
			moved = append(moved, int32(i))
		}
		logits[i] *= -rate * s.scale
	}
	if len(moved) > 0 {
		m.move(s, logits, moved, slot)
	}
	for _, c := range s.rivals {
		slot[c] = -1
	}
}

// minGradient is the gradient below which no step is made.
const minGradient = 1e-3

// move adds the steps of the moved rivals to their weights.
func (m *linear) move(s *sample, steps []float32, moved, slot []int32) {
	for _, f := range s.features {
		weights := m.weights[m.starts[f.id]:m.starts[f.id+1]]
		if len(weights) == len(steps) {
			for _, i := range moved {
				weights[i] += f.weight * steps[i]
			}
			continue
		}
		for j, c := range m.docs[m.starts[f.id]:m.starts[f.id+1]] {
			if i := slot[c]; i >= 0 {
				weights[j] += f.weight * steps[i]
			}
		}
	}
}

func softmax(logits []float32) {
	most := greatest(logits)
	var sum float32
	for i, l := range logits {
		logits[i] = float32(math.Exp(float64(l - most)))
		sum += logits[i]
	}
	for i := range logits {
		logits[i] /= sum
	}
}

// score adds what a text's features say to each document's logit.
func (m *linear) score(whole, pieces []uint32, into []float32) {
	if len(m.weights) == 0 {
		return
	}
	for _, f := range heaviest(weigh(m.rowsOf(whole), m.rowsOf(pieces), m.idf), maxFeatures) {
		from, to := m.starts[f.id], m.starts[f.id+1]
		weights := m.weights[from:to]
		for j, c := range m.docs[from:to] {
			into[c] += f.weight * weights[j]
		}
	}
}

// rowsOf returns the rows of the features that have one.
func (m *linear) rowsOf(ids []uint32) []uint32 {
	list := make([]uint32, 0, len(ids))
	for _, id := range ids {
		if row, ok := m.rows.number(id); ok {
			list = append(list, uint32(row)) //nolint:gosec // not negative
		}
	}
	return list
}
