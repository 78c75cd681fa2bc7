package console_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestAWrongKeyIsSaidClearly tries keys that are none, and one that ends to be one.
func TestAWrongKeyIsSaidClearly(t *testing.T) {
	q := start(t, t.TempDir())
	b := open(t, q.HTTP, 1280, 800)
	b.signIn("quorate_dev_nothing")
	b.sees("TOKEN_INVALID")
	b.shot("wrong-key")
	b.signIn("Schlüssel")
	b.sees("That is no key")
	b.do(chromedp.KeyEvent(q.token + kb.Enter)) // takes the place of the wrong one
	b.sees("web-fetch")
	if at := eval[string](b, "location.href + document.cookie"); strings.Contains(at, q.token) {
		t.Errorf("the key is in the address %s", at)
	}
	b.goes("nowhere") // which asks for nothing, so that it is the next page that finds out
	eval[bool](b, `(sessionStorage.setItem("quorate.key", "quorate_dev_gone"), true)`)
	b.clicks("Tasks")
	b.sees("API key or token", "TOKEN_INVALID")
	b.nothingWrong()
}

// TestWhatWasTypedOutlivesTheKey has the key end while a task is described, and signs in with another of the same caller, and of another one.
func TestWhatWasTypedOutlivesTheKey(t *testing.T) {
	q := start(t, t.TempDir())
	b := open(t, q.HTTP+"/#/dispatch", 1280, 800)
	b.signIn(q.token)
	describe := func() {
		b.fills("Route", "skill")
		b.fills("Skill", "fetch_url")
		b.fills("Message", "Fetch a page that is described at length")
		eval[bool](b, `(sessionStorage.setItem("quorate.key", "quorate_dev_gone"), true)`)
		b.clicks("Dispatch")
		b.sees("API key or token", "TOKEN_INVALID")
	}
	message := func() string { return eval[string](b, `document.querySelector("#text").value`) }
	describe()
	b.signIn(q.token)
	b.sees("Fan-out") // so the skill's field is in sight
	if got := message(); got != "Fetch a page that is described at length" {
		t.Errorf("the message is %q after signing in again, want what was typed", got)
	}
	token := q.post(t, "/v1/agents/web-fetch:issueToken", map[string]any{})
	describe()
	b.signIn(token)
	b.sees("web-fetch · agent")
	if got := message(); got != "" {
		t.Errorf("another caller sees the message %q", got)
	}
	b.nothingWrong()
}

// newToken has the page of web-fetch make it a new token.
func (b *tab) newToken() string {
	b.t.Helper()
	b.clicks("New token…")
	b.clicks("Make it")
	b.sees("The token of web-fetch")
	token := eval[string](b, `document.querySelector("dialog pre").textContent`)
	b.clicks("Done")
	return token
}

// TestAKeyThatEndedIsRefusedWhenItIsTypedAgain signs in twice with the same token, which stands for nobody any more the second time.
func TestAKeyThatEndedIsRefusedWhenItIsTypedAgain(t *testing.T) {
	q := start(t, t.TempDir())
	b := open(t, q.HTTP+"/#/agents/web-fetch", 1280, 800)
	b.signIn(q.token)
	token := b.newToken()
	b.clicks("Sign out")
	b.signIn(token)
	b.sees("web-fetch · agent")
	b.clicks("Sign out")
	q.post(t, "/v1/agents/web-fetch:issueToken", map[string]any{})
	b.signIn(token)
	b.sees("TOKEN_INVALID")
	if !eval[bool](b, `document.querySelector("header").hidden && Boolean(document.querySelector(".sign-in"))`) {
		t.Errorf("signed in with a token that is none any more, the page says:\n%s", b.text())
	}
	b.nothingWrong()
}

// TestATabBesideIsSignedInToo opens a second tab, and signs both out in it.
func TestATabBesideIsSignedInToo(t *testing.T) {
	q := start(t, t.TempDir())
	b := open(t, q.HTTP, 1280, 800)
	b.signIn(q.token)
	b.sees("web-fetch")
	beside := newTab(t, b.ctx, q.HTTP+"/#/tasks")
	beside.sees("There is no task yet.")
	beside.clicks("Sign out")
	beside.sees("API key or token")
	b.sees("API key or token")
	if left := eval[int](b, "sessionStorage.length"); left > 0 {
		t.Errorf("%d things are left in the storage of the tab, want none", left)
	}
	b.nothingWrong()
}

