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
		`at < "2026-01-16T12:00:00Z"`:           false,
		`tags:foo`:                              false,
		`tags:foo*`:                             true,
		`tags:*od`:                              true,
		`tags:*o*`:                              true,
		`tags:*x*`:                              false,
		`title=*`:                               true,
		`title=*eggs`:                           true,
		`title=*milk`:                           false,
		`title=*and`:                            false,
		`title=and*`:                            false,
		`title:bread`:                           false,
		`by_who=*n*`:                            true,
		`title!=Milk*`:                          false,
		`title!=Milk`:                           true,
		`title<N`:                               true,
		`title>N`:                               false,
		`title="Milk \and eggs"`:                true, // a backslash takes what follows as it is
		`kind!=memo`:                            true,
		`state=STATE_OLD`:                       true,
		`state=OLD`:                             true,
		`state!=OLD`:                            false,
		`state=NEW`:                             false,
		`kind!=list`:                            false,
		`kind=memo`:                             false,
		`pinned!=true`:                          true,
		`pinned=false`:                          true,
		`size<=3 size>=3`:                       true,
		`size<=2`:                               false,
		`size>=4`:                               false,
		`size>3`:                                false,
		`size<3`:                                false,
		`size!=3`:                               false,
		`size!=4`:                               true,
		`size=3 AND size:3`:                     true,
		`size=4`:                                false,
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
		`pinned=yes`:                  "true or false",
		`size=1 OR size=few`:          "whole number",
		`NOT size=few`:                "whole number",
		`title="a`:                    "at 7: the quotation mark is not closed",
		`title=a)`:                    "expected the end",
		`title="a\`:                   "not closed",
		`size!1`:                      "at 5: not equal is written !=",
		`size==1`:                     "at 6: expected a value after size =",
		`size=1 "OR" size=2`:          "at 8: expected a field",
		`OR size=1`:                   "at 1: expected a field",
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

func TestAFilterAtItsLimitsIsTaken(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		strings.Repeat("(", 16) + "size=1" + strings.Repeat(")", 16),
		strings.Repeat("size=1 ", 64),
		"size=1" + strings.Repeat(" ", 2042),
	} {
		if f, err := filter.Parse(text, fields); err != nil || !f.Match(&note{size: 1}) || f.Match(&note{size: 2}) {
			t.Errorf("Parse(%.40s) = %v, want a filter that matches a size of 1", text, err)
		}
	}
}

func TestNothingIsFoundInAnEmptyText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`title=*`, `title:*`, `title:""`} {
		if f, err := filter.Parse(text, fields); err != nil || f.Match(&note{}) || !f.Match(&note{title: "Milk"}) {
			t.Errorf("Parse(%s) = %v, want a filter that matches any text but the empty one", text, err)
		}
	}
}

func TestTheNameOfAFieldInJSONBecomesTheOneInTheProto(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"create_time": "create_time", "createTime": "create_time", "source.type": "source.type", "fromAToZ": "from_a_to_z"} {
		if got := filter.FieldName(name); got != want {
			t.Errorf("FieldName(%s) = %s, want %s", name, got, want)
		}
	}
}

func TestHasReturnsAValueThatEveryMatchContains(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`tags:home`: "home", `size=1 (tags:home)`: "home", `tags:home OR size=1`: "", `-tags:home`: "", `tags:home*`: "", `tags:*home`: "", `title:home`: "",
		`tags:food AND (tags:home OR size=1)`: "food",
	} {
		f, err := filter.Parse(text, fields)
		if err != nil || f.Has("tags") != want {
			t.Errorf("Parse(%s).Has(tags) = %q, %v, want %q", text, f.Has("tags"), err, want)
		}
	}
	f, err := filter.Parse(`size=1 OR -kind=memo byWho=ann`, fields)
	read := slices.DeleteFunc([]string{"title", "kind", "size", "by_who"}, func(name string) bool { return !f.Reads(name) })
	if err != nil || !slices.Equal(read, []string{"kind", "size", "by_who"}) {
		t.Errorf("the filter reads %v, %v, want kind, size and by_who", read, err)
	}
}
