package extract_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/quorate/quorate/agents/webfetch/extract"
)

func wrapped(before, after string) string {
	return "<html><head><title>A page</title></head>" + before + "<main><h1>A page</h1>" + filler + "<p>" + line + filler + "</main>" + after
}

func TestAPageInsideOneElementIsRead(t *testing.T) {
	for name, tt := range map[string]struct {
		page   string
		hidden bool
	}{
		"transparent until a script ran": {wrapped("<body><div style='opacity:0' class=page>", "</div>"), true},
		"hidden in the body":             {wrapped("<body style='visibility:hidden; margin:0'>", ""), true},
		"hidden farther in":              {wrapped("<body><div id=app><p>Menu</p><div><div style='visibility:hidden;min-height:100vh'>", "</div></div></div>"), true},
		"an aside without an end":        {wrapped("<body><aside><p>An announcement", ""), false},
		"a menu by its role":             {wrapped("<body><div role=navigation>", "</div>"), false},
	} {
		got := read(t, "text/html", tt.page, extract.Options{})
		if !strings.Contains(got.Text, line) {
			t.Errorf("%s: Extract = %.200q, want the text", name, got.Text)
		}
		if warned := slices.Contains(got.Warnings, extract.WarnHidden); warned != tt.hidden {
			t.Errorf("%s: Extract warns of hidden text: %t, want %t", name, warned, tt.hidden)
		}
		chosen := read(t, "text/html", tt.page, extract.Options{Selector: extract.Selector{Expression: "main h1"}})
		if !strings.Contains(chosen.Text, "A page") {
			t.Errorf("%s: a selector reads %q, want the title", name, chosen.Text)
		}
	}
}

func TestWhatIsNotMostOfAPageStaysHidden(t *testing.T) {
	much := "<p>" + order + "</p>" + filler + filler
	for name, page := range map[string]string{
		"less than half":              wrapped("<body><div style='opacity:0'>"+much+"</div>", filler),
		"a short text":                "<body><div style='opacity:0'><p>" + order + "</div>",
		"off the screen":              "<body><div style='opacity:0;position:absolute;left:-9999px'>" + much + "</div><p>Hello!",
		"not displayed":               "<body><div style='display:none'>" + much + "</div><p>Hello!",
		"inside text that is visible": wrapped("<body>", "<div style='visibility:hidden'>"+order+"</div>"),
	} {
		if got := read(t, "text/html", page, extract.Options{}); strings.Contains(got.Text, order) {
			t.Errorf("%s: Extract contains what no reader sees:\n%.300s", name, got.Text)
		}
	}
}
