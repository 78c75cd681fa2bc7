package aeb

import (
	"math"
	"math/rand/v2"
	"strings"
	"unicode"
)

const shingle = 4 // tokens

// Match is how much of a page was found, as shares of all shingles that either text has.
type Match struct {
	TruePositive, FalsePositive, FalseNegative float64
}

// Compare matches an extracted text with the true one.
func Compare(truth, extracted string) Match {
	want, got := shingles(truth), shingles(extracted)
	var m Match
	for s, n := range want {
		both := min(n, got[s])
		m.TruePositive += float64(both)
		m.FalseNegative += float64(n - both)
	}
	for s, n := range got {
		m.FalsePositive += float64(max(0, n-want[s]))
	}
	if sum := m.TruePositive + m.FalsePositive + m.FalseNegative; sum > 0 {
		m.TruePositive, m.FalsePositive, m.FalseNegative = m.TruePositive/sum, m.FalsePositive/sum, m.FalseNegative/sum
	}
	return m
}

// F1 returns the score of m alone.
func (m Match) F1() float64 { return ScoreOf([]Match{m}).F1 }

func shingles(text string) map[string]int {
	tokens := strings.FieldsFunc(text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	counts := make(map[string]int, len(tokens))
	if len(tokens) > 0 && len(tokens) < shingle {
		counts[strings.Join(tokens, " ")]++
	}
	for i := 0; i+shingle <= len(tokens); i++ {
		counts[strings.Join(tokens[i:i+shingle], " ")]++
	}
	return counts
}

// Score is that of a set of pages.
type Score struct {
	F1, Precision, Recall                float64
	F1Error, PrecisionError, RecallError float64 // standard errors, by resampling pages; set by Bootstrap
}

// ScoreOf returns the score of all pages. A page without shingles of a kind does not count for the mean that divides by them.
func ScoreOf(pages []Match) Score {
	var precision, recall mean
	for _, m := range pages {
		precision.add(m.TruePositive, m.TruePositive+m.FalsePositive)
		recall.add(m.TruePositive, m.TruePositive+m.FalseNegative)
	}
	s := Score{Precision: precision.value(), Recall: recall.value()}
	if s.Precision+s.Recall > 0 {
		s.F1 = 2 * s.Precision * s.Recall / (s.Precision + s.Recall)
	}
	return s
}

type mean struct {
	sum float64
	n   int
}

func (m *mean) add(part, whole float64) {
	if whole > 0 {
		m.sum += part / whole
		m.n++
	}
}

func (m *mean) value() float64 { return m.sum / float64(max(m.n, 1)) }

// Bootstrap returns the score of all pages with its standard errors.
func Bootstrap(pages []Match) Score {
	const rounds = 1000
	random := rand.New(rand.NewPCG(42, 42)) //nolint:gosec // the same errors for the same pages; nothing secret
	sample := make([]Match, len(pages))
	var f1, precision, recall deviation
	for range rounds {
		for i := range sample {
			sample[i] = pages[random.IntN(len(pages))]
		}
		s := ScoreOf(sample)
		f1.add(s.F1)
		precision.add(s.Precision)
		recall.add(s.Recall)
	}
	s := ScoreOf(pages)
	s.F1Error, s.PrecisionError, s.RecallError = f1.value(), precision.value(), recall.value()
	return s
}

type deviation struct{ n, sum, squares float64 }

func (d *deviation) add(x float64) {
	d.n++
	d.sum += x
	d.squares += x * x
}

func (d *deviation) value() float64 {
	return math.Sqrt(max(0, d.squares/d.n-d.sum*d.sum/d.n/d.n))
}
