package registry_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

func TestAVersionIsInARangeOrNot(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		in, out []string
	}{
		"":             {[]string{"0.1.0", "1.0.0-rc.1", "whatever a card says"}, nil},
		"1.2.0":        {[]string{"1.2.0"}, []string{"1.2.1", "1.2.0-rc.1", ""}},
		"^1.2":         {[]string{"1.2.0", "1.9.3"}, []string{"1.1.9", "2.0.0", "1.3.0-rc.1"}},
		"~1.2":         {[]string{"1.2.9"}, []string{"1.3.0"}},
		">=1.4 <2":     {[]string{"1.4.0", "1.99.0"}, []string{"1.3.9", "2.0.0", "1.4"}},
		"<1 || >=2":    {[]string{"0.9.0", "2.0.1"}, []string{"1.5.0"}},
		">=1.0.0-rc.1": {[]string{"1.0.0-rc.2", "1.0.0"}, []string{"1.0.0-beta"}},
	}
	for text, test := range tests {
		r, err := registry.ParseVersionRange(text)
		if err != nil || r.String() != text || r.All() != (text == "") {
			t.Fatalf("ParseVersionRange(%q) = %v, %v, want that range", text, r, err)
		}
		for _, v := range test.in {
			if !r.Holds(v) {
				t.Errorf("%q holds %q = false, want true", text, v)
			}
		}
		for _, v := range test.out {
			if r.Holds(v) {
				t.Errorf("%q holds %q = true, want false", text, v)
			}
		}
	}
}

func TestWhatIsNoRangeOfVersionsIsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"new", ">=", "1.2.x.4", strings.Repeat(">0 ", 22)} {
		r, err := registry.ParseVersionRange(text)
		if f, ok := errors.AsType[*fault.Error](err); !ok || f.Reason != "VERSION_RANGE_INVALID" || len(f.Violations) != 1 || f.Violations[0].Field != "route.version" {
			t.Errorf("ParseVersionRange(%q) = %v, %v, want VERSION_RANGE_INVALID of route.version", text, r, err)
		}
	}
}
