package textindex_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/quorate/quorate/registry/agentcard"
	"github.com/quorate/quorate/registry/textindex"
)

func TestSearchFindsWordsHoweverTheyAreWritten(t *testing.T) {
	t.Parallel()
	x := textindex.New()
	x.Add("web", &agentcard.Card{Name: "Web agent", Skills: []agentcard.Skill{{ID: "fetchPages", Tags: []string{"HTML"}, Examples: []string{"Read https://example.com"}}}})
	x.Add("plain", &agentcard.Card{Description: "Émile's notes"})
	for query, want := range map[string]string{
		"fetch": "web/fetchPages", "a page": "web/fetchPages", "html": "web/fetchPages", "EXAMPLE.com": "web/fetchPages", "agents": "web/fetchPages", "émile": "plain/",
		"fetchpages": "", "": "", "!?": "",
	} {
		var got []string
		for _, hit := range x.Search(query) {
			got = append(got, hit.Agent+"/"+hit.Skill)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("Search(%q) = %v, want %q", query, got, want)
		}
	}
}

// TestAnIndexIsWhatWasAddedAndNotRemoved changes an index until it has dropped what was removed, more than once, and compares it with a new one.
func TestAnIndexIsWhatWasAddedAndNotRemoved(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	changed, cards := textindex.New(), make(map[string]*agentcard.Card)
	for range 6000 {
		agent := fmt.Sprintf("agent-%d", random.IntN(100))
		if card := cards[agent]; card != nil {
			changed.Remove(agent, card)
			delete(cards, agent)
			continue
		}
		card := &agentcard.Card{Description: fmt.Sprintf("word%d", random.IntN(50))}
		for i := range random.IntN(3) {
			card.Skills = append(card.Skills, agentcard.Skill{ID: fmt.Sprintf("skill%d", i), Description: fmt.Sprintf("word%d word%d", random.IntN(50), random.IntN(50))})
		}
		changed.Add(agent, card)
		cards[agent] = card
	}
	fresh := textindex.New()
	for agent, card := range cards {
		fresh.Add(agent, card)
	}
	for i := range 50 {
		query := fmt.Sprintf("word%d skill1 agent", i)
		if got, want := sorted(changed.Search(query)), sorted(fresh.Search(query)); len(want) == 0 || !slices.Equal(got, want) {
			t.Fatalf("Search(%q) = %v, want %v", query, got, want)
		}
	}
}

func sorted(hits []textindex.Hit) []textindex.Hit {
	slices.SortFunc(hits, func(a, b textindex.Hit) int {
		return cmp.Or(strings.Compare(a.Agent, b.Agent), strings.Compare(a.Skill, b.Skill))
	})
	return hits
}
