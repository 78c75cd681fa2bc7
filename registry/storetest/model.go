package storetest

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

// RunModel makes the same random steps on the store and on a plain map and compares the results. Each run has a tenant of its own. With lagging
// indexes, lists may miss something, but must never show anything false.
func RunModel(t *testing.T, s registry.Store, lagging bool) {
	runs := 0
	rapid.Check(t, func(rt *rapid.T) {
		runs++
		m := &model{
			t: rt, s: s, lagging: lagging, tenant: fmt.Sprintf("model-%d", runs),
			agents: make(map[string]*registry.Record), pulses: make(map[string]registry.Pulse),
		}
		rt.Repeat(map[string]func(*rapid.T){
			"register": m.register, "update": m.update, "delete": m.delete, "beat": m.beat, "refuse": m.refuse, "list": m.compareLists,
		})
		m.compare(rt)
	})
}

// model is what the store should contain for one tenant.
type model struct {
	t       *rapid.T
	s       registry.Store
	lagging bool
	tenant  string
	agents  map[string]*registry.Record
	pulses  map[string]registry.Pulse
	writes  int
}

var (
	modelNames  = []string{"a", "a-b", "B", "c"}
	modelSkills = []string{"fetch", "fetch_url", "read", "a b", "ü#%"}
	modelTags   = []string{"web", "Web", "fetch", "%tag#"}
)

func (m *model) key(rt *rapid.T) registry.Key {
	return registry.Key{Tenant: m.tenant, Name: rapid.SampledFrom(modelNames).Draw(rt, "name")}
}

// record draws an agent: usually with few skills, and sometimes with more than fit into a transaction.
func (m *model) record(rt *rapid.T, key registry.Key) *registry.Record {
	ids := rapid.SliceOfNDistinct(rapid.SampledFrom(modelSkills), 0, 4, rapid.ID[string]).Draw(rt, "skills")
	if rapid.IntRange(0, 14).Draw(rt, "many") == 0 {
		for i := range 90 {
			ids = append(ids, fmt.Sprintf("many-%d", i))
		}
	}
	r := Record(key.Tenant, key.Name, ids...)
	for i := range r.Card.Skills {
		r.Card.Skills[i].Tags = rapid.SliceOfN(rapid.SampledFrom(modelTags), 1, 2).Draw(rt, "tags")
	}
	m.writes++
	r.Etag = fmt.Sprintf("e%d", m.writes)
	if rapid.IntRange(0, 9).Draw(rt, "large") == 0 {
		r.RawCard = []byte(strings.Repeat(r.Etag, 30<<10))
	}
	return r
}

func (m *model) register(rt *rapid.T) {
	key := m.key(rt)
	r := m.record(rt, key)
	err := m.s.Update(rt.Context(), key, func(old *registry.Record) (registry.Change, error) {
		if old != nil {
			return registry.Change{}, errRefused
		}
		return registry.Change{Record: r}, nil
	})
	if m.agents[key.Name] != nil {
		if err != errRefused { //nolint:errorlint // it is returned as it is
			rt.Fatalf("Update(%v) to create = %v, want the error of change", key, err)
		}
		return
	}
	m.wrote(rt, "create", key, err)
	m.agents[key.Name] = r
}

func (m *model) update(rt *rapid.T) {
	key := m.key(rt)
	r := m.record(rt, key)
	var got *registry.Record
	err := m.s.Update(rt.Context(), key, func(old *registry.Record) (registry.Change, error) {
		got = old
		if old == nil {
			return registry.Change{}, registry.Missing(key)
		}
		return registry.Change{Record: r}, nil
	})
	want := m.agents[key.Name]
	if (want == nil) != (got == nil) || want != nil && !equal(*want, *got) {
		rt.Fatalf("Update(%v) read, difference (-want +got):\n%s", key, cmp.Diff(want, got))
	}
	if want == nil {
		wantMissing(rt, "Update", key, err)
		return
	}
	m.wrote(rt, "update", key, err)
	m.agents[key.Name] = r
}

func (m *model) delete(rt *rapid.T) {
	key := m.key(rt)
	err := m.s.Update(rt.Context(), key, func(*registry.Record) (registry.Change, error) { return registry.Change{}, nil })
	m.wrote(rt, "delete", key, err)
	delete(m.agents, key.Name)
	delete(m.pulses, key.Name)
}

func (m *model) beat(rt *rapid.T) {
	key := m.key(rt)
	var got registry.Pulse
	err := m.s.UpdatePulse(rt.Context(), key, func(old registry.Pulse) (registry.Pulse, error) {
		got = old
		old.Epoch++
		old.Word, old.BeatTime, old.Announced = registry.StatusBusy, epoch, registry.StatusBusy
		return old, nil
	})
	if m.agents[key.Name] == nil {
		wantMissing(rt, "UpdatePulse", key, err)
		return
	}
	m.wrote(rt, "beat", key, err)
	want := m.pulses[key.Name]
	if diff := cmp.Diff(want, got); diff != "" {
		rt.Fatalf("UpdatePulse(%v) read, difference (-want +got):\n%s", key, diff)
	}
	want.Epoch++
	want.Word, want.BeatTime, want.Announced = registry.StatusBusy, epoch, registry.StatusBusy
	m.pulses[key.Name] = want
}

