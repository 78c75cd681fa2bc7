package consultation

import (
	"cmp"
	"slices"
)

// Levels of evidence: how far an outcome can be trusted. A policy sets the lowest that counts.
const (
	LevelCarried  = "C1" // Quorate carried question and answer, and an outcome is in the trace; it is unknown who wrote it
	LevelRecorded = "C2" // the authenticated target sent the span
	LevelSigned   = "C3" // the target signed the outcome with a key that is pinned for it alone; a backend may have the span from anybody
)

// levels, the lowest first.
var levels = []string{LevelCarried, LevelRecorded, LevelSigned}

// KnownLevel reports whether evidence of this level can open a gate. C0, an agent's own statement, never can.
func KnownLevel(level string) bool { return slices.Contains(levels, level) }

// reaches reports whether a level is at least lowest. Nothing reaches an unknown level.
func reaches(level, lowest string) bool {
	return KnownLevel(lowest) && slices.Index(levels, level) >= slices.Index(levels, lowest)
}

// needed returns the lowest level that counts for a requirement: the higher of floor, which the policy sets, and least, which the requirement asks
// for and which may be empty. If either is unknown, the result is a level that nothing reaches.
func needed(floor, least string) string {
	floor = lowestOf(floor)
	if least == "" || !KnownLevel(floor) || reaches(floor, least) {
		return floor
	}
	return least
}

// lowestOf returns the lowest level of a policy, where empty means LevelRecorded.
func lowestOf(policy string) string { return cmp.Or(policy, LevelRecorded) }
