package extract_test

import (
	"strings"
	"testing"

	"github.com/quorate/quorate/agents/webfetch/extract"
)

func TestElementsThatAreEmptyInXMLEndThere(t *testing.T) {
	const page = `<?xml version="1.0"?><!-- <p/> --><html xmlns="http://www.w3.org/1999/xhtml"><head><title>A title</title><SCRIPT src="a.js" />` +
		`<script src='/>'/><style/></head><body><a id="top"/><p>One<br/>two<i class="x/"/> three</p><div/><iframe src="a"/><x-a-long-name-of-one/>` +
		`<p>Four <a href="/five/">five</a> <textarea/>six</p></body></html>`
	const want = "One\ntwo three\n\nFour five six"
	if got := read(t, "application/xhtml+xml; charset=utf-8", page, extract.Options{Format: extract.Text}); got.Text != want || got.Title != "A title" {
		t.Errorf("Extract(XHTML) = %q with the title %q, want %q", got.Text, got.Title, want)
	}
	if got := read(t, "text/html", page, extract.Options{Format: extract.Text}); strings.Contains(got.Text, "One") {
		t.Errorf("Extract(the same as HTML) = %q, want what a browser shows", got.Text)
	}
}
