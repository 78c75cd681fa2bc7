package storetest

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

func skills(t *testing.T, s registry.Store) {
	Put(t, s, Record("t", "b", "fetch", "read"))
	Put(t, s, Record("t", "a", "fetch", "fetch_url"))
	q := registry.Query{Tenant: "t", Skill: "fetch", Limit: 9}
	wantNames(t, s, q, "t/a", "t/b")
	wantNames(t, s, registry.Query{Tenant: "t", Skill: "fetch", After: registry.Key{Tenant: "t", Name: "a"}, Limit: 9}, "t/b")
	wantNames(t, s, registry.Query{Tenant: "t", Skill: "fet", Limit: 9})
	want := []registry.SkillRow{
		{Skill: agentcard.Skill{ID: "fetch", Name: "Skill fetch", Tags: []string{"t"}}, Agent: "b"},
		{Skill: agentcard.Skill{ID: "fetch_url", Name: "Skill fetch_url", Tags: []string{"t"}}, Agent: "a"},
	}
	got, err := s.Skills(t.Context(), "t", registry.SkillKey{Skill: "fetch", Agent: "a"}, 2)
	if err != nil || cmp.Diff(want, got) != "" {
		t.Errorf("Skills(behind fetch, a) = %v, difference (-want +got):\n%s", err, cmp.Diff(want, got))
	}
	Put(t, s, Record("t", "b", "read"))
	wantNames(t, s, q, "t/a")
}

func tags(t *testing.T, s registry.Store) {
	tagged := func(name string, skills ...agentcard.Skill) *registry.Record {
		r := Record("t", name)
		r.Card.Skills = skills
		Put(t, s, r)
		return r
	}
	b := tagged("b", agentcard.Skill{ID: "fetch", Tags: []string{"Web", "web", "HTTP"}}, agentcard.Skill{ID: "read", Tags: []string{"text", ""}})
	tagged("a", agentcard.Skill{ID: "fetch", Tags: []string{"ftp"}}, agentcard.Skill{ID: "%tag#x", Tags: []string{"web"}})
	tagged("c", agentcard.Skill{ID: "web", Tags: []string{"fetch", "a#b%"}})
	Put(t, s, Record("u", "d", "web"))
	with := func(skill, tag, after string, limit int) registry.Query {
		return registry.Query{Tenant: "t", Skill: skill, Tag: tag, After: registry.Key{Tenant: "t", Name: after}, Limit: limit}
	}
	wantNames(t, s, with("", "web", "", 9), "t/a", "t/b")
	wantNames(t, s, with("", "web", "a", 9), "t/b")
	wantNames(t, s, with("", "web", "", 1), "t/a")
	wantNames(t, s, with("", "we", "", 9))
	wantNames(t, s, with("", "a#b%", "", 9), "t/c")
	wantNames(t, s, with("", "x", "", 9))
	wantNames(t, s, with("fetch", "web", "", 1), "t/b")
	wantNames(t, s, with("fetch", "text", "", 9)) // the tag of another skill
	wantNames(t, s, with("web", "", "", 9), "t/c")
	wantNames(t, s, with("%tag#x", "web", "", 9), "t/a")
	b.Card.Skills = []agentcard.Skill{{ID: "fetch", Tags: []string{"text"}}, {ID: "read"}}
	Put(t, s, b)
	wantNames(t, s, with("", "web", "", 9), "t/a")
	wantNames(t, s, with("", "http", "", 9))
	wantNames(t, s, with("fetch", "text", "", 9), "t/b")
	remove(t, s, b.Key())
	wantNames(t, s, with("", "text", "", 9))
}

func looks(t *testing.T, s registry.Store) {
	for _, name := range []string{"MAIL", "mall", "ma11", "male"} {
		r := Record("t", name, registry.Skeleton(name))
		r.Card.Name = "The " + name // an agent need not have the name of its card
		Put(t, s, r)
	}
	Put(t, s, Record("u", "mail"))
	q := registry.Query{Tenant: "t", Like: registry.Skeleton("mail"), Limit: 9}
	wantNames(t, s, q, "t/MAIL", "t/ma11", "t/mall")
	q.After.Name, q.Limit = "MAIL", 1
	wantNames(t, s, q, "t/ma11")
	Put(t, s, Record("t", "ma11")) // without its skill
	remove(t, s, registry.Key{Tenant: "t", Name: "MAIL"})
	wantNames(t, s, registry.Query{Tenant: "t", Like: registry.Skeleton("mail"), Limit: 9}, "t/ma11", "t/mall")
}

// manySkills adds, changes and removes the maximum number of skills of a card.
func manySkills(t *testing.T, s registry.Store) {
	ids := func(from, to int) (list []string) {
		for i := from; i < to; i++ {
			list = append(list, fmt.Sprintf("skill-%03d", i))
		}
		return list
	}
	for _, step := range [][]string{ids(0, 500), ids(1, 500), ids(250, 500), ids(100, 600), ids(0, 1), ids(0, 500), nil} {
		r := Record("t", "a", step...)
		Put(t, s, r)
		rows, err := s.Skills(t.Context(), "t", registry.SkillKey{}, 1000)
		var got []string
		for _, row := range rows {
			got = append(got, row.ID)
		}
		if err != nil || cmp.Diff(step, got) != "" {
			t.Fatalf("Skills() with %d skills = %v, difference (-want +got):\n%s", len(step), err, cmp.Diff(step, got))
		}
		for _, id := range []string{"skill-000", "skill-300"} {
			var want []string
			for _, has := range step {
				if has == id {
					want = []string{"t/a"}
				}
			}
			wantNames(t, s, registry.Query{Tenant: "t", Skill: id, Limit: 9}, want...)
		}
	}
	Put(t, s, Record("t", "a", ids(0, 500)...))
	remove(t, s, registry.Key{Tenant: "t", Name: "a"})
	wantNames(t, s, registry.Query{Tenant: "t", Skill: "skill-000", Limit: 9})
}
