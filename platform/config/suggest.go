package config

import (
	"fmt"
	"strings"
)

// didYouMean returns ", did you mean X?" for the candidate that is most similar to name, or "" if none is similar.
func didYouMean(name string, candidates []string) string {
	best, bestDistance := "", len(name)/3+1
	for _, candidate := range candidates {
		if d := distance(strings.ToLower(name), strings.ToLower(candidate)); d <= bestDistance && (best == "" || d < bestDistance) {
			best, bestDistance = candidate, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(", did you mean %s?", best)
}

// distance is the Levenshtein distance in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			substitute := diagonal
			if a[i] != b[j] {
				substitute++
			}
			diagonal = row[j+1]
			row[j+1] = min(substitute, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
