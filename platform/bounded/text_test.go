package bounded_test

import (
	"testing"

	"github.com/quorate/quorate/platform/bounded"
)

func TestALongTextIsCutAndSaysSo(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"": "", "0123456789ab": "0123456789ab", "0123456789abc": "012… (cut)", "01é3456789abc": "01… (cut)"} {
		if got := bounded.Text(text, 12); got != want {
			t.Errorf("Text(%q, 12) = %q, want %q", text, got, want)
		}
	}
}

func TestTheFirstCharactersOfAText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"": "", "0é2": "0é2", "0é23": "0é2", "éééé": "ééé", "a\xffbc": "a\xffb"} {
		if got := bounded.Characters(text, 3); got != want {
			t.Errorf("Characters(%q, 3) = %q, want %q", text, got, want)
		}
	}
}
