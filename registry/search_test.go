package registry_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

// searchable registers an agent of the description whose skills are given as id|description|tag,tag.
func searchable(t *testing.T, r *registry.Registry, name, description string, skills ...string) {
	t.Helper()
	var list []string
	for _, text := range skills {
		parts := strings.Split(text, "|")
		list = append(list, fmt.Sprintf(`{"id":%q,"description":%q,"tags":["%s"]}`, parts[0], parts[1], strings.ReplaceAll(parts[2], ",", `","`)))
	}
	card := fmt.Sprintf(`{"name":%q,"description":%q,"version":"1.0.0","url":"https://a.example","skills":[%s]}`, name, description, strings.Join(list, ","))
	if _, _, err := r.Register(t.Context(), tenant, registry.Registration{RawCard: []byte(card)}); err != nil {
		t.Fatalf("Register(%s) = %v, want no error", name, err)
	}
}

// found returns the matches of a search as "agent[skill skill]", read page by page.
func found(t *testing.T, r *registry.Registry, s registry.Search) (lines []string) {
	t.Helper()
	for {
		matches, more, err := r.Search(t.Context(), tenant, s)
		if err != nil {
			t.Fatalf("Search(%+v) = %v, want no error", s, err)
		}
		for _, m := range matches {
			lines = append(lines, m.Name+fmt.Sprint(m.Skills))
			s.After = m.Place
		}
		if !more {
			return lines
		}
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	searchable(t, r, "web", "Reads pages", "fetch_url|Reads one page of the web|Web,read", "ping|Says whether a host is up|net")
	searchable(t, r, "mail", "Sends mail", "sendMail|Sends a letter to people|Post")
	searchable(t, r, "crawler", "Reads many pages", "crawl|Follows links|web", "fetch_url|Reads a page|web")
	register(t, r, "plain-pages")
	beat(t, r, registry.Beat{Agent: "crawler", Status: "available"})
	for name, test := range map[string]struct {
		search registry.Search
		want   []string
	}{
		"a skill":                     {registry.Search{Skill: "fetch_url"}, []string{"crawler[fetch_url]", "web[fetch_url]"}},
		"a tag in any case":           {registry.Search{Tag: "WEB"}, []string{"crawler[crawl fetch_url]", "web[fetch_url]"}},
		"both":                        {registry.Search{Tag: "read", Skill: "fetch_url"}, []string{"web[fetch_url]"}},
		"an unknown skill":            {registry.Search{Skill: "fetch"}, nil},
		"available ones":              {registry.Search{Skill: "fetch_url", Available: true}, []string{"crawler[fetch_url]"}},
		"a word in a skill's name":    {registry.Search{Text: "MAIL"}, []string{"mail[sendMail]"}},
		"a plural":                    {registry.Search{Text: "letters"}, []string{"mail[sendMail]"}},
		"words of one, a word of all": {registry.Search{Text: "host page"}, []string{"web[ping fetch_url]", "crawler[fetch_url crawl]", "plain-pages[]"}},
		"text of those with a skill":  {registry.Search{Text: "page", Skill: "crawl"}, []string{"crawler[fetch_url crawl]"}},
		"words that nobody has":       {registry.Search{Text: "zebra"}, nil},
	} {
		test.search.Limit = 1
		if diff := cmp.Diff(test.want, found(t, r, test.search)); diff != "" {
			t.Errorf("%s, difference (-want +got):\n%s", name, diff)
		}
	}
	for _, text := range []string{"", " ", "\t\n\u3000"} {
		if _, _, err := r.Search(t.Context(), tenant, registry.Search{Text: text}); fault.ReasonOf(err) != "SEARCH_EMPTY" {
			t.Errorf("Search(%q) = %v, want SEARCH_EMPTY", text, err)
		}
	}
	if _, _, err := r.Search(t.Context(), tenant, registry.Search{Text: strings.Repeat("a ", 2001)}); fault.ReasonOf(err) != "VALIDATION_FAILED" {
		t.Errorf("Search() for 4002 bytes = %v, want VALIDATION_FAILED", err)
	}
}

func TestRepeatingAWordRaisesNoRank(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	searchable(t, r, "honest", "", "s|Translates a text to French|x")
	searchable(t, r, "loud", "", "s|Translates "+strings.Repeat("translates ", 50)+"best best best of all the texts in French|x")
	if got := found(t, r, registry.Search{Text: "translates French", Limit: 9}); len(got) != 2 || got[0] != "honest[s]" {
		t.Errorf("Search() = %v, want the honest one first", got)
	}
}

func TestADirectoryFollowsTheLog(t *testing.T) {
	t.Parallel()
	time0 := newClock()
	r := open(t, registry.Options{Now: time0.Now})
	d := r.Directory()
	names := func() string {
		t.Helper()
		if err := d.Sync(t.Context(), tenant); err != nil {
			t.Fatalf("Sync() = %v, want no error", err)
		}
		var list []string
		for _, name := range d.BySkill(tenant, "fetch") {
			a, _ := d.Agent(tenant, name)
			list = append(list, name+":"+a.Status.Status)
		}
		return strings.Join(list, " ")
	}
	searchable(t, r, "b", "", "fetch|d|t")
	if got := names(); got != "b:unknown" {
		t.Errorf("BySkill() = %s, want b", got)
	}
	searchable(t, r, "a", "", "fetch|d|t")
	beat(t, r, registry.Beat{Agent: "a", Status: "available"})
	if got := names(); got != "a:available b:unknown" {
		t.Errorf("BySkill() after changes = %s, want a and b", got)
	}
	time0.pass(30 * time.Second)
	if got := names(); got != "a:unavailable b:unknown" {
		t.Errorf("BySkill() after the lease = %s, want that a is unavailable without an entry in the log", got)
	}
	if err := r.Once(registry.Retry{}).Delete(t.Context(), tenant, "b", ""); err != nil {
		t.Errorf("Delete() = %v, want no error", err)
	}
	if got := names(); got != "a:unavailable" {
		t.Errorf("BySkill() after a deletion = %s, want a", got)
	}
	if _, ok := d.Agent(tenant, "b"); ok {
		t.Error("Agent(b) is there, want none")
	}
	register(t, r, "c") // without a tag
	if list, err := r.AgentsWith(t.Context(), tenant, "", "T", "", 9); err != nil || len(list) != 1 {
		t.Errorf("AgentsWith(the tag T) = %d agents, %v, want a alone", len(list), err)
	}
	if got := found(t, r, registry.Search{Tag: "T", Limit: 9}); strings.Join(got, " ") != "a[fetch]" {
		t.Errorf("Search() for the tag T = %v, want a alone", got)
	}
}

// TestReplicasRankAlike has a replica that has seen many changes and one that has just begun search the same agents: a page token of one is for the other, too.
func TestReplicasRankAlike(t *testing.T) {
	t.Parallel()
	old, store := openPulseStore(t)
	searchable(t, old, "a", "", "s|Translates a text to French|x")
	searchable(t, old, "b", "", "s|Translates and sings|x")
	synced(t, old.Directory())
	for i := range 14 { // until what is removed is forgotten, and then some
		var skills []string
		for j := range 100 {
			skills = append(skills, fmt.Sprintf(`{"id":"s%d","description":"Translates text %d to French, part%d"}`, j, i, i))
		}
		card := fmt.Sprintf(`{"name":"a","version":"1.0.0","url":"https://a.example","skills":[%s]}`, strings.Join(skills, ","))
		apply(t, old, registry.Application{Registration: registry.Registration{RawCard: []byte(card)}})
		synced(t, old.Directory())
	}
	search := registry.Search{Text: "translates french text", Limit: 9}
	got, _, err := old.Search(t.Context(), tenant, search)
	want, _, err2 := registry.New(store, registry.Options{}).Search(t.Context(), tenant, search)
	if err != nil || err2 != nil || len(got) != 2 || len(want) != 2 {
		t.Fatalf("Search() = %d, %v and %d, %v, want two each", len(got), err, len(want), err2)
	}
	for i := range want {
		if got[i].Place != want[i].Place {
			t.Errorf("result %d is %+v after changes, want %+v as without", i, got[i].Place, want[i].Place)
		}
	}
}

// TestASearchForAvailableOnesReadsNoOthers has many agents that fit and are not available: each would cost a look at the store.
func TestASearchForAvailableOnesReadsNoOthers(t *testing.T) {
	t.Parallel()
	_, store := openPulseStore(t)
	r := registry.New(store, registry.Options{})
	for i := range 30 {
		searchable(t, r, fmt.Sprintf("a%02d", i), "", "s|d|t")
	}
	synced(t, r.Directory())
	beat(t, r, registry.Beat{Agent: "a17", Status: "available"})
	synced(t, r.Directory())
	store.agents.Store(0)
	got := found(t, r, registry.Search{Skill: "s", Available: true, Limit: 5})
	if n := store.agents.Load(); len(got) != 1 || got[0] != "a17[s]" || n > 2 {
		t.Errorf("Search() = %v and read %d agents, want a17 and only that one read", got, n)
	}
}
