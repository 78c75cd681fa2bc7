package console_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// hebrew is a sentence that is written from right to left: its full stop stands at the left.
const hebrew = "שלום עולם."

// TestLongNamesAndOtherScriptsAreReadable has an agent with the longest name that there is, and texts that are written from right to left.
func TestLongNamesAndOtherScriptsAreReadable(t *testing.T) {
	q := start(t, t.TempDir())
	long := strings.Repeat("a", 64)
	q.post(t, "/v1/agents:register", map[string]any{"card": map[string]any{
		"name": long, "description": hebrew, "version": "1.0.0", "capabilities": map[string]any{},
		"supportedInterfaces": []any{map[string]any{"url": "http://127.0.0.1:1/", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}},
		"defaultInputModes":   []any{"text/plain"}, "defaultOutputModes": []any{"text/plain"},
		"skills": []any{map[string]any{"id": strings.Repeat("x", 100), "name": "Translate", "description": hebrew + " " + strings.Repeat("y", 300), "tags": []any{hebrew}, "examples": []any{hebrew}}},
	}})
	task := q.post(t, "/v1/tasks", map[string]any{
		"message": map[string]any{"parts": []any{map[string]any{"text": hebrew, "filename": hebrew}}}, "route": map[string]any{"agent": "reviewer"},
	})
	b := open(t, q.HTTP, 1280, 800)
	b.signIn(q.token)
	for place, sees := range map[string]string{"agents": long, "agents/" + long: hebrew, "skills": hebrew, "tasks/" + task: hebrew} {
		b.goes(place)
		b.sees(sees)
		b.nothingWrong()
		for _, header := range eval[[]string](b, brokenWords) {
			t.Errorf("at %s a word of the header %q is broken", place, header)
		}
		if place == "agents" {
			continue
		}
		if wrong := eval[[]string](b, stopAtTheRight); len(wrong) > 0 {
			t.Errorf("at %s the full stop is on the wrong side of %q", place, wrong)
		}
	}
}

// TestNoWordInACellIsBroken looks at lists that have many columns, on narrow screens and wide ones.
func TestNoWordInACellIsBroken(t *testing.T) {
	q := start(t, t.TempDir())
	q.post(t, "/v1/tasks", map[string]any{
		"message": words("Fetch " + q.DemoSite + "/notes"), "route": map[string]any{"skill": "fetch_url"}, "attributes": map[string]any{"handling_sensitive_data": true},
	})
	b := open(t, q.HTTP, 1280, 800)
	b.signIn(q.token)
	for _, width := range []int64{768, 960, 1024, 1280, 1920} {
		b.do(chromedp.EmulateViewport(width, 800))
		for _, test := range []struct{ place, sees string }{
			{"skills", "fetch_url"}, {"tasks", "CONSULTATION_MISSING"}, {"agents/web-fetch", "handling_sensitive_data"}, {"agents", "web-fetch"},
		} {
			b.goes(test.place)
			b.sees(test.sees)
			b.nothingWrong()
			if broken := eval[[]string](b, brokenInCells); len(broken) > 0 {
				t.Errorf("at %s, %d pixels wide, words are broken: %q", test.place, width, broken)
			}
		}
	}
}

// brokenInCells lists the words in cells of tables, of at most 26 letters, that have more than one line.
const brokenInCells = `(() => {
	const broken = [], word = document.createRange();
	const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
	for (let n; (n = texts.nextNode()); ) {
		if (!n.parentElement.closest("td")) continue;
		for (const { 0: found, index } of n.data.matchAll(/[^\s-]{1,26}(?![^\s-])/g)) {
			word.setStart(n, index);
			word.setEnd(n, index + found.length);
			if (new Set([...word.getClientRects()].map((r) => Math.round(r.top))).size > 1) broken.push(found);
		}
	}
	return broken;
})()`

// brokenWords lists the headers of tables that have more lines than words.
const brokenWords = `[...document.querySelectorAll("th")].filter((th) => {
	const text = document.createRange();
	text.selectNodeContents(th);
	return new Set([...text.getClientRects()].map((r) => Math.round(r.top))).size > th.textContent.trim().split(/\s+/).length;
}).map((th) => th.textContent)`

// stopAtTheRight lists the elements in whose Hebrew text the full stop is not at the left of the first letter.
const stopAtTheRight = `(() => {
	const at = (node, i) => { const c = document.createRange(); c.setStart(node, i); c.setEnd(node, i + 1); return c.getBoundingClientRect().left };
	const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT), wrong = [];
	for (let n; (n = texts.nextNode()); ) {
		const first = n.data.indexOf("ש"), stop = n.data.indexOf(".", first);
		if (first === 0 && n.parentElement.checkVisibility() && at(n, stop) > at(n, first)) wrong.push(n.parentElement.outerHTML);
	}
	return wrong;
})()`

// TestALongTextIsFolded has texts that would take the browser long to lay out: their beginning is in sight, and the rest where it can be opened.
func TestALongTextIsFolded(t *testing.T) {
	q := start(t, t.TempDir())
	q.post(t, "/v1/agents:register", map[string]any{"card": map[string]any{
		"name": "talker", "description": "Talks.", "version": "1.0.0", "capabilities": map[string]any{},
		"supportedInterfaces": []any{map[string]any{"url": "http://127.0.0.1:1/", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}},
		"defaultInputModes":   []any{"text/plain"}, "defaultOutputModes": []any{"text/plain"},
		"skills": []any{map[string]any{"id": "talk", "name": "Talk", "description": strings.Repeat("word ", 12_000) + "END", "tags": []any{}}},
	}})
	task := q.post(t, "/v1/tasks", map[string]any{"message": words(strings.Repeat("y", 120_000) + "END"), "route": map[string]any{"agent": "reviewer"}})
	b := open(t, q.HTTP, 1280, 800)
	b.signIn(q.token)
	for place, folds := range map[string][]string{"skills": {"10003 more characters"}, "tasks/" + task: {"70003 more characters", "20003 more characters"}} {
		b.goes(place)
		b.sees(folds[0])
		if strings.Contains(b.text(), "END") {
			t.Errorf("at %s all of a long text is laid out", place)
		}
		for _, fold := range folds {
			b.clicks(fold)
		}
		b.sees("END")
		b.nothingWrong()
	}
}
