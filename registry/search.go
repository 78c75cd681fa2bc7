package registry

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/agentcard"
	"github.com/quorate/quorate/registry/textindex"
)

const maxQuery = 4000 // bytes

// Search is a query. At least one of Text, Skill and Tag is set; all that are set must match.
type Search struct {
	Text      string // words in names, descriptions, tags and examples
	Skill     string // a skill's id
	Tag       string // of a skill, in upper or lower case
	Available bool   // only agents that are available now
	After     Place  // continue behind this place; the zero Place starts at the beginning
	Limit     int    // maximum number of matches, 1 to 1,000
}

// Place is the position of a match in the order of results: by descending score, then by name.
type Place struct {
	Score float64
	Name  string
}

func (p Place) compare(q Place) int {
	if c := cmp.Compare(q.Score, p.Score); c != 0 {
		return c
	}
	return strings.Compare(p.Name, q.Name)
}

// Match is an agent that was found.
type Match struct {
	Place
	Agent  Agent
	Skills []string // ids of the matching skills, the best first
}

// Search returns the matching agents, the best first, with their current status, and whether there may be more. It reflects every change that was
// made before the call.
func (r *Registry) Search(ctx context.Context, tenant string, s Search) (matches []Match, more bool, err error) {
	found, err := r.Find(ctx, tenant, s)
	if err != nil {
		return nil, false, err
	}
	if s.Available { // many may match, so only agents are read that seem to be available
		if _, err := r.directory.refreshStatuses(ctx, r.directory.tenant(tenant)); err != nil {
			return nil, false, err
		}
		found = slices.DeleteFunc(found, func(m Match) bool {
			_, status, _ := r.directory.Peek(tenant, m.Name)
			return status.Status != StatusAvailable
		})
	}
	limit := clampLimit(s.Limit)
	for len(found) > 0 {
		if len(matches) == limit {
			return matches, true, nil
		}
		chunk := found[:min(len(found), limit-len(matches))]
		found = found[len(chunk):]
		there, err := r.withAgents(ctx, tenant, chunk, s.Available)
		if err != nil {
			return nil, false, err
		}
		matches = append(matches, there...)
	}
	return matches, false, nil
}

// Find is Directory.Search after bringing the directory up to date. It reads none of the agents that it finds.
func (r *Registry) Find(ctx context.Context, tenant string, s Search) ([]Match, error) {
	if strings.TrimSpace(s.Text) == "" { // it has no word, as if there were none
		s.Text = ""
	}
	if s.Text == "" && s.Skill == "" && s.Tag == "" {
		return nil, fault.Invalid("query", "SEARCH_EMPTY", "say what to look for: query, skill or tag")
	}
	if len(s.Text) > maxQuery {
		return nil, fault.Invalid("query", "VALIDATION_FAILED", "the query has %d bytes; the most is %d", len(s.Text), maxQuery)
	}
	if err := r.directory.Sync(ctx, tenant); err != nil {
		return nil, err
	}
	return r.directory.Search(tenant, s), nil
}

// withAgents returns the matches with their agents. It leaves out agents that were deleted meanwhile and, when available is true, those that are not
// available.
func (r *Registry) withAgents(ctx context.Context, tenant string, found []Match, available bool) (matches []Match, err error) {
	names := make([]string, len(found))
	for i := range found {
		names[i] = found[i].Name
	}
	agents, err := r.named(ctx, tenant, names)
	for _, m := range found {
		if a := agents[m.Name]; a != nil && (!available || a.Status.Status == StatusAvailable) {
			m.Agent = *a
			matches = append(matches, m)
		}
	}
	return matches, err
}

// Search returns the matches behind q.After, the best first, without their agents and regardless of their status.
func (d *Directory) Search(tenant string, q Search) []Match {
	s := d.tenant(tenant)
	s.mu.RLock()
	defer s.mu.RUnlock()
	found := s.find(q)
	found = slices.DeleteFunc(found, func(m Match) bool { return q.After != (Place{}) && m.compare(q.After) <= 0 })
	slices.SortFunc(found, func(a, b Match) int { return a.compare(b.Place) })
	return found
}

// find returns the matches in no particular order.
func (x *agentIndex) find(q Search) []Match {
	tag := agentcard.FoldTag(q.Tag)
	fits := func(name string) bool {
		return (q.Skill == "" || x.skills[q.Skill].has(name)) && (q.Tag == "" || x.tags[tag].has(name))
	}
	if q.Text != "" {
		return group(x.text.Search(q.Text), fits)
	}
	names := x.skills[q.Skill]
	if q.Skill == "" {
		names = x.tags[tag]
	}
	var found []Match
	for _, name := range names {
		if fits(name) {
			found = append(found, Match{Place: Place{Name: name}, Skills: x.skillsThatFit(name, q.Skill, tag)})
		}
	}
	return found
}

// skillsThatFit returns the ids of the agent's skills that have the given id and the given tag; an empty one matches any.
func (x *agentIndex) skillsThatFit(agent, id, tag string) (ids []string) {
	skills := x.members[agent].agent.Card.Skills
	for i := range skills {
		skill := &skills[i]
		tagged := tag == "" || slices.ContainsFunc(skill.Tags, func(t string) bool { return agentcard.FoldTag(t) == tag })
		if (id == "" || skill.ID == id) && tagged {
			ids = append(ids, skill.ID)
		}
	}
	return ids
}

// group returns one match per agent; its score is that of its best skill.
func group(hits []textindex.Hit, fits func(agent string) bool) []Match {
	slices.SortFunc(hits, func(a, b textindex.Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.Agent, b.Agent), strings.Compare(a.Skill, b.Skill))
	})
	places := make(map[string]int)
	var found []Match
	for _, h := range hits {
		at, seen := places[h.Agent]
		if !seen {
			if !fits(h.Agent) {
				continue
			}
			at = len(found)
			places[h.Agent] = at
			found = append(found, Match{Place: Place{h.Score, h.Agent}})
		}
		if h.Skill != "" {
			found[at].Skills = append(found[at].Skills, h.Skill)
		}
	}
	return found
}
