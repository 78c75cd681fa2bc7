package console_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/quorate/quorate/orchestrator/dev"
)

// TestAnAgentThatComesBackIsNotStruckOut deletes an agent and registers it again while the list is open.
func TestAnAgentThatComesBackIsNotStruckOut(t *testing.T) {
	q := start(t, t.TempDir())
	register := func() { q.post(t, "/v1/agents:register", map[string]any{"cardJson": hostileCard(t)}) }
	register()
	b := open(t, q.HTTP, 1280, 800)
	b.signIn(q.token)
	b.sees("hostile")
	q.post(t, "/v1/agents/reviewer:drain", map[string]any{})
	b.sees("○ draining") // so it follows
	eval[bool](b, `(fetch("/v1/agents/hostile", { method: "DELETE", headers: { Authorization: "Bearer " + sessionStorage.getItem("quorate.key") } }), true)`)
	b.sees("hostile is deleted.")
	register()
	b.until("come back", `document.querySelectorAll("tbody tr").length === 3 && !document.querySelector("tr.gone")`)
	b.until("say no more that it is deleted", `!document.body.innerText.includes("is deleted")`)
	b.nothingWrong()
}

// TestAnAgentIsDeletedUntilItComesBack looks at an agent that is deleted and registered again, without what asks for it now and then.
func TestAnAgentIsDeletedUntilItComesBack(t *testing.T) {
	q := start(t, t.TempDir())
	register := func() { q.post(t, "/v1/agents:register", map[string]any{"cardJson": hostileCard(t)}) }
	register()
	b := open(t, q.HTTP, 1280, 800)
	b.signIn(q.token)
	eval[bool](b, `((usual) => ((window.setTimeout = (act, wait) => (wait === 10_000 ? 0 : usual(act, wait))), true))(setTimeout)`)
	b.goes("agents/hostile")
	q.post(t, "/v1/agents/hostile:drain", map[string]any{})
	b.sees("○ draining") // so it follows
	eval[bool](b, `(fetch("/v1/agents/hostile", { method: "DELETE", headers: { Authorization: "Bearer " + sessionStorage.getItem("quorate.key") } }), true)`)
	b.sees("This agent is deleted.")
	register()
	b.until("say no more that it is deleted", `!document.body.innerText.includes("is deleted")`)
	b.sees("Drain…")
	b.nothingWrong()
}

// TestAListIsAskedForAgain asks for the same agents twice, among which there is another one the second time.
func TestAListIsAskedForAgain(t *testing.T) {
	q := start(t, t.TempDir())
	b := open(t, q.HTTP+"/#/agents?filter=name%3Dhostile", 1280, 800)
	b.signIn(q.token)
	b.sees("No agent passes this filter.")
	q.post(t, "/v1/agents:register", map[string]any{"cardJson": hostileCard(t)})
	b.clicks("Show")
	b.until("see the agent", `document.querySelectorAll("tbody tr").length === 1`)
	b.nothingWrong()
}

// TestAnAgentGetsAnotherNameThanItsCard registers a card whose name no agent can have.
func TestAnAgentGetsAnotherNameThanItsCard(t *testing.T) {
	q := start(t, t.TempDir())
	b := open(t, q.HTTP+"/#/register", 1280, 800)
	b.signIn(q.token)
	b.fills("or the card", strings.Replace(hostileCard(t), `"hostile"`, `"Route Planner"`, 1))
	b.clicks("Only check")
	b.sees("can be registered under another name")
	b.fills("Name", "route-planner")
	b.clicks("Register")
	b.sees("Registered: route-planner")
	b.goes("agents/route-planner")
	b.sees("Route Planner")
	b.nothingWrong()
}

// TestAMisspeltRuleIsNamedWithoutAPlace registers rules with a field that there is not. Its place in the body of the request is none in the form.
func TestAMisspeltRuleIsNamedWithoutAPlace(t *testing.T) {
	q := start(t, t.TempDir())
	b := open(t, q.HTTP+"/#/register", 1280, 800)
	b.signIn(q.token)
	b.fills("or the card", hostileCard(t))
	b.fills("Inputs, outputs and rules", "{\n\"consultationRule\": []\n}")
	b.clicks("Register")
	b.sees(`metadata.consultationRule: unknown field "consultationRule"; AgentMetadata has inputSchemas, `)
	if text := b.text(); strings.Contains(text, "body") || strings.Contains(text, "line 1:") {
		t.Errorf("the form says %s, want no place in a body that nobody sees", text)
	}
	b.nothingWrong()
}

