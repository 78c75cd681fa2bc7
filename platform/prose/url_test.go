package prose_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/platform/prose"
)

func TestURLsInATextEndBeforeItsPunctuation(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "no URL": "",
		"Read https://a.test/b.pdf.":                                "https://a.test/b.pdf",
		"(see HTTPS://a.test/Go_(game), [http://b.test] and more!)": "HTTPS://a.test/Go_(game) http://b.test",
		"**https://a.test/b** or `https://a.test/c`":                "https://a.test/b https://a.test/c",
		"「https://a.test/b」を読んで。https://a.test/c。":                  "https://a.test/b https://a.test/c",
		"https://a.test/" + strings.Repeat(")", 3<<20):              "https://a.test/",
	} {
		if diff := cmp.Diff(strings.Fields(want), slices.Collect(prose.URLs(text)), cmp.Transformer("", func(list []string) string { return strings.Join(list, " ") })); diff != "" {
			t.Errorf("URLs(%.60q) differ (-want +got):\n%s", text, diff)
		}
	}
}