// TestWhatARoleMayNotIsNotOffered signs in with the token of an agent, which may look, and change nothing but itself.
func TestWhatARoleMayNotIsNotOffered(t *testing.T) {
	q := start(t, t.TempDir())
	b := open(t, q.HTTP+"/#/agents/reviewer", 1280, 800)
	b.signIn(q.token)
	b.sees("admin · admin")
	b.clicks("New token…")
	b.clicks("Make it")
	b.sees("The token of reviewer")
	token := eval[string](b, `document.querySelector("dialog pre").textContent`)
	b.clicks("Done")
	b.clicks("Sign out")
	b.signIn(token)
	b.sees("reviewer · agent", "Read its card again")
	b.offersNone(map[string]string{"agents/web-fetch": "Last heard of", "tasks": "There is no task yet", "domains": "May this be read?"})
	b.shot("agent-signed-in")
	b.nothingWrong()
}

// TestAViewerIsOfferedNothingToChange looks at every place as a viewer.
func TestAViewerIsOfferedNothingToChange(t *testing.T) {
	url, admin, viewer := startServe(t)
	quorate{HTTP: url, token: admin}.post(t, "/v1/agents:register", map[string]any{"cardJson": hostileCard(t)})
	b := open(t, url, 1280, 800)
	b.signIn(admin)
	b.sees("ops · admin", "Register an agent")
	b.clicks("Sign out")
	b.signIn(viewer)
	b.sees("ann · viewer")
	b.offersNone(map[string]string{
		"agents": "hostile", "agents/hostile": "ETag", "register": "Your role may not do that.", "skills?skill=x": "No agent has it.", "tasks": "There is no task yet",
		"dispatch": "Where would it go?",
	})
	b.nothingWrong()
}

// offersNone looks for buttons that the caller's role could not use in each of places, once it sees what is there.
func (b *tab) offersNone(places map[string]string) {
	b.t.Helper()
	for place, sees := range places {
		b.goes(place)
		b.sees(sees)
		offered := eval[[]string](b, `[...document.querySelectorAll("main button, main a")].map((e) => e.innerText)`)
		for _, refused := range []string{
			"Register an agent", "Dispatch a task to it", "Drain…", "Read its card again", "New token…", "Delete…", "Register", "Dispatch a task for this skill", "Dispatch a task", "Dispatch", "Allow it",
		} {
			if slices.Contains(offered, refused) {
				b.t.Errorf("at %s there is %q, which the server would refuse", place, refused)
			}
		}
	}
}

// held has the page's calls whose address ends in a word wait until they are let go, with the status given then or with the server's answer.
const held = `((word, usual) => {
	const waiting = [];
	window.fetch = (url, options) => String(url).split("?")[0].endsWith(word) ? new Promise((resolve) => waiting.push(resolve)).then((status) =>
		status ? new Response(JSON.stringify({ message: "held" }), { status }) : usual(url, options)) : usual(url, options);
	window.waiting = waiting;
	window.letGo = (status) => { window.fetch = usual; waiting.forEach((resolve) => resolve(status)); return true; };
	return true;
})(%s, window.fetch)`

// TestAnAnswerToAnEarlierKeyEndsNoLaterSession signs out and in again while a call is under way, which is refused at last.
func TestAnAnswerToAnEarlierKeyEndsNoLaterSession(t *testing.T) {
	q := start(t, t.TempDir())
	b := open(t, q.HTTP+"/#/agents/web-fetch", 1280, 800)
	b.signIn(q.token)
	token := b.newToken()
	b.clicks("Sign out")
	b.signIn(token)
	b.sees("web-fetch · agent")
	eval[bool](b, held, ":refreshCard")
	b.clicks("Read its card again")
	b.until("call", "waiting.length === 1")
	b.clicks("Sign out")
	b.signIn(q.token)
	b.sees("admin · admin", "Last heard of")
	eval[bool](b, "letGo(401)")
	b.goes("tasks")
	b.sees("There is no task yet.")
	b.nothingWrong()
}

// TestAServerThatIsAwayIsSaidAndComesBack stops the server while a page is open, and starts it again on its data and its port.
func TestAServerThatIsAwayIsSaidAndComesBack(t *testing.T) {
	dir := t.TempDir()
	q := start(t, dir)
	b := open(t, q.HTTP, 1280, 800)
	b.signIn(q.token)
	b.sees("web-fetch")
	q.stop()
	b.sees("The connection is lost, so this may be old.")
	b.clicks("Tasks")
	b.sees("The server cannot be reached")
	q = start(t, dir)
	b.clicks("Try again")
	b.sees("There is no task yet.")
	b.clicks("Agents")
	b.sees("● available")
	q.post(t, "/v1/agents/web-fetch:drain", map[string]any{})
	b.sees("○ draining")
	b.nothingWrong()
}
