package consultation_test

import (
	"regexp"
	"testing"

	"github.com/quorate/quorate/consultation"
)

func TestDigestStandsForExactlyOneContent(t *testing.T) {
	t.Parallel()
	contents := map[string][]consultation.Part{
		"nothing":                    nil,
		"one empty part":             {{}},
		"two empty parts":            {{}, {}},
		"a text":                     {{Kind: "text", Text: "ab"}},
		"one byte changed":           {{Kind: "text", Text: "aB"}},
		"the same bytes as raw":      {{Kind: "text", Raw: []byte("ab")}},
		"the same bytes, other kind": {{Kind: "raw", Text: "ab"}},
		"cut in two":                 {{Kind: "text", Text: "a"}, {Kind: "text", Text: "b"}},
		"a field boundary moved":     {{Kind: "text", Text: "a", URL: "b"}},
		"data":                       {{Kind: "text", Data: []byte("ab")}},
		"with a file name":           {{Kind: "text", Text: "ab", Filename: "f"}},
		"with a media type":          {{Kind: "text", Text: "ab", MediaType: "f"}},
		"one order":                  {{Text: "a"}, {Text: "b"}},
		"the other order":            {{Text: "b"}, {Text: "a"}},
	}
	form := regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)
	seen := make(map[string]string)
	for name, parts := range contents {
		digest := consultation.Digest(parts)
		if !form.MatchString(digest) {
			t.Errorf("Digest(%s) = %q, want sha256 and 64 digits", name, digest)
		}
		if other, dup := seen[digest]; dup {
			t.Errorf("Digest(%s) = Digest(%s) = %s", name, other, digest)
		}
		seen[digest] = name
	}
}

func TestDigestIsStable(t *testing.T) {
	t.Parallel()
	parts := []consultation.Part{{Kind: "text", Text: "hello", MediaType: "text/plain"}}
	const want = "sha256:1f71af181f38d7b63a0ca5a5d751dda17c492190bfa53e4f29ed55283aaae841"
	if got := consultation.Digest(parts); got != want {
		t.Errorf("Digest() = %s, want %s: consultations on disk would become stale", got, want)
	}
}
