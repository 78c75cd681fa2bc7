package consultation

import (
	"cmp"
	"slices"
)

// The levels of evidence: how far an outcome can be trusted. A policy names the lowest that counts.
const (
	LevelCarried  = "C1" // Quorate carried the question and the answer, and an outcome is in the trace; who wrote that is not known
	LevelRecorded = "C2" // the span was recorded by the authenticated target
	LevelSigned   = "C3" // the target signed the outcome with a key that is pinned for it alone; how the span came does not matter
)

// levels are in order, the lowest first.
var levels = []string{LevelCarried, LevelRecorded, LevelSigned}

// KnownLevel reports whether evidence of level may open a gate: what an agent only says of itself, C0, never does.
func KnownLevel(level string) bool { return slices.Contains(levels, level) }

// reaches reports whether a level is at least the lowest that counts. Nothing reaches a level that is not known.
func reaches(level, lowest string) bool {
	return KnownLevel(lowest) && slices.Index(levels, level) >= slices.Index(levels, lowest)
}

// needed returns the lowest level that counts where a policy sets the floor and a requirement asks for least, which may be empty: the higher of the two. When one
// of them is not known, nothing reaches it.
func needed(floor, least string) string {
	floor = lowestOf(floor)
	if least == "" || !KnownLevel(floor) || reaches(floor, least) {
		return floor
	}
	return least
}

// lowestOf returns the lowest level that counts by a policy; one that says nothing means LevelRecorded.
func lowestOf(policy string) string { return cmp.Or(policy, LevelRecorded) }
