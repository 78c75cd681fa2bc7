package fault_test

import (
	"strings"
	"testing"

	"github.com/quorate/quorate/platform/fault"
)

func TestALongTextIsCutBetweenCharactersAndSaysSo(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"": "", "añb": "añb", "añbc": "añb…", "añb\xff": "añb…"} {
		if got := fault.ClipTo(text, 3); got != want {
			t.Errorf("ClipTo(%q, 3) = %q, want %q", text, got, want)
		}
	}
	whole := strings.Repeat("ñ", 80)
	if got := fault.Clip(whole); got != whole {
		t.Errorf("Clip() of 80 characters = %q, want them", got)
	}
	if got := fault.Clip(whole + "x"); got != whole+"…" {
		t.Errorf("Clip() of 81 characters = %q, want 80 and an ellipsis", got)
	}
}
