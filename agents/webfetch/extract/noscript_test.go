package extract_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/quorate/quorate/agents/webfetch/extract"
)

// thread is what a forum writes for readers without scripts: a few posts of people who disagree.
const thread = "<noscript data-path='/t/1'><h1>Which quorum?</h1>" +
	"<div class=post><p>Half of the members is what the statutes say, and the meeting was one short of it.</p></div>" +
	"<div class=post><p>" + order + "</p></div>"

func threaded(before, after string) string {
	return "<html><head><title>Which quorum?</title></head><body>" + before + thread + filler + filler + "</noscript>" + after + "</body></html>"
}

func TestAPageThatIsWrittenForReadersWithoutScripts(t *testing.T) {
	shell := "<div id=app></div><script>start()</script>"
	for name, page := range map[string]string{
		"a shell":                threaded(shell, ""),
		"a shell with a menu":    threaded("<nav><a href=/a>Latest</a> <a href=/b>Top</a></nav>"+shell, "<p>Powered by a forum"),
		"another request before": threaded("<noscript><img src=/pixel></noscript>", shell),
		"tags in capitals":       strings.ReplaceAll(threaded(shell, ""), "noscript", "NoScript"),
	} {
		for _, format := range []extract.Format{extract.Markdown, extract.Text, extract.HTML} {
			got := read(t, "text/html", page, extract.Options{Format: format})
			if !strings.Contains(got.Text, "one short of it") || !strings.Contains(got.Text, "counts as a decision") {
				t.Errorf("%s: Extract(%s) = %.200q, want the posts", name, format, got.Text)
			}
			if !slices.Contains(got.Warnings, extract.WarnHidden) {
				t.Errorf("%s: Extract(%s) warns %q, want %q", name, format, got.Warnings, extract.WarnHidden)
			}
		}
		got := read(t, "text/html", page, extract.Options{Format: extract.Text, Selector: extract.Selector{Expression: ".post:first-of-type"}})
		if !strings.HasPrefix(got.Text, "Half of the members") {
			t.Errorf("%s: a selector reads %q, want the first post", name, got.Text)
		}
	}
}

func TestWhatReadersWithScriptsDoNotSeeIsNotRead(t *testing.T) {
	for name, page := range map[string]string{
		"beside a text that is as long": threaded("<article><p>Hello"+filler+filler+"<p>"+strings.Repeat("Another word. ", 20)+"</article>", ""),
		"a request for scripts":         "<p>Hello!<noscript><p>" + order + strings.Repeat(" You need to enable JavaScript.", 20) + "</noscript>",
		"in the head":                   "<head><noscript>" + order + strings.Repeat("x ", 2000) + "</noscript></head><body><p>Hello!",
		"in something hidden":           threaded("<div hidden>", "</div>"),
	} {
		if got := read(t, "text/html", page, extract.Options{}); strings.Contains(got.Text, order) {
			t.Errorf("%s: Extract contains what nobody sees with scripts:\n%.300s", name, got.Text)
		}
	}
}
