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
