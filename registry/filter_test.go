package registry_test

import (
	"strings"
	"testing"
	"time"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

func filterable() *registry.Agent {
	return &registry.Agent{
		Name: "web-fetch", CardURI: "https://web.example/card.json", CreateTime: time.Date(2026, 1, 16, 12, 0, 0, 0, time.UTC),
		Card: agentcard.Card{
			Name: "web-fetch", Version: "1.10.0", Description: "Reads a page", Streaming: true,
			Skills: []agentcard.Skill{{ID: "fetch_url", Tags: []string{"web", "Read it"}}, {ID: "ping"}},
		},
		Metadata: agentcard.Metadata{
			InputSchemas:  []agentcard.InputSchema{{Name: "note", SemanticType: "comment"}},
			OutputSchemas: []agentcard.OutputSchema{{Name: "page", SemanticType: "document"}},
		},
		Status: registry.Status{Status: registry.StatusAvailable, Capacity: 4},
		Source: registry.Source{Type: registry.SourceFolder, Location: "/etc/quorate/cards", Gone: true},

		Verification: registry.Verification{State: registry.VerificationUntrusted},
	}
}

func TestFilterMatch(t *testing.T) {
	t.Parallel()
	passes := []string{
		``,
		`skills:"fetch_url"`,
		`skills:fetch*`,
		`skills:*`,
		`tags:"read it"`,
		`tags:WEB tags:Re*`, // as in every look-up by tag
		`tags:'web' AND status=available`,
		`status!=busy`,
		`version > 1.9.0`,
		`version = 1.10.0`,
		`version = 1.*`,
		`name = web*`,
		`name = "*fetch"`,
		`name < x`,
		`description:PAGE`,
		`card_uri:*`,
		`streaming=true`,
		`capacity>=4 in_flight<1`,
		`capacity > "-9223372036854775808"`,
		`capacity < 9223372036854775807`,
		`create_time > "2026-01-16T11:59:59Z"`,
		`create_time = "2026-01-16T13:00:00+01:00"`,
		`input_types:comment`,
		`output_types:document`,
		`source.type=folder source.present=false source.location=/etc/*`,
		`verification.state!=verified verification.state=untrusted`,
		`-skills:pong`,
		`(name=a AND name=b) OR name=web-fetch`,
		`skills:a OR skills:ping`,
		`NOT (status=busy OR skills:pong) AND name:"\"" OR -name:"\""`,
	}
	fails := []string{
		`skills:fetch`,
		`skills:FETCH_URL`,
		`status = busy`,
		`version<=1.9.0`,
		`name != *eb-fet*`,
		`push_notifications = true`,
		`tags:read`,
		`tags:news*`,
		`input_types:document`,
		`output_types:comment`,
		`source.type = api`,
		`source.present = true`,
		`verification.state = unsigned`,
		`NOT skills:ping`,
		`name=a AND name=b OR name=web-fetch`, // OR binds more tightly
	}
	for i, filter := range append(passes, fails...) {
		f, err := registry.ParseFilter(filter)
		if err != nil {
			t.Errorf("ParseFilter(%s) = %v, want no error", filter, err)
			continue
		}
		if got, want := f.Match(filterable()), i < len(passes); got != want {
			t.Errorf("ParseFilter(%s).Match() = %v, want %v", filter, got, want)
		}
	}
}

func TestParseFilterNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	for filter, want := range map[string]string{
		`colour=red`:                  `no field "colour"`,
		`name`:                        `after name`,
		`name=`:                       `expected a value`,
		`name=a OR`:                   `expected a field`,
		`=a`:                          `expected a field`,
		`name=a)`:                     `expected the end`,
		`(name=a`:                     `closing parenthesis`,
		`name="a`:                     `not closed`,
		`name="a\`:                    `not closed`,
		`name ! a`:                    `written !=`,
		`status=asleep`:               `available, busy`,
		`source=folder`:               `source.location, source.present, source.type`,
		`source.type=catalog`:         `ai-catalog`,
		`status<busy`:                 `no order`,
		`skills=x`:                    `use :`,
		`version>=one`:                `semantic version`,
		`streaming=maybe`:             `true or false`,
		`capacity=lots`:               `whole number`,
		`create_time>yesterday`:       `a time such as`,
		strings.Repeat("(", 99):       `levels`,
		strings.Repeat("a", 9e3):      `bytes`,
		strings.Repeat("name=a ", 65): `comparisons`,
	} {
		_, err := registry.ParseFilter(filter)
		if fault.ReasonOf(err) != "FILTER_INVALID" || fault.KindOf(err) != fault.InvalidArgument || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseFilter(%.40s) = %v, want FILTER_INVALID with %q", filter, err, want)
		}
	}
	if _, err := registry.ParseFilter("colour=red"); fault.From(err).Metadata["field"] != "colour" {
		t.Errorf("ParseFilter(colour=red) = %v, want the field in the metadata", err)
	}
}

func TestAFilterKnowsTheSkillThatAllHave(t *testing.T) {
	t.Parallel()
	for filter, want := range map[string]string{
		`skills:a`: "a", `name=x AND (skills:a)`: "a", `skills:a OR name=x`: "", `NOT skills:a`: "", `skills:a*`: "", `name=x`: "",
		`skills:b AND (skills:a OR name=x)`: "b",
	} {
		if f, err := registry.ParseFilter(filter); err != nil || f.Skill() != want {
			t.Errorf("ParseFilter(%s).Skill() = %q, %v, want %q", filter, f.Skill(), err, want)
		}
	}
}

func TestAFilterKnowsTheTagThatAllHave(t *testing.T) {
	t.Parallel()
	for filter, want := range map[string]string{
		`tags:a`: "a", `name=x AND (tags:a)`: "a", `tags:a OR name=x`: "", `-tags:a`: "", `tags:*a`: "", `skills:x`: "", `skills:x tags:a`: "a",
	} {
		if f, err := registry.ParseFilter(filter); err != nil || f.Tag() != want {
			t.Errorf("ParseFilter(%s).Tag() = %q, %v, want %q", filter, f.Tag(), err, want)
		}
	}
}

func FuzzParseFilter(f *testing.F) {
	for _, seed := range []string{`skills:"x" AND status=available`, `NOT (name=a* OR -tags:b) version>=1.0.0`, `name="\"" OR (`, `-`, `:=!<`} {
		f.Add(seed)
	}
	agent := filterable()
	f.Fuzz(func(t *testing.T, text string) {
		filter, err := registry.ParseFilter(text)
		if err != nil {
			if fault.KindOf(err) != fault.InvalidArgument {
				t.Errorf("ParseFilter(%q) = %v, want an invalid argument", text, err)
			}
			return
		}
		if filter.Match(agent) && filter.Skill() != "" && filter.Skill() != "fetch_url" && filter.Skill() != "ping" {
			t.Errorf("ParseFilter(%q).Skill() = %q, want a skill of the agent that passes", text, filter.Skill())
		}
	})
}