// TestWhatAButtonSaysStays reads a card again that has changed, which changes what the buttons are about.
func TestWhatAButtonSaysStays(t *testing.T) {
	q := start(t, t.TempDir())
	var again atomic.Bool
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		card := hostileCard(t)
		if again.Swap(true) {
			card = strings.Replace(card, `"1.0.0"`, `"1.1.0"`, 1)
		}
		_, _ = io.WriteString(w, card)
	}))
	defer site.Close()
	q.post(t, "/v1/agents:register", map[string]any{"cardUri": site.URL + "/card.json"})
	b := open(t, q.HTTP+"/#/agents/hostile", 1280, 800)
	b.signIn(q.token)
	b.clicks("Read its card again")
	b.sees("1.1.0", "2 of 2", "Its card is read.")
	b.nothingWrong()
}

// TestAPressedButtonKeepsTheFocus presses buttons by keyboard: one that another takes the place of, and one whose request is refused.
func TestAPressedButtonKeepsTheFocus(t *testing.T) {
	q := start(t, t.TempDir())
	q.post(t, "/v1/agents/web-fetch:drain", map[string]any{})
	b := open(t, q.HTTP+"/#/agents/web-fetch", 1280, 800)
	b.signIn(q.token)
	press := func(button string) {
		b.until("find "+button, "Boolean("+named+")", button)
		eval[bool](b, "("+named+".focus(), true)", button)
		b.do(chromedp.KeyEvent(kb.Enter))
	}
	press("Resume")
	b.sees("It gets tasks again.", "Drain…")
	b.until("have the focus on what came instead", `document.activeElement.innerText === "Drain…"`)
	b.goes("register")
	press("Only check")
	b.sees("Give either the URL of the card or the card.")
	b.until("have the focus where it was", `document.activeElement.innerText === "Only check"`)
	b.nothingWrong()
}

// TestAChangeThatWaitsIsApproved has an agent move, and an admin look at that.
func TestAChangeThatWaitsIsApproved(t *testing.T) {
	cfg := dev.DefaultConfig()
	cfg.Agents.CardChanges = "confirm"
	q := startWith(t, t.TempDir(), cfg)
	card := hostileCard(t)
	q.post(t, "/v1/agents:register", map[string]any{"cardJson": card})
	itself := q
	itself.token = q.post(t, "/v1/agents/hostile:issueToken", map[string]any{})
	itself.post(t, "/v1/agents:apply", map[string]any{"cardJson": strings.Replace(card, "127.0.0.1:1/", "127.0.0.1:2/", 1)})
	b := open(t, q.HTTP, 1280, 800)
	b.signIn(q.token)
	b.sees("reviewer", "1.0.0 (a change waits)")
	b.clicks("with a change that waits")
	b.until("see no other agent", `document.querySelectorAll("tbody tr").length === 1`)
	b.clicks("hostile")
	b.sees("Waits for approval", "card.supportedInterfaces[0].url", "127.0.0.1:2/")
	b.do(chromedp.EmulateViewport(360, 740)) // where each value has its column's name beside it
	if covering := eval[[]string](b, coveringLabels); len(covering) > 0 {
		t.Errorf("on a narrow screen %q cover what is below them", covering)
	}
	b.clicks("Approve")
	b.sees("The change is in force.", "INTERFACE_REMOVED", "2 of 2")
	b.until("say no more that it waits", `!document.body.innerText.includes("Waits for approval")`)
	b.nothingWrong()
}

// coveringLabels lists the names of columns, beside values, that are higher than the cell that they stand in.
const coveringLabels = `[...document.querySelectorAll("td")].filter((td) => parseFloat(getComputedStyle(td, "::before").height) > td.clientHeight).map((td) => td.dataset.label)`

// TestAnErrorIsSaidOnce asks for agents by a field that there is not, which the message and the field's violation both tell.
func TestAnErrorIsSaidOnce(t *testing.T) {
	q := start(t, t.TempDir())
	b := open(t, q.HTTP+"/#/agents?filter=colour%3Dred", 1280, 800)
	b.signIn(q.token)
	b.sees("FILTER_INVALID")
	if got := strings.Count(b.text(), "there is no field"); got != 1 {
		t.Errorf("the view says %d times that there is no such field, want once: %s", got, b.text())
	}
	b.sees("filter")
}
