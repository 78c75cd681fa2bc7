package text

import (
	"maps"
	"slices"
)

// layout makes a row for each feature, with an entry for each document that it may tell apart, and returns how many steps an epoch takes. If there are
// too many of either, examples get fewer rivals. idf is by feature id.
func layout(samples []sample, idf []float32, m *linear, o Options) (linear, int) {
	rows, work, ok := lay(samples, maxRivals, o)
	for most := maxRivals / 2; !ok && most > 1 && !o.stopped(); most /= 2 {
		for i := range samples {
			samples[i].narrow(most)
		}
		rows, work, ok = lay(samples, most, o)
	}
	ids := slices.Sorted(maps.Keys(rows))
	m.rows, m.starts = newIDSet(ids), []int32{0}
	for _, id := range ids {
		m.idf = append(m.idf, idf[id])
		m.docs = append(m.docs, rows[id]...)
		m.starts = append(m.starts, int32(len(m.docs))) //nolint:gosec // bounded by maxWeights
	}
	m.weights = make([]float32, len(m.docs))
	for i := range samples {
		kept := samples[i].features[:0]
		for _, f := range samples[i].features {
			if row, ok := m.rows.number(f.id); ok {
				kept = append(kept, feature{uint32(row), f.weight}) //nolint:gosec // not negative
			}
		}
		samples[i].features = kept
	}
	return *m, work
}

// lay lists for each feature the documents that it may tell apart, unless there are too many. If that takes too much in total, ok is false.
func lay(samples []sample, most int, o Options) (rows map[uint32][]int32, work int, ok bool) {
	rows = make(map[uint32][]int32)
	crowded := make(map[uint32]bool) // features of so many documents that they are not used
	places := 0
	for i := range samples {
		for _, f := range samples[i].features {
			if crowded[f.id] {
				continue
			}
			before := rows[f.id]
			row := union(before, samples[i].rivals)
			places += len(row) - len(before)
			rows[f.id] = row
			if len(row) > maxRowFactor*most {
				places -= len(row)
				delete(rows, f.id)
				crowded[f.id] = true
			}
		}
		if places > o.maxWeights || o.stopped() {
			return nil, 0, false
		}
	}
	for i := range samples {
		for _, f := range samples[i].features {
			work += len(rows[f.id])
		}
	}
	return rows, work, work <= maxEpochSteps
}

// union merges two sorted lists.
func union(a, b []int32) []int32 {
	more := missing(a, b)
	if more == 0 {
		return a
	}
	out := make([]int32, 0, len(a)+more)
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			out, a = append(out, a[0]), a[1:]
		case a[0] > b[0]:
			out, b = append(out, b[0]), b[1:]
		default:
			out, a, b = append(out, a[0]), a[1:], b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// missing counts the elements of b that are not in a. Both are sorted.
func missing(a, b []int32) int {
	n := 0
	for _, c := range b {
		for len(a) > 0 && a[0] < c {
			a = a[1:]
		}
		if len(a) == 0 || a[0] != c {
			n++
		}
	}
	return n
}
