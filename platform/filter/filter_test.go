package filter_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/filter"
)

// note is an item of a list.
type note struct {
	title  string
	tags   []string
	size   int
	kind   string
	state  string
	pinned bool
	at     time.Time
	who    string
}

var fields = filter.Fields[note]{
	"title":  filter.Text(func(n *note) string { return n.title }),
	"kind":   filter.Word([]string{"memo", "list"}, func(n *note) string { return n.kind }),
	"state":  filter.Enum("STATE_", []string{"STATE_NEW", "STATE_OLD"}, func(n *note) string { return n.state }),
	"size":   filter.Number(func(n *note) int { return n.size }),
	"pinned": filter.Bool(func(n *note) bool { return n.pinned }),
	"at":     filter.Time(func(n *note) time.Time { return n.at }),
	"by_who": filter.Text(func(n *note) string { return n.who }),
	"tags":   filter.List(func(n *note, is func(string) bool) bool { return slices.ContainsFunc(n.tags, is) }),
}

func TestMatch(t *testing.T) {
	t.Parallel()
	item := &note{title: "Milk and eggs", tags: []string{"home", "food"}, size: 3, kind: "list", state: "STATE_OLD", who: "ann", at: time.Date(2026, 1, 16, 12, 0, 0, 0, time.UTC)}
	for text, want := range map[string]bool{
		``:                                      true,
		`title:EGGS`:                            true,
		`by_who=ann`:                            true,
		`byWho=ann`:                             true, // as in JSON
		`byWho=bob OR NOT byWho=ann`:            false,
		`title = Milk*`:                         true,
		`title = Milk`:                          false,
		`kind=list AND -kind=memo`:              true,
		`size > 2 size < 4`:                     true,
		`size=4 OR tags:food`:                   true,
		`NOT (pinned=true OR tags:work)`:        true,
		`pinned=true`:                           false,
		`at >= "2026-01-16T13:00:00+01:00"`:     true,
		`tags:foo`:                              false,
		`tags:foo*`:                             true,
		`tags:*od`:                              true,
		`tags:*o*`:                              true,
		`tags:*x*`:                              false,
		`title=*`:                               true,
		`title=*eggs`:                           true,
		`title=*milk`:                           false,
		`title!=Milk*`:                          false,
		`title<N`:                               true,
		`title="Milk \and eggs"`:                true, // a backslash takes what follows as it is
		`kind!=memo`:                            true,
		`state=STATE_OLD`:                       true,
		`state=OLD`:                             true,
		`state!=OLD`:                            false,
		`state=NEW`:                             false,
		`kind!=list`:                            false,
		`pinned!=true`:                          true,
		`size<=3 size>=3`:                       true,
		`size<=2`:                               false,
		`size>=4`:                               false,
		`size>3`:                                false,
		`size<3`:                                false,
		`size!=3`:                               false,
		`kind=memo AND size=3 OR tags:"home"`:   false, // OR binds more tightly
		`(kind=memo AND size=3) OR tags:'home'`: true,
	} {
		f, err := filter.Parse(text, fields)
		if err != nil || f.Match(item) != want {
			t.Errorf("Parse(%s).Match() = %v, %v, want %v", text, f.Match(item), err, want)
		}
	}
}

func TestAFilterThatIsWrongSaysWhere(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`paintColour=red`:             `there is no field "paintColour"`,
		`colour=red`:                  `at 1: there is no field "colour"; the fields are at, by_who, kind, pinned, size, state, tags, title`,
		`size=few`:                    "whole number",
		`kind=poem`:                   "memo, list",
		`tags=home`:                   "use : to look",
		`at>noon`:                     "a time such as",
		`title="a`:                    "not closed",
		`title=a)`:                    "expected the end",
		`title="a\`:                   "not closed",
		`size!1`:                      "not equal is written !=",
		`size=1 AND`:                  "at the end: expected a field",
		`(size=1`:                     "at the end: expected a closing parenthesis",
		`size 1`:                      "expected =, !=",
		`size=`:                       "expected a value after size =",
		`kind<memo`:                   "use = or !=",
		`pinned<true`:                 "use = or !=",
		strings.Repeat("(", 17) + "a": "more than 16 levels",
		strings.Repeat("size=1 ", 65): "more than 64 comparisons",
		strings.Repeat("a", 2049):     "the most is 2048",
	} {
		_, err := filter.Parse(text, fields)
		if fault.KindOf(err) != fault.InvalidArgument || fault.ReasonOf(err) != "FILTER_INVALID" || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%.40s) = %v, want FILTER_INVALID with %q", text, err, want)
		}
	}
	if _, err := filter.Parse("size="+strings.Repeat("x", 2000), fields); err == nil || len(err.Error()) > 300 {
		t.Errorf("Parse(a value of 2000 bytes) = %v, want an error with the beginning of the value", err)
	}
}

func TestHasReturnsAValueThatEveryMatchContains(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`tags:home`: "home", `size=1 (tags:home)`: "home", `tags:home OR size=1`: "", `-tags:home`: "", `tags:home*`: "", `title:home`: "",
		`tags:food AND (tags:home OR size=1)`: "food",
	} {
		f, err := filter.Parse(text, fields)
		if err != nil || f.Has("tags") != want {
			t.Errorf("Parse(%s).Has(tags) = %q, %v, want %q", text, f.Has("tags"), err, want)
		}
	}
	f, err := filter.Parse(`size=1 OR -kind=memo`, fields)
	read := slices.DeleteFunc([]string{"title", "kind", "size"}, func(name string) bool { return !f.Reads(name) })
	if err != nil || !slices.Equal(read, []string{"kind", "size"}) {
		t.Errorf("the filter reads %v, %v, want kind and size", read, err)
	}
}
