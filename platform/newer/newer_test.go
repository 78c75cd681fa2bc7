package newer_test

import (
	"testing"

	"github.com/quorate/quorate/platform/newer"
)

// In each value, x is what a newer version has added. Elements of again are those of old without it.
func TestWhatAWriteDoesNotChangeStaysAsItWas(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ next, again, old, want string }{
		"the same":              {`{"a":{"n":1}}`, `{"a":{"n":1}}`, `{"a":{"n":1,"x":9}}`, `{"a":{"n":1,"x":9}}`},
		"changed":               {`{"a":{"n":2}}`, `{"a":{"n":1}}`, `{"a":{"n":1,"x":9}}`, `{"a":{"n":2}}`},
		"beside a change":       {`{"a":{"n":1},"b":2}`, `{"a":{"n":1},"b":1}`, `{"a":{"n":1,"x":9},"b":1}`, `{"a":{"n":1,"x":9},"b":2}`},
		"removed":               {`{"b":1}`, `{"a":{"n":1},"b":1}`, `{"a":{"n":1,"x":9},"b":1}`, `{"b":1}`},
		"added":                 {`{"a":1}`, `{}`, `{}`, `{"a":1}`},
		"none before":           {`{"a":1}`, `null`, `null`, `{"a":1}`},
		"none afterwards":       {`null`, `{"a":1}`, `{"a":1,"x":9}`, `null`},
		"another type":          {`"s"`, `{"n":1}`, `{"n":1,"x":9}`, `"s"`},
		"appended":              {`[{"n":1},{"n":2}]`, `[{"n":1}]`, `[{"n":1,"x":9}]`, `[{"n":1,"x":9},{"n":2}]`},
		"appended to several":   {`[{"n":1},{"n":2},{"n":3}]`, `[{"n":1},{"n":2}]`, `[{"n":1,"x":8},{"n":2,"x":9}]`, `[{"n":1,"x":8},{"n":2,"x":9},{"n":3}]`},
		"read as fewer":         {`[{"n":1},{"n":2}]`, `[{"n":1}]`, `[{"x":9},{"n":1,"x":9}]`, `[{"n":1},{"n":2}]`},
		"put in front":          {`[{"n":2},{"n":1}]`, `[{"n":1}]`, `[{"n":1,"x":9}]`, `[{"n":2},{"n":1,"x":9}]`},
		"taken out":             {`[{"n":1},{"n":3}]`, `[{"n":1},{"n":2},{"n":3}]`, `[{"n":1,"x":7},{"n":2,"x":8},{"n":3,"x":9}]`, `[{"n":1,"x":7},{"n":3,"x":9}]`},
		"changed in the midst":  {`[{"n":1},{"n":4},{"n":3}]`, `[{"n":1},{"n":2},{"n":3}]`, `[{"n":1,"x":7},{"n":2,"x":8},{"n":3,"x":9}]`, `[{"n":1,"x":7},{"n":4},{"n":3,"x":9}]`},
		"none left":             {`[]`, `[{"n":1}]`, `[{"n":1,"x":9}]`, `[]`},
		"long numbers and tags": {`{"a":1,"b":{"n":1}}`, `{"a":0,"b":{"n":1}}`, `{"a":0,"b":{"n":1,"x":[12345678901234567890,"<&>"]}}`, `{"a":1,"b":{"n":1,"x":[12345678901234567890,"<&>"]}}`},
	} {
		if got := newer.Value([]byte(test.next), []byte(test.again), []byte(test.old)); string(got) != test.want {
			t.Errorf("%s: Value(%s, %s, %s) = %s, want %s", name, test.next, test.again, test.old, got, test.want)
		}
	}
}

func TestARecordKeepsItsUnknownFieldsWhenItIsChanged(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ next, again, old, want string }{
		"changed":             {`{"n":2}`, `{"n":1}`, `{"n":1,"x":9}`, `{"n":2,"x":9}`},
		"unchanged":           {`{"n":1}`, `{"n":1}`, `{"n":1,"x":9}`, `{"n":1,"x":9}`},
		"within another":      {`{"a":{"n":1},"b":2}`, `{"a":{"n":1},"b":1}`, `{"a":{"n":1,"x":9},"b":1}`, `{"a":{"n":1,"x":9},"b":2}`},
		"a known one removed": {`{"n":1}`, `{"n":1,"m":1}`, `{"n":1,"m":1,"x":9}`, `{"n":1,"x":9}`},
		"a list":              {`[{"n":1},{"n":2}]`, `[{"n":1}]`, `[{"n":1,"x":9}]`, `[{"n":1,"x":9},{"n":2}]`},
		"null":                {`null`, `{"n":1}`, `{"n":1,"x":9}`, `null`},
	} {
		if got := newer.Record([]byte(test.next), []byte(test.again), []byte(test.old)); string(got) != test.want {
			t.Errorf("%s: Record(%s, %s, %s) = %s, want %s", name, test.next, test.again, test.old, got, test.want)
		}
	}
	const next, again, old, want = `{"p":{"n":2},"q":{"n":2}}`, `{"p":{"n":1},"q":{"n":1}}`, `{"p":{"n":1,"x":8},"q":{"n":1,"x":9}}`, `{"p":{"n":2,"x":8},"q":{"n":2}}`
	if got := newer.Record([]byte(next), []byte(again), []byte(old), "p"); string(got) != want {
		t.Errorf("Record(%s, %s, %s, p) = %s, want %s", next, again, old, got, want)
	}
}