// refuse makes changes that return an error.
func (m *model) refuse(rt *rapid.T) {
	key := m.key(rt)
	r := m.record(rt, key)
	err := m.s.Update(rt.Context(), key, func(*registry.Record) (registry.Change, error) { return registry.Change{Record: r}, errRefused })
	if err != errRefused { //nolint:errorlint // it is returned as it is
		rt.Fatalf("Update(%v) = %v, want the error of change", key, err)
	}
}

func (m *model) wrote(rt *rapid.T, what string, key registry.Key, err error) {
	if err != nil {
		rt.Fatalf("%s %v = %v, want no error", what, key, err)
	}
}

func wantMissing(rt *rapid.T, call string, key registry.Key, err error) {
	if fault.ReasonOf(err) != "AGENT_NOT_FOUND" {
		rt.Fatalf("%s(%v) = %v, want AGENT_NOT_FOUND", call, key, err)
	}
}

// compare reads everything.
func (m *model) compare(rt *rapid.T) {
	keys := make([]registry.Key, len(modelNames))
	for i, name := range modelNames {
		keys[i] = registry.Key{Tenant: m.tenant, Name: name}
		got, err := m.s.Agent(rt.Context(), keys[i])
		if want := m.agents[name]; want == nil {
			wantMissing(rt, "Agent", keys[i], err)
		} else if err != nil || !equal(*want, got) {
			rt.Fatalf("Agent(%v) = %v, difference (-want +got):\n%s", keys[i], err, cmp.Diff(*want, got))
		}
	}
	want := make(map[registry.Key]registry.Pulse)
	for name, p := range m.pulses {
		want[registry.Key{Tenant: m.tenant, Name: name}] = p
	}
	got, err := m.s.Pulses(rt.Context(), keys...)
	if err != nil || cmp.Diff(want, got) != "" {
		rt.Fatalf("Pulses() = %v, difference (-want +got):\n%s", err, cmp.Diff(want, got))
	}
	m.compareLists(rt)
}

// compareLists reads what is found by an index.
func (m *model) compareLists(rt *rapid.T) {
	names := slices.Sorted(maps.Keys(m.agents))
	m.sameNames(rt, registry.Query{Tenant: m.tenant, Limit: 10}, names)
	skill := rapid.SampledFrom(append(slices.Clone(modelSkills), "many-7")).Draw(rt, "skill")
	tag := strings.ToLower(rapid.SampledFrom(modelTags).Draw(rt, "tag"))
	m.compareFound(rt, names, skill, "")
	m.compareFound(rt, names, "", tag)
	m.compareFound(rt, names, skill, tag)
	var want []string
	for _, name := range names {
		for _, skill := range m.agents[name].Card.Skills {
			want = append(want, skill.ID+"\x00"+name)
		}
	}
	slices.Sort(want)
	rows, err := m.s.Skills(rt.Context(), m.tenant, registry.SkillKey{}, 1000)
	var got []string
	for _, row := range rows {
		got = append(got, row.ID+"\x00"+row.Agent)
	}
	m.same(rt, "Skills()", want, got, err)
}

// compareFound looks agents up by a skill, by a tag or by both.
func (m *model) compareFound(rt *rapid.T, names []string, skill, tag string) {
	tagged := func(t string) bool { return strings.ToLower(t) == tag }
	var with []string
	for _, name := range names {
		if slices.ContainsFunc(m.agents[name].Card.Skills, func(s agentcard.Skill) bool {
			return (skill == "" || s.ID == skill) && (tag == "" || slices.ContainsFunc(s.Tags, tagged))
		}) {
			with = append(with, name)
		}
	}
	m.sameNames(rt, registry.Query{Tenant: m.tenant, Skill: skill, Tag: tag, Limit: 10}, with)
}

func (m *model) sameNames(rt *rapid.T, q registry.Query, want []string) {
	records, err := m.s.Agents(rt.Context(), q)
	var got []string
	for i := range records {
		got = append(got, records[i].Name)
		want := m.agents[records[i].Name]
		if want == nil {
			rt.Fatalf("Agents(%+v) has %s, which is not there", q, records[i].Name)
		}
		if !equal(*want, records[i]) {
			rt.Fatalf("Agents(%+v), difference of %s (-want +got):\n%s", q, records[i].Name, cmp.Diff(*want, records[i]))
		}
	}
	m.same(rt, fmt.Sprintf("Agents(%+v)", q), want, got, err)
}

// equal is fast for equal records, which most are, while cmp.Diff is not.
func equal(a, b registry.Record) bool { return reflect.DeepEqual(a, b) || cmp.Diff(a, b) == "" }

// same compares a list with the expected one. With lagging indexes it only checks that the list contains nothing else.
func (m *model) same(rt *rapid.T, call string, want, got []string, err error) {
	if m.lagging {
		want = slices.DeleteFunc(slices.Clone(want), func(s string) bool { return !slices.Contains(got, s) })
	}
	if err != nil || !slices.Equal(want, got) {
		rt.Fatalf("%s = %q, %v, want %q", call, got, err, want)
	}
}
