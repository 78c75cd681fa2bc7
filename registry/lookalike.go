package registry

import (
	"context"
	"slices"
	"strings"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/agentcard"
)

// maxAlikes bounds both how many look-alikes a warning names and how many names are compared.
const maxAlikes = 10

var (
	coarse = strings.NewReplacer("0", "o", "1", "l", "i", "l", "rn", "m", "vv", "w")
	// strokes maps characters of names to the ones that they are mistaken for, after the confusables of Unicode TS 39.
	strokes = strings.NewReplacer("0", "o", "O", "o", "1", "l", "I", "l", "rn", "m", "vv", "w")
)

// Skeleton returns a key that is the same for all names that look alike, and for some others.
func Skeleton(name string) string { return coarse.Replace(strings.ToLower(name)) }

// looksAlike reports whether one name may be mistaken for the other: they differ in letter case only, or look the same.
func looksAlike(a, b string) bool {
	look := func(name string) string { return strings.ToLower(strokes.Replace(name)) }
	return strings.EqualFold(a, b) || look(a) == look(b)
}

// checkLooks returns a warning when the name of a new agent may be mistaken for that of another agent. A strict registry refuses the name with the
// reason NAME_LOOKS_LIKE.
func (r *Registry) checkLooks(ctx context.Context, tenant, name string) ([]agentcard.Warning, error) {
	records, err := r.store.Agents(ctx, Query{Tenant: tenant, Like: Skeleton(name), Limit: maxAlikes})
	if err != nil {
		return nil, err
	}
	var others []string
	for i := range records {
		if records[i].Name != name && looksAlike(records[i].Name, name) {
			others = append(others, records[i].Name)
		}
	}
	if len(others) == 0 {
		return nil, nil
	}
	slices.Sort(others)
	list := strings.Join(others, ", ")
	if r.strict {
		return nil, fault.Invalid("card.name", "NAME_LOOKS_LIKE", "the name %q may be taken for that of another agent: %s", name, list)
	}
	return []agentcard.Warning{{
		Code: "NAME_LOOKS_LIKE", Field: "card.name", Message: "the name may be taken for that of another agent: " + list,
	}}, nil
}
