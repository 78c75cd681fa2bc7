package text

import "math"

// nameWeight is how much the resemblance of a name counts beside the shared words. In public sets without examples, values of 0.15 to 0.35 find the same
// number of skills.
const nameWeight = 0.25

// minAlike is the least resemblance of a name that counts by itself. Any two texts have some pieces in common.
const minAlike = 0.1

// commonPiece is the greatest number of names that may have a piece that counts.
const commonPiece = 200

// namePieces compares texts with the names of skills by pieces of words: it finds radio in radiostation, and bill in billing. What examples teach
// outweighs it, the more of them there are. Descriptions are not compared in this way: a long one has most pieces of any text.
type namePieces struct {
	docs *inverted // whose names have a piece
	idf  []float32 // of a piece, by how many names have it
	norm []float32 // by document: the square root of the total weight of its name
}

func newNamePieces(docs []document) namePieces {
	all := max(len(docs), background)
	names := make([][]uint32, len(docs))
	for i, d := range docs {
		names[i] = hashPieces(d.called)
	}
	n := namePieces{docs: invert(names)}
	for with := range len(docs) + 1 {
		n.idf = append(n.idf, idf(all, with))
	}
	for _, name := range names {
		var sum float64
		for _, id := range name {
			sum += float64(n.idf[len(n.docs.list(id))])
		}
		n.norm = append(n.norm, float32(math.Sqrt(sum)))
	}
	return n
}

// score writes to each document's entry how much its name resembles a text with these pieces, each once: 0 to 1, their cosine.
func (n *namePieces) score(pieces []uint32, into []float32) {
	var sum float64
	for _, id := range pieces {
		docs := n.docs.list(id)
		weight := n.idf[len(docs)]
		sum += float64(weight)
		if len(docs) > commonPiece {
			continue // it hardly tells them apart, and there may be thousands
		}
		for _, c := range docs {
			into[c] += weight
		}
	}
	scale := float32(1 / math.Sqrt(max(sum, 1)))
	for c, w := range into {
		if w > 0 {
			into[c] = w * scale / n.norm[c]
		}
	}
}
