package console_test

import "testing"

// TestAnAgentThatComesBackIsNotStruckOut deletes an agent and registers it again while the list is open.
func TestAnAgentThatComesBackIsNotStruckOut(t *testing.T) {
	q := start(t, t.TempDir())
	register := func() { q.post(t, "/v1/agents:register", map[string]any{"cardJson": hostileCard(t)}) }
	register()
	b := open(t, q.HTTP, 1280, 800)
	b.signIn(q.token)
	b.sees("hostile")
	eval[bool](b, `(fetch("/v1/agents/hostile", { method: "DELETE", headers: { Authorization: "Bearer " + sessionStorage.getItem("quorate.key") } }), true)`)
	b.sees("hostile is deleted.")
	register()
	b.until("come back", `document.querySelectorAll("tbody tr").length === 3 && !document.querySelector("tr.gone")`)
	b.until("say no more that it is deleted", `!document.body.innerText.includes("is deleted")`)
	b.nothingWrong()
}
