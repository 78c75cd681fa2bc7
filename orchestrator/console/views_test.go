package console_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestWhatChangesIsSeenWithoutAReload watches a list while agents come, are drained and go.
func TestWhatChangesIsSeenWithoutAReload(t *testing.T) {
	q := start(t, t.TempDir())
	b := open(t, q.HTTP, 1280, 800)
	b.signIn(q.token)
	b.sees("web-fetch")
	q.post(t, "/v1/agents/web-fetch:drain", map[string]any{"reason": "a new disk"})
	b.sees("○ draining", "a new disk")
	q.post(t, "/v1/agents:register", map[string]any{"cardJson": hostileCard(t)})
	b.sees("hostile is new.")
	b.clicks("Show the list as it is now")
	b.clicks("hostile")
	b.sees("All of it, as JSON")
	b.clicks("Delete…")
	q.post(t, "/v1/agents:apply", map[string]any{"cardJson": hostileCard(t), "metadata": map[string]any{"atMostOnceSkills": []any{"*"}}})
	b.clicks("Delete")
	b.sees("ETAG_MISMATCH")
	b.clicks("Leave it")
	b.sees("At most once")
	b.clicks("Delete…")
	b.clicks("Delete")
	b.until("be back at the list", `location.hash === "#/agents" && !document.querySelector("main").innerText.includes("hostile")`)
	b.nothingWrong()
}

func TestDomainsAreListedTestedAndTakenOff(t *testing.T) {
	q := start(t, t.TempDir())
	b := open(t, q.HTTP+"/#/domains", 1280, 800)
	b.signIn(q.token)
	b.fills("Domain", "co.jp")
	b.clicks("Allow it")
	b.sees("Reason:")
	b.fills("Domain", "*.example.com")
	b.clicks("Allow it")
	b.sees("*.example.com may be read now.")
	b.fills("May this be read?", "https://www.example.com/")
	b.clicks("Test it")
	b.sees("● allowed by *.example.com")
	b.shot("domains")
	b.clicks("Take it off…")
	b.clicks("Take it off")
	b.until("see it gone", `!document.querySelector("table").innerText.includes("*.example.com")`)
	b.nothingWrong()
}

// TestAPhoneInTheDark looks at every view on a narrow screen, and by the keyboard alone.
func TestAPhoneInTheDark(t *testing.T) {
	q := start(t, t.TempDir())
	b := open(t, q.HTTP, 360, 740)
	dark := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: dark}); err != nil {
		t.Fatal(err)
	}
	b.sees("API key or token")
	b.do(chromedp.KeyEvent(q.token + kb.Enter)) // the focus is where the key belongs
	b.sees("web-fetch")
	task := q.post(t, "/v1/tasks", map[string]any{
		"message": map[string]any{"parts": []any{map[string]any{"text": "Fetch " + q.DemoSite + "/notes"}}},
		"route":   map[string]any{"skill": "fetch_url"}, "attributes": map[string]any{"handling_sensitive_data": true},
	})
	for place, sees := range map[string]string{
		"agents": "reviewer", "agents/web-fetch": "sensitive-data-review", "skills": "fetch_links", "skills?skill=fetch_url": "web-fetch", "register": "Only check",
		"tasks/" + task: "A gate holds this task", "tasks": task, "dispatch": "Where would it go?", "domains": "the configuration", "health": "● ready", "constructor": "Nothing is here",
	} {
		b.goes(place)
		b.sees(sees)
		b.nothingWrong()
		if focused := eval[string](b, "document.activeElement.tagName"); focused != "H1" && place != "register" {
			t.Errorf("at %s the focus is on %s, want the heading", place, focused)
		}
		b.shot("phone-" + strings.ReplaceAll(place[:min(len(place), 10)], "/", "-"))
	}
	b.do(chromedp.KeyEvent(kb.Tab))
	if outline := eval[string](b, "getComputedStyle(document.activeElement).outlineStyle"); outline == "none" {
		t.Error("what has the focus does not show it")
	}
}

// TestAStepInAPathIsNoName looks for a tag that would lead to another list.
func TestAStepInAPathIsNoName(t *testing.T) {
	q := start(t, t.TempDir())
	b := open(t, q.HTTP+"/#/skills?tag=..", 1280, 800)
	b.signIn(q.token)
	b.sees("“..” cannot be looked up")
	b.goes("skills?skill=.")
	b.sees("“.” cannot be looked up")
	b.nothingWrong()
}

// TestAProxyThatAnswersIsNotTheServer has something before the server answer with pages of its own.
func TestAProxyThatAnswersIsNotTheServer(t *testing.T) {
	q := start(t, t.TempDir())
	b := open(t, q.HTTP, 1280, 800)
	b.signIn(q.token)
	b.sees("web-fetch")
	eval[bool](b, `(window.fetch = async (to) => new Response("<html>sorry</html>", { status: to === "/readyz" ? 502 : 200 }), true)`)
	for place, status := range map[string]string{"health": "502", "tasks": "200"} {
		b.goes(place)
		b.sees("Something before Quorate answered in its place, such as a proxy: " + status + ", and no JSON.")
	}
	b.nothingWrong()
}

