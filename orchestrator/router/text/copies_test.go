package text_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/quorate/quorate/orchestrator/router/text"
)

// copied has the agents of some skills run as often as each says, each under a name of its own.
func copied(skills []text.Skill, times func(agent string) int) []text.Skill {
	list := slices.Clone(skills)
	for _, s := range skills {
		for i := 2; i <= times(s.Agent); i++ {
			s := s
			s.Agent += fmt.Sprintf("-%d", i)
			s.AgentDescription = fmt.Sprintf("Runs in hall number %d", i)
			list = append(list, s)
		}
	}
	return list
}

// original returns the name of the agent that one is a copy of.
func original(agent string) string {
	name, _, _ := strings.Cut(agent, "-")
	return name
}

// TestCopiesOfAnAgentChangeNoAnswer compares answers where agents run several times, all of them as often or one of them only, with those where each runs once.
func TestCopiesOfAnAgentChangeNoAnswer(t *testing.T) {
	t.Parallel()
	for name, skills := range map[string][]text.Skill{"with examples": catalog(), "with few": office(), "without examples": untaught()} {
		once := text.New(skills, text.Options{})
		for of, times := range map[string]func(string) int{
			"three of each": func(string) int { return 3 },
			"forty of one": func(agent string) int {
				if agent == skills[0].Agent {
					return 40
				}
				return 1
			},
		} {
			x := text.New(copied(skills, times), text.Options{})
			for query := range queries {
				want, got := once.Search(query, 1), x.Search(query, 1)
				checkCopies(t, fmt.Sprintf("Search(%q) %s, %s", query, name, of), want, got, times)
			}
		}
	}
}

func checkCopies(t *testing.T, call string, want, got text.Answer, times func(string) int) {
	t.Helper()
	if math.Abs(got.Confidence-want.Confidence) > 1e-4 || math.Abs(got.Limit-want.Limit) > 1e-4 || got.Refused() != want.Refused() {
		t.Errorf("%s: confidence %v of %v, want %v of %v", call, got.Confidence, got.Limit, want.Confidence, want.Limit)
	}
	if want.Refused() {
		return
	}
	n := times(want.Hits[0].Agent)
	if len(got.Hits) < n {
		t.Fatalf("%s has %d hits, want all %d that say the same", call, len(got.Hits), n)
	}
	for _, h := range got.Hits[:n] {
		w := want.Hits[0]
		if original(h.Agent) != w.Agent || h.Skill != w.Skill || math.Abs(h.Score-w.Score) > 1e-4 || math.Abs(h.Share-w.Share) > 1e-4 {
			t.Errorf("%s has %+v, want it as %+v", call, h, w)
		}
	}
}

func TestATextThatNamesACopyFindsThatOne(t *testing.T) {
	t.Parallel()
	for name, skills := range map[string][]text.Skill{"with examples": catalog(), "without examples": untaught()} {
		x := text.New(copied(skills, func(string) int { return 3 }), text.Options{})
		if got := first(x, "read a web page in hall 2"); got != "web-2/fetch_url" {
			t.Errorf("%s the web page in hall 2 is read by %s", name, got)
		}
		if a := x.Search("read a web page in hall 2", 1); a.Hits[0].Score <= a.Hits[1].Score || a.Hits[0].Words <= a.Hits[1].Words {
			t.Errorf("%s Search() = %+v, want the copy in hall 2 before the others", name, a.Hits)
		}
	}
}

// TestACopyWhoseCardWasChangedIsLikeTheOthers has agents run twice, while the description of one of them is a newer one.
func TestACopyWhoseCardWasChangedIsLikeTheOthers(t *testing.T) {
	t.Parallel()
	skills := copied(catalog(), func(string) int { return 2 })
	for i := range skills {
		if strings.HasSuffix(skills[i].Agent, "-2") {
			skills[i].Description += ", as soon as it can"
		}
	}
	x := text.New(skills, text.Options{})
	for query, want := range queries {
		a := x.Search(query, 2)
		if want == "refused" {
			continue
		}
		if agent, skill, _ := strings.Cut(want, "/"); a.Refused() || original(a.Hits[0].Agent) != agent || a.Hits[0].Skill != skill {
			t.Errorf("Search(%q) = %+v, want %s or its copy", query, a, want)
		} else if original(a.Hits[1].Agent) != agent || a.Hits[1].Score < 0.7*a.Hits[0].Score {
			t.Errorf("Search(%q) = %+v, want both copies of %s alike", query, a.Hits, want)
		}
	}
}

