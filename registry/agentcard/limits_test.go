package agentcard_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/quorate/quorate/registry/agentcard"
)

// TestACardMayBeAtItsLimits has as much of each as a card may have; one more is refused (TestParseRefusesWithTheField).
func TestACardMayBeAtItsLimits(t *testing.T) {
	t.Parallel()
	numbered := func(n int, form string) string {
		list := make([]string, n)
		for i := range list {
			list[i] = strings.ReplaceAll(form, "N", strconv.Itoa(i))
		}
		return strings.Join(list, ",")
	}
	one := `{"id":"s"}`
	for name, raw := range map[string]string{
		"bytes":            card(`"skills"`, `"x":"`+strings.Repeat("x", agentcard.MaxBytes-len(card(`"skills"`, `"x":"","skills"`)))+`","skills"`),
		"depth":            card(`"skills"`, `"x":`+strings.Repeat("[", 63)+strings.Repeat("]", 63)+`,"skills"`),
		"a name":           card(`"a"`, `"`+strings.Repeat("a", 64)+`"`),
		"skills":           card(one, numbered(500, `{"id":"sN"}`)),
		"an id":            card(one, `{"id":"`+strings.Repeat("é", 256)+`"}`),
		"a tag":            card(one, `{"id":"s","tags":["`+strings.Repeat("é", 256)+`"]}`),
		"tags":             card(one, `{"id":"s","tags":[`+manyTags(1000)+`]}`),
		"interfaces":       card(`{"url":"http://h/","protocolBinding":"JSONRPC"}`, numbered(32, `{"url":"http://h/N","protocolBinding":"JSONRPC"}`)),
		"a URL":            card("http://h/", "http://h/"+strings.Repeat("x", 2039)),
		"security schemes": card(`"skills"`, `"securitySchemes":{`+numbered(32, `"sN":{}`)+`},"skills"`),
	} {
		if _, _, _, err := agentcard.Parse([]byte(raw)); err != nil {
			t.Errorf("Parse() of a card with as much as may be (%s) = %.300v, want no error", name, err)
		}
	}
}

func TestAFormatTellsWhatFitsIt(t *testing.T) {
	t.Parallel()
	for format, values := range map[string]struct{ fit, other []string }{
		"url":       {[]string{"https://a.example/", "mailto:a@b.example"}, []string{"a.example", "/path", "https:", "http://[::1", ""}},
		"EMAIL":     {[]string{"a@b.example"}, []string{"A <a@b.example>", "a@", ""}},
		"uuid":      {[]string{"01a2322e-b4ce-72c0-8fe4-A9439E44C200"}, []string{"01a2322eb4ce72c08fe4a9439e44c200", "{01a2322e-b4ce-72c0-8fe4-a9439e44c200}"}},
		"date":      {[]string{"2026-02-28"}, []string{"2026-02-30", "2026-02-28T00:00:00Z"}},
		"date-time": {[]string{"2026-02-28T00:00:00Z", "2026-02-28T00:00:00.5+01:00"}, []string{"2026-02-28", "2026-02-28T00:00:00"}},
		"json":      {[]string{`{"a":1}`, "1"}, []string{"{", ""}},
		"ipv4":      {[]string{"10.0.0.1"}, []string{"::1", "10.0.0.256", "10.0.0"}},
		"ipv6":      {[]string{"::1"}, []string{"10.0.0.1", ":1"}},
		"hostname":  {[]string{"a.example", "a", strings.Repeat("a", 63)}, []string{"-a", "a.", "a_b", strings.Repeat("a", 64)}},
	} {
		fits := agentcard.Format(format)
		for _, value := range values.fit {
			if !fits(value) {
				t.Errorf("Format(%s)(%q) = false, want true", format, value)
			}
		}
		for _, value := range values.other {
			if fits(value) {
				t.Errorf("Format(%s)(%q) = true, want false", format, value)
			}
		}
	}
	if agentcard.Format("nothing") != nil {
		t.Error("Format(nothing) is there, want none")
	}
}

func TestWhichWorkMustNotBeDoneTwice(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		listed []string
		skill  string
		want   bool
	}{
		{nil, "", false}, {nil, "pay", false}, {[]string{"pay"}, "pay", true}, {[]string{"pay"}, "look", false}, {[]string{"pay"}, "", true}, {[]string{"*"}, "look", true}, {[]string{"*"}, "", true},
	} {
		m := agentcard.Metadata{AtMostOnceSkills: test.listed}
		if got := m.AtMostOnce(test.skill); got != test.want {
			t.Errorf("AtMostOnce(%q) with %q = %t, want %t", test.skill, test.listed, got, test.want)
		}
	}
}
