package text

import (
	"math"
	"slices"
)

// minShared is the least evidence by shared words that counts: it keeps what was learned in the balance for texts of which no meaningful word is in the card.
const minShared = 0.1

// clearLogit is the logit of the best skill at which enough is known of a text to trust the shares. They compare skills only with each other: even if none
// has much of a text, one is the likeliest, among a few skills by far.
const clearLogit = 8

// coverage is the power to which the greatest share of a text's words counts that a skill has. With 1, words that no example has weigh too much: people say
// the same in many ways.
const coverage = 0.7

// confidence returns how sure it is that the best skill fits a text whose meaningful stems are said, given the greatest logit.
func (x *Index) confidence(r *ranking, most float32, said []string) float32 {
	shared, doc := x.evidence(said, r.top), x.doc[r.top]
	if !x.trained || !x.taught[doc] {
		return shared
	}
	known := float64(min(max(most/clearLogit, 0), 1))
	sure := float64(r.share[doc]/r.shares) * known * math.Pow(float64(greatest(r.words)), coverage)
	return float32(math.Pow(sure, x.trust) * math.Pow(float64(max(shared, minShared)), 1-x.trust))
}

// evidence returns the confidence, by shared words alone, that a text asks for a skill. Whether the share of the text's words or their weight matters
// more depends on the length of texts, so it is the geometric mean of both. Words of the skill's name count most, since they say what it does.
func (x *Index) evidence(said []string, skill int) float32 {
	doc := x.doc[skill]
	has, all := x.bm25.shared(said, int32(skill), doc) //nolint:gosec // far below 2^31
	if has == 0 {
		return 0
	}
	e := has / math.Sqrt(all) * (0.5 + named(x.names[doc], said))
	return float32(e / (e + evenOdds))
}

// named returns the share of a name's words that a text has. stems are sorted.
func named(name, stems []string) float64 {
	n := 0
	for _, w := range name {
		if _, found := slices.BinarySearch(stems, w); found {
			n++
		}
	}
	return float64(n) / float64(max(len(name), 1))
}
