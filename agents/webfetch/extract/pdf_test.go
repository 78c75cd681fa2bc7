package extract_test

import (
	"strings"
	"testing"

	"github.com/quorate/quorate/agents/webfetch/extract"
	"github.com/quorate/quorate/platform/fault"
)

func TestWordsAndLinesOfAPDF(t *testing.T) {
	for name, test := range map[string]struct{ content, want string }{
		"spaces that are written":         {"BT /F1 12 Tf (a b) Tj ET", "a b"},
		"words that are moved apart":      {"BT /F1 10 Tf 72 720 Td [(T)80(wo)-333(w)10(ords)] TJ ET", "Two words"},
		"lines below each other":          {"BT /F1 10 Tf 72 720 Td (one) Tj 0 -12 Td (two) Tj ET", "one\ntwo"},
		"lines with a leading":            {"BT /F1 10 Tf 12 TL 72 720 Td (one) Tj T* (two) Tj (three) ' ET", "one\ntwo\nthree"},
		"paragraphs":                      {"BT /F1 10 Tf 72 720 Td (one) Tj 0 -24 Td (two) Tj ET", "one\n\ntwo"},
		"lines by matrices":               {"BT /F1 1 Tf 10 0 0 10 72 720 Tm (one) Tj 10 0 0 10 72 708 Tm (two) Tj ET", "one\ntwo"},
		"lines of a page that is turned":  {"BT /F1 1 Tf 0 10 -10 0 300 72 Tm (one) Tj 0 10 -10 0 312 72 Tm (two) Tj ET", "one\ntwo"},
		"a sign above the line":           {"BT /F1 10 Tf 72 720 Td (x) Tj 5 3 Td (2) Tj ET", "x2"},
		"white on a dark ground":          {"0 g 0 0 100 100 re f 1 g BT /F1 10 Tf (seen) Tj ET", "seen"},
		"dark after white":                {"q 1 g BT /F1 10 Tf (hidden) Tj ET Q BT /F1 10 Tf (seen) Tj ET", "seen"},
		"white on paper":                  {"BT /F1 10 Tf (seen) Tj 1 1 1 rg (hidden) Tj 0 g ( too) Tj ET", "seen too"},
		"white on white":                  {"1 g 0 0 100 100 re f BT /F1 10 Tf (hidden) Tj 0 g (seen) Tj ET", "seen"},
		"white as printers have it":       {"BT /F1 10 Tf 0 0 0 0 k (hidden) Tj 0 0 0 1 k (seen) Tj ET", "seen"},
		"white of a space":                {"/C cs 1 1 1 scn BT /F1 10 Tf (hidden) Tj 0 0 0 scn (seen) Tj ET", "seen"},
		"specks":                          {"BT /F1 0.5 Tf (hidden) Tj /F1 0 Tf (hidden) Tj /F1 8 Tf (seen) Tj ET", "seen"},
		"specks by a matrix":              {"BT /F1 10 Tf 0.01 0 0 0.01 0 0 Tm (hidden) Tj 1 0 0 1 0 0 Tm (seen) Tj ET", "seen"},
		"specks by the page's own matrix": {"q 0.01 0 0 0.01 0 0 cm BT /F1 10 Tf (hidden) Tj ET Q BT /F1 10 Tf (seen) Tj ET", "seen"},
		"large letters made small":        {"0.1 0 0 0.1 0 0 cm BT /F1 120 Tf (seen) Tj ET", "seen"},
		"small letters made large":        {"BT /F1 0.1 Tf 100 0 0 100 0 0 Tm (seen) Tj ET", "seen"},
	} {
		got, err := extract.Extract(t.Context(), pdf(deflate(test.content, "", 0)), extract.Options{})
		if err != nil || got.Text != test.want {
			t.Errorf("%s: Extract(%s) = %q, %v, want %q", name, test.content, got.Text, err, test.want)
		}
	}
}

func TestAPDFThatTakesTooLongIsNoScan(t *testing.T) {
	_, err := extract.Extract(t.Context(), pdf(deflate("", "q Q q Q ", 64<<20)), extract.Options{})
	if fault.ReasonOf(err) != extract.ReasonTooComplex || strings.Contains(err.Error(), "scanned") {
		t.Errorf("Extract() = %v, want %s", err, extract.ReasonTooComplex)
	}
}
