package console_test

import (
	"strings"
	"testing"
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
	b.signIn(q.token)
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

// TestARoleThatMayNotIsToldSo signs in with the token of an agent, which may look and do nothing to others.
func TestARoleThatMayNotIsToldSo(t *testing.T) {
	q := start(t, t.TempDir())
	b := open(t, q.HTTP+"/#/agents/reviewer", 1280, 800)
	b.signIn(q.token)
	b.clicks("New token…")
	b.clicks("Make it")
	b.sees("The token of reviewer")
	token := eval[string](b, `document.querySelector("dialog pre").textContent`)
	b.clicks("Done")
	b.clicks("Sign out")
	b.signIn(token)
	b.sees("Read its card again")
	b.goes("agents/web-fetch")
	b.clicks("Drain…")
	b.clicks("Drain")
	b.sees("Reason: ROLE_MISSING")
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
	b.clicks("Agents")
	b.sees("● available")
	q.post(t, "/v1/agents/web-fetch:drain", map[string]any{})
	b.sees("○ draining")
	b.nothingWrong()
}