// TestATaskThatIsNoLongerFollowedMayBeOld has the server refuse the stream of a task's events, as when the task has expired.
func TestATaskThatIsNoLongerFollowedMayBeOld(t *testing.T) {
	q := start(t, t.TempDir())
	id := q.post(t, "/v1/tasks", map[string]any{"message": words("Fetch " + q.DemoSite + "/article"), "route": map[string]any{"agent": "web-fetch"}})
	b := open(t, q.HTTP, 1280, 800)
	b.signIn(q.token)
	b.sees("web-fetch")
	eval[bool](b, `((usual) => ((window.fetch = async (to, how) =>
		String(to).includes(":watch") ? Response.json({ message: "there is no such task" }, { status: 404 }) : usual(to, how)), true))(window.fetch)`)
	b.goes("tasks/" + id)
	b.sees("This may be old: there is no such task.")
	b.nothingWrong()
}

// TestAPageThatIsNoneLeadsToTheFirst opens lists with the token of a page of another list, as in a link that is older than the server's data.
func TestAPageThatIsNoneLeadsToTheFirst(t *testing.T) {
	q := start(t, t.TempDir())
	b := open(t, q.HTTP, 1280, 800)
	b.signIn(q.token)
	for place, first := range map[string]string{
		"agents?pageToken=x": "web-fetch", "tasks?pageToken=x": "There is no task yet.", "skills?pageToken=x": "fetch_links",
		"skills?skill=review&pageToken=x": "reviewer", "domains?pageToken=x": "the configuration",
	} {
		b.goes(place)
		b.sees("start from the first page")
		b.clicks("First page")
		b.sees(first)
		b.nothingWrong()
	}
}

// TestAnEmptyPageIsNotTheEnd has the server find no agent among those that it looked at for the first page.
func TestAnEmptyPageIsNotTheEnd(t *testing.T) {
	q := start(t, t.TempDir())
	b := open(t, q.HTTP, 1280, 800)
	b.signIn(q.token)
	b.sees("web-fetch")
	eval[bool](b, `((usual) => {
		const cut = (to) => !to.includes("watch") && !to.includes("pageToken") && (to.startsWith("/v1/agents?") || to.startsWith("/v1/skills/"));
		window.fetch = (to, options) => (cut(to) ? Promise.resolve(Response.json({ nextPageToken: "next" })) : usual(to, options));
		return true;
	})(window.fetch)`)
	for _, place := range []string{"agents?filter=status%3Davailable", "skills?skill=fetch_url&availableOnly=true"} {
		b.goes(place)
		b.sees("None among the agents that were looked at for this page; others are on the next.", "Next page")
		b.nothingWrong()
	}
}

// TestAListKeepsThePlace has a task come while the keyboard is in the middle of a long list, and goes to the task there and back.
func TestAListKeepsThePlace(t *testing.T) {
	q := start(t, t.TempDir())
	task := func() string {
		return q.post(t, "/v1/tasks", map[string]any{"message": words("look"), "route": map[string]any{"agent": "reviewer"}})
	}
	for range 40 {
		task()
	}
	b := open(t, q.HTTP+"/#/tasks", 1280, 600)
	b.signIn(q.token)
	b.until("see the list", `document.querySelectorAll("tbody tr").length === 40`)
	const place = `[document.activeElement.textContent, Math.round(document.activeElement.getBoundingClientRect().top)].join(" at ")`
	eval[bool](b, `(document.querySelectorAll("tbody a[href^='#/tasks/']")[30].focus(), true)`)
	before := eval[string](b, place)
	b.until("see the new task", `document.querySelector("tbody a").textContent === %s`, task())
	if got := eval[string](b, place); got != before {
		t.Errorf("with a new task in the list the focus is on %s, want %s", got, before)
	}
	b.do(chromedp.KeyEvent(kb.Enter))
	b.sees("Events")
	if y := eval[int](b, "scrollY"); y != 0 {
		t.Errorf("the task is scrolled by %d pixels, want its beginning", y)
	}
	eval[bool](b, "(history.back(), true)")
	b.until("be back", `document.querySelector("h1").textContent === "Tasks"`)
	if got := eval[string](b, place); got != before {
		t.Errorf("back in the list the focus is on %s, want %s", got, before)
	}
	b.nothingWrong()
}

// TestTimesAreToldByNumbers has times of which words such as yesterday say something else.
func TestTimesAreToldByNumbers(t *testing.T) {
	b := open(t, start(t, t.TempDir()).HTTP, 1280, 800)
	eval[bool](b, `(import("/console/dom.js").then((m) => (window.dom = m)), true)`)
	b.until("have the module", "Boolean(window.dom)")
	for seconds, want := range map[int]string{0: "now", -90: "1m ago", -47 * 3600: "1d ago", -48 * 3600: "2d ago", 26 * 3600: "in 1d"} {
		if got := eval[string](b, fmt.Sprintf("dom.when(new Date(Date.now() + %d * 1000).toISOString()).textContent", seconds)); got != want {
			t.Errorf("a time %d seconds from now is told as %q, want %q", seconds, got, want)
		}
	}
}
