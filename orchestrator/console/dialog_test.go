package console_test

import "testing"

// TestATokenThatIsMadeIsShown closes the dialog while the answer is on its way: the agent's earlier token has ended by then.
func TestATokenThatIsMadeIsShown(t *testing.T) {
	q := start(t, t.TempDir())
	b := open(t, q.HTTP+"/#/agents/web-fetch", 1280, 800)
	b.signIn(q.token)
	for _, test := range []struct{ answer, sees string }{{"letGo()", "The token of web-fetch"}, {"letGo(503)", "held"}} {
		b.clicks("New token…")
		eval[bool](b, held, ":issueToken")
		b.clicks("Make it")
		b.until("call", "waiting.length === 1")
		eval[bool](b, `(document.querySelector("dialog").close(), true)`) // as Escape does
		b.until("close", `!document.querySelector("dialog")`)
		eval[bool](b, test.answer)
		b.sees(test.sees)
		eval[bool](b, `(document.querySelector("dialog")?.close(), true)`)
		b.until("close", `!document.querySelector("dialog")`)
	}
	b.nothingWrong()
}
