package text

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// sample is an example with the documents from which it is told apart.
type sample struct {
	docs     []int32   // that have it, all of which it speaks for alike
	features []feature // id is the row
	rivals   []int32   // in order; includes docs
	base     []float32 // logits of the rivals from BM25
	scale    float32   // so that documents with many examples are not preferred
}

// maxSharers is how many documents may have the same example. One that more have does not speak for any.
const maxSharers = 32

// fillersFrom is the average number of examples for each document from which their fillers count even though some have no examples. With fewer,
// everything that people say to anybody would speak against those.
const fillersFrom = 5

// prepared is an example that is about to become a sample.
type prepared struct {
	docs          []int32
	words         *example
	whole, pieces []uint32
	siblings      int // examples of the first document, including itself; 0 for a card's description
}

// prepare lists the examples that are not held out, and returns how rare their features are, by id, and a scorer without weights.
func prepare(docs []document, held func(doc, example int) bool) (all []prepared, rarity []float32, m *linear) {
	rarity = make([]float32, 1<<featureBits)
	add := func(p prepared) {
		all = append(all, p)
		for _, id := range slices.Concat(p.whole, p.pieces) {
			rarity[id]++
		}
	}
	few := examplesEach(docs) < fillersFrom && slices.ContainsFunc(docs, func(d document) bool { return len(d.examples) == 0 })
	known := make(map[string]int) // by words, the place in all
	examples, taught := 0, 0      // taught counts the documents that have examples
	for i, d := range docs {
		before := examples
		for e := range d.examples {
			if held != nil && held(i, e) {
				continue
			}
			examples++
			list := d.examples[e].words
			key := strings.Join(list, " ")
			if at, ok := known[key]; ok {
				all[at].docs = append(all[at].docs, int32(i))
				continue
			}
			known[key] = len(all)
			if few {
				list = meaningful(list)
			}
			whole, pieces := hashed(list)
			add(prepared{[]int32{int32(i)}, &docs[i].examples[e], whole, pieces, len(d.examples)})
		}
		if examples > before {
			taught++
		}
		if len(d.said.words) > 0 {
			whole, pieces := unordered(d.said.words)
			add(prepared{[]int32{int32(i)}, &docs[i].said, whole, pieces, 0})
		}
	}
	for id, n := range rarity {
		if n < minSeen {
			rarity[id] = 0
		} else {
			rarity[id] = idf(len(all), int(n))
		}
	}
	mean := float64(examples) / float64(max(taught, 1))
	sharpness, rate := schedule(mean)
	return all, rarity, &linear{rare: idf(len(all), 1), sharpness: float32(sharpness), rate: rate}
}

// collect makes samples of the examples that are not held out, for a scorer without weights. It returns that too, and how rare features are, by id.
func collect(docs []document, held func(doc, example int) bool, o Options) ([]sample, []float32, *linear) {
	all, rarity, m := prepare(docs, held)
	all = slices.DeleteFunc(all, func(p prepared) bool { return len(p.docs) > maxSharers })
	mean := float32(examplesEach(docs))
	// Examples are not compared with the cards' descriptions.
	taught := make([]document, len(docs))
	for i, d := range docs {
		taught[i].examples = d.examples
	}
	words := newBM25(&corpus{docs: taught}, held)
	scores := make([]float32, len(docs))
	samples := make([]sample, len(all))
	for i, r := range all {
		if o.stopped() {
			return nil, rarity, m
		}
		clear(scores)
		words.score(r.words.stems, r.docs, scores, nil)
		s := sample{docs: r.docs, features: weigh(r.whole, r.pieces, rarity), scale: 1}
		if r.siblings > 0 {
			s.scale = min(mean/float32(r.siblings), 4)
		}
		s.rivals = rivals(scores, r.docs)
		for _, c := range s.rivals {
			s.base = append(s.base, m.sharpness*scores[c])
		}
		samples[i] = s
	}
	return samples, rarity, m
}

// rivals returns the documents most similar to an example, including its own ones, in order. If there are many, those without any similarity are left out.
func rivals(scores []float32, own []int32) []int32 {
	list := make([]int32, 0, min(len(scores), 2*maxRivals))
	least, many := float32(0), len(scores) > maxRivals
	for c, score := range scores {
		if slices.Contains(own, int32(c)) || many && score <= least {
			continue
		}
		list = append(list, int32(c))
		if len(list) == 2*maxRivals { // drop the worse half, and ignore whatever is no better from now on
			list, least = bestRivals(list, scores)
		}
	}
	if len(list) >= maxRivals {
		list, _ = bestRivals(list, scores)
	}
	list = append(list, own...)
	slices.Sort(list)
	return list
}

// bestRivals keeps the best and returns the lowest of their scores.
func bestRivals(list []int32, scores []float32) (best []int32, least float32) {
	slices.SortFunc(list, func(a, b int32) int { return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b)) })
	best = list[:maxRivals-1]
	return best, scores[best[len(best)-1]]
}

// narrow limits the rivals of an example, which include its own documents.
func (s *sample) narrow(most int) {
	most = max(most, len(s.docs))
	if len(s.rivals) <= most {
		return
	}
	like := slices.Clone(s.base)
	places := make([]int, len(s.rivals))
	for i, c := range s.rivals {
		places[i] = i
		if slices.Contains(s.docs, c) {
			like[i] = math.MaxFloat32
		}
	}
	slices.SortFunc(places, func(a, b int) int { return cmp.Or(cmp.Compare(like[b], like[a]), cmp.Compare(a, b)) })
	places = places[:most]
	slices.Sort(places)
	rivals, base := make([]int32, most), make([]float32, most)
	for i, at := range places {
		rivals[i], base[i] = s.rivals[at], s.base[at]
	}
	s.rivals, s.base = rivals, base
}
