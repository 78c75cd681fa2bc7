package webfetch_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/platform/fault"
)

const hostileSize = 128 << 10

func fill(s string) string { return strings.Repeat(s, hostileSize/len(s)) }

// hostile are pages that end the process or run for minutes in an unguarded converter.
func hostile() map[string]string {
	var fonts strings.Builder
	for i := range 400 {
		fmt.Fprintf(&fonts, "<font size=%d>", i)
	}
	return map[string]string{
		"one cell of endless width":         `<table><tr><td colspan=9007199254740991 rowspan=9007199254740991>a`,
		"spans within the standard":         "<table>" + strings.Repeat("<tr><td colspan=1000 rowspan=65534>a", 2000),
		"one wide row over many short ones": "<table><tr>" + strings.Repeat("<td>a", 20000) + strings.Repeat("<tr><td>b", 20000),
		"one long cell over many short":     "<table><tr><td>" + fill("a") + strings.Repeat("<tr><td>b", 5000),
		"100,000 nested elements":           strings.Repeat("<div>", 100_000),
		"fonts made again in each p":        "<p>" + fonts.String() + "</p>" + strings.Repeat("<p>x</p>", 20000),
		"nested fonts around paragraphs":    fonts.String() + strings.Repeat("<p>x", 40000),
		"misnested formatting":              strings.Repeat("<a><b><p>", 100_000),
		"text merged at each end tag":       fill("a</x>"),
		"text merged before a table":        "<table>" + fill("a</x>"),
		"empty links inside empty links":    strings.Repeat("<a href=/x><object>", 120),
		"deep quotes with many lines":       strings.Repeat("<blockquote>", 400) + fill("x<br>"),
		"deep lists with many lines":        strings.Repeat("<ul><li>", 200) + "<pre>" + fill("x\n"),
		"nested tables":                     strings.Repeat("<table><tr><td>", 160) + "x",
		"brackets that never close":         fill("*_[`<"),
		"links with a long base":            "<base href=/" + strings.Repeat("b", 4000) + ">" + fill("<a href=x>y</a>"),
		"attributes":                        "<p " + fill("a=b ") + ">",
		"one text":                          fill("hello "),
		"unclosed comment":                  "<!--" + fill("x"),
		"unclosed script":                   "<p>a<script>" + fill("x"),
		"unclosed tag":                      "<p " + fill("x"),
	}
}

func TestHostilePagesAreBounded(t *testing.T) {
	for name, source := range hostile() {
		t.Run(name, func(t *testing.T) {
			f, site := serve(t, send("text/html", source))
			for _, format := range []webfetch.Format{webfetch.Markdown, webfetch.Text, webfetch.HTML} {
				page, err := f.Fetch(t.Context(), webfetch.Request{URL: site, Format: format, MaxCharacters: 1000})
				if err != nil && fault.ReasonOf(err) != webfetch.ReasonTooComplex {
					t.Errorf("Fetch(%s) = %v, want a page or DOCUMENT_TOO_COMPLEX", format, err)
				}
				if n := utf8.RuneCountInString(page.Content); n > 1000 {
					t.Errorf("Fetch(%s) returned %d characters, want at most 1000", format, n)
				}
			}
		})
	}
}