// TestVersionsOfACardShareWhatTheyAreAskedFor has one of forty copies of each agent have a newer card than the others, or half of them.
func TestVersionsOfACardShareWhatTheyAreAskedFor(t *testing.T) {
	t.Parallel()
	const copies = 40
	for of, newer := range map[string]func(agent string) bool{
		"one": func(agent string) bool { return !strings.Contains(agent, "-") },
		"half": func(agent string) bool {
			return strings.HasSuffix(agent, "1") || strings.HasSuffix(agent, "3") || strings.HasSuffix(agent, "5")
		},
	} {
		taught := slices.DeleteFunc(catalog(), func(s text.Skill) bool { return len(s.Examples) == 0 })
		skills := copied(taught, func(string) int { return copies })
		for i := range skills {
			if s := &skills[i]; newer(s.Agent) {
				s.Description += ", as soon as it can"
				s.Examples = append(slices.Clone(s.Examples), "feed the zebra of the "+s.Name)
			}
			skills[i].AgentDescription = ""
		}
		x := text.New(skills, text.Options{})
		for query, want := range queries {
			a := x.Search(query, 10)
			agent, _, _ := strings.Cut(want, "/")
			if !slices.ContainsFunc(taught, func(s text.Skill) bool { return s.Agent == agent }) {
				continue
			}
			for i := range copies {
				if h := a.Hits[i]; a.Refused() || original(h.Agent)+"/"+h.Skill != want || h.Score < 0.99*a.Hits[0].Score {
					t.Errorf("Search(%q) with %s newer = %+v at place %d, want all copies of %s alike", query, of, h, i, want)
					break
				}
			}
		}
		if a := x.Search("zebra feed of the flight", 10); a.Refused() || !newer(a.Hits[0].Agent) || a.Hits[0].Skill != "book_flight" {
			t.Errorf("a text that only the newer card has an example of finds %+v", a.Hits[0])
		}
	}
}

// TestASkillThatIsListedAgainRaisesNoRank has one of two copies of each agent list its skills several times, under other ids or in another spelling.
func TestASkillThatIsListedAgainRaisesNoRank(t *testing.T) {
	t.Parallel()
	for name, another := range map[string]func(id string, i int) string{
		"under other ids":     func(id string, i int) string { return fmt.Sprintf("%s_%c", id, 'a'+i) },
		"in another spelling": func(id string, i int) string { return strings.ReplaceAll(id, "_", strings.Repeat("-", i+1)) },
	} {
		skills := copied(catalog(), func(string) int { return 2 })
		for _, s := range catalog() {
			for i := range 4 {
				more := s
				more.ID = another(s.ID, i)
				skills = append(skills, more)
			}
		}
		x := text.New(skills, text.Options{})
		for query, want := range queries {
			if want == "refused" {
				continue
			}
			var lists, honest float64 // the best scores
			for _, h := range x.Search(query, 100).Hits {
				switch agent, _, _ := strings.Cut(want, "/"); h.Agent {
				case agent:
					lists = max(lists, h.Score)
				case agent + "-2":
					honest = max(honest, h.Score)
				}
			}
			if honest == 0 || lists > 1.01*honest {
				t.Errorf("%s: for %q the copy that lists its skills again has %v, the other one %v", name, query, lists, honest)
			}
		}
	}
}

func TestANewCopyKnowsWhatTheOthersHaveLearned(t *testing.T) {
	t.Parallel()
	x := text.New(catalog(), text.Options{})
	y := x.Renew(copied(catalog(), func(string) int { return 2 }))
	for query := range queries {
		checkCopies(t, fmt.Sprintf("Renew().Search(%q)", query), x.Search(query, 1), y.Search(query, 1), func(string) int { return 2 })
	}
}
