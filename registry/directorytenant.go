package registry

import (
	"slices"
)

// nameIndex maps a key to the names of agents, sorted.
type nameIndex map[string]nameSet

// nameSet is a sorted list of names.
type nameSet []string

func (x nameIndex) with(key, name string) {
	names := x[key]
	if at, found := slices.BinarySearch(names, name); !found {
		x[key] = slices.Insert(names, at, name)
	}
}

func (x nameIndex) without(key, name string) {
	names := x[key]
	at, found := slices.BinarySearch(names, name)
	switch {
	case !found:
	case len(names) == 1:
		delete(x, key)
	default:
		x[key] = slices.Delete(names, at, at+1)
	}
}

func (n nameSet) has(name string) bool {
	_, found := slices.BinarySearch(n, name)
	return found
}

func (s *tenantDirectory) put(a *Agent) {
	kept := *a
	kept.RawCard = nil
	s.agents[a.Name] = &kept
	for i := range kept.Card.Skills {
		skill := &kept.Card.Skills[i]
		s.skills.with(skill.ID, a.Name)
		for _, tag := range skill.Tags {
			s.tags.with(FoldTag(tag), a.Name)
		}
	}
	s.text.add(&kept)
	s.ports.add(&kept)
	for _, list := range s.orders {
		list.put(&kept)
	}
}

func (s *tenantDirectory) remove(name string) {
	old, ok := s.agents[name]
	if !ok {
		return
	}
	delete(s.agents, name)
	for i := range old.Card.Skills {
		skill := &old.Card.Skills[i]
		s.skills.without(skill.ID, name)
		for _, tag := range skill.Tags {
			s.tags.without(FoldTag(tag), name)
		}
	}
	s.text.remove(old)
	s.ports.remove(old)
	for _, list := range s.orders {
		list.remove(old)
	}
}
