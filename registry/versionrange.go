package registry

import (
	"github.com/Masterminds/semver/v3"

	"github.com/quorate/quorate/platform/fault"
)

// MaxVersionRangeBytes is the maximum length of the text of a VersionRange.
const MaxVersionRangeBytes = 64

// VersionRange is a set of semantic versions, such as ^1.2 or >=1.4 <2. The zero value contains all versions.
type VersionRange struct {
	text        string
	constraints *semver.Constraints // nil: all
}

// ParseVersionRange parses a range. An empty text means all versions. Comparisons (=, !=, <, <=, >, >=, ~ and ^) separated by spaces must all hold;
// || means or. A pre-release is in a range only if the range names one. An error is an InvalidArgument fault with the reason VERSION_RANGE_INVALID and the
// field route.version, since only routes have ranges.
func ParseVersionRange(text string) (VersionRange, error) {
	if text == "" {
		return VersionRange{}, nil
	}
	if len(text) > MaxVersionRangeBytes {
		return VersionRange{}, fault.Invalid("route.version", "VERSION_RANGE_INVALID", "the range of versions is longer than %d bytes", MaxVersionRangeBytes)
	}
	constraints, err := semver.NewConstraint(text)
	if err != nil {
		return VersionRange{}, fault.Invalid("route.version", "VERSION_RANGE_INVALID", "%q is not a range of versions: write for example 1.2.0, ^1.2 or >=1.4 <2", text)
	}
	return VersionRange{text: text, constraints: constraints}, nil
}

// Holds reports whether a version, in the form that cards have, is in the range.
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
