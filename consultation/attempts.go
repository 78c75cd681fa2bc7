package consultation

import (
	"cmp"
	"slices"
	"strings"
)

// attempts returns the consultations that ask for r as it is now, the newest first, each once and with the evidence that fits it.
//
// A consultation under an earlier form of the requirement, of another target or for another phase, asks for something else.
func (in Input) attempts(r Requirement) []attempt {
	s := in.Subject
	var list []attempt
	for _, c := range in.Consultations {
		if c.Tenant == s.Tenant && c.TaskID == s.TaskID && c.isOf(s.TaskTime) && c.RequirementID == r.ID && c.Phase == r.Phase &&
			c.SourceAgent == s.SourceAgent && c.TargetAgent == r.TargetAgent {
			list = append(list, attempt{Consultation: c.at(in.Now)})
		}
	}
	slices.SortFunc(list, func(x, y attempt) int {
		return cmp.Or(cmp.Compare(y.Attempt, x.Attempt), strings.Compare(x.ID, y.ID))
	})
	list = slices.CompactFunc(list, func(x, y attempt) bool { return x.ID == y.ID })
	for i := range list {
		a := &list[i]
		a.unread = slices.Contains(in.Unread, a.ID)
		for _, e := range in.evidence(a.Consultation) {
			if reaches(e.Level, needed(in.Lowest, r.MinLevel)) {
				a.evidence = append(a.evidence, e)
			} else {
				a.weak = append(a.weak, e)
			}
		}
	}
	return list
}

// evidence returns the evidence that fits c, the most restrictive first, each piece once.
func (in Input) evidence(c Consultation) []Evidence {
	var list []Evidence
	for _, e := range in.Evidence {
		if e.answers(c) {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(x, y Evidence) int {
		return cmp.Or(
			cmp.Compare(slices.Index(outcomes, x.Outcome), slices.Index(outcomes, y.Outcome)),
			x.Timestamp.Compare(y.Timestamp),
			strings.Compare(x.SpanID, y.SpanID),
			strings.Compare(x.Feedback, y.Feedback),
			strings.Compare(x.Level+x.Backend, y.Level+y.Backend),
		)
	})
	return slices.Compact(list)
}
