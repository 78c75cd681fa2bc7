package registry

import (
	"slices"

	"github.com/quorate/quorate/registry/agentcard"
	"github.com/quorate/quorate/registry/compat"
	"github.com/quorate/quorate/registry/textindex"
)

// agentIndex has a tenant's agents, and all by which they are looked up. None of it needs the log.
type agentIndex struct {
	members map[string]*member       // by name
	skills  nameIndex                // skill id to agents
	tags    nameIndex                // tag in lower case to agents
	targets nameIndex                // name of an agent to those whose rules have it consulted
	orders  map[string]*orderedIndex // by field; only those that were asked for
	text    *textindex.Index
	ports   *compat.Index
}

// member is an agent, without RawCard, and its pulse, which is zero when it has none.
type member struct {
	agent *Agent
	pulse Pulse
}

func newAgentIndex() agentIndex {
	return agentIndex{
		members: make(map[string]*member), skills: make(nameIndex), tags: make(nameIndex), targets: make(nameIndex), text: textindex.New(), ports: compat.NewIndex(),
	}
}

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

// put adds an agent that is not there, without a pulse.
func (x *agentIndex) put(a *Agent) {
	kept := *a
	kept.RawCard = nil
	x.members[a.Name] = &member{agent: &kept}
	for i := range kept.Card.Skills {
		skill := &kept.Card.Skills[i]
		x.skills.with(skill.ID, a.Name)
		for _, tag := range skill.Tags {
			x.tags.with(agentcard.FoldTag(tag), a.Name)
		}
	}
	for i := range kept.Metadata.ConsultationRequirements {
		x.targets.with(kept.Metadata.ConsultationRequirements[i].TargetAgent, a.Name)
	}
	x.text.Add(kept.Name, &kept.Card)
	x.ports.Add(kept.Name, &kept.Metadata)
	for _, list := range x.orders {
		list.put(&kept)
	}
}

func (x *agentIndex) remove(name string) {
	m := x.members[name]
	if m == nil {
		return
	}
	old := m.agent
	delete(x.members, name)
	for i := range old.Card.Skills {
		skill := &old.Card.Skills[i]
		x.skills.without(skill.ID, name)
		for _, tag := range skill.Tags {
			x.tags.without(agentcard.FoldTag(tag), name)
		}
	}
	for i := range old.Metadata.ConsultationRequirements {
		x.targets.without(old.Metadata.ConsultationRequirements[i].TargetAgent, name)
	}
	x.text.Remove(name, &old.Card)
	x.ports.Remove(name, &old.Metadata)
	for _, list := range x.orders {
		list.remove(old)
	}
}

// setPulse gives an agent, if it is there, its pulse among those that were read.
func (x *agentIndex) setPulse(key Key, read map[Key]Pulse) {
	if m := x.members[key.Name]; m != nil {
		m.pulse = read[key]
	}
}
