package registry

import (
	"github.com/Masterminds/semver/v3"

	"github.com/quorate/quorate/platform/fault"
)

// MaxVersionRangeBytes is how long the text of a VersionRange may be.
const MaxVersionRangeBytes = 64

// VersionRange is a set of semantic versions, such as ^1.2 or >=1.4 <2. The zero value holds all.
type VersionRange struct {
	text        string
	constraints *semver.Constraints // nil: all
}

// ParseVersionRange reads a range; an empty text is all versions. Comparisons (=, !=, <, <=, >, >=, ~ and ^) beside one another all have to hold, and || is
// or. A pre-release is in a range only if the range names one. Its InvalidArgument fault has the reason VERSION_RANGE_INVALID.
func ParseVersionRange(text string) (VersionRange, error) {
	if text == "" {
		return VersionRange{}, nil
	}
	if len(text) > MaxVersionRangeBytes {
		return VersionRange{}, fault.New(fault.InvalidArgument, "VERSION_RANGE_INVALID", "the range of versions is longer than %d bytes", MaxVersionRangeBytes)
	}
	constraints, err := semver.NewConstraint(text)
	if err != nil {
		return VersionRange{}, fault.New(fault.InvalidArgument, "VERSION_RANGE_INVALID", "%q is not a range of versions: write for example 1.2.0, ^1.2 or >=1.4 <2", text)
	}
	return VersionRange{text: text, constraints: constraints}, nil
}

// Holds reports whether a version, as cards have them, is in the range.
func (r VersionRange) Holds(version string) bool {
	if r.constraints == nil {
		return true
	}
	v, err := semver.StrictNewVersion(version)
	return err == nil && r.constraints.Check(v)
}

// All reports whether every version is in the range.
func (r VersionRange) All() bool { return r.constraints == nil }

// String returns the range as it was written.
func (r VersionRange) String() string { return r.text }
