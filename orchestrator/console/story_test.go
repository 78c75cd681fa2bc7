package console_test

import (
	"testing"
)

// TestAnAdminsDay signs in, looks at an agent, drains it and has it resume, asks where a task would go, dispatches one that a gate holds, has the
// reviewer consulted, and cancels another.
func TestAnAdminsDay(t *testing.T) {
	q := start(t, t.TempDir())
	b := open(t, q.HTTP, 1280, 800)
	b.sees("API key or token")
	b.shot("sign-in")
	b.signIn(q.token)
	b.sees("web-fetch", "reviewer", "● available")
	b.shot("agents")

	b.clicks("web-fetch")
	b.sees("Reads a web page", "sensitive-data-review", "The main content of the page.")
	b.shot("agent")
	b.clicks("Drain…")
	b.fills("Why", "maintenance")
	b.clicks("Drain")
	b.sees("○ draining", "maintenance")
	b.clicks("Resume")
	b.sees("● available", "Drain…")

	b.clicks("Dispatch a task to it")
	b.fills("Message", "Fetch "+q.DemoSite+"/article")
	b.fills("Attributes", "handling_sensitive_data=true")
	b.clicks("Where would it go?")
	b.sees("Chosen: web-fetch")
	b.shot("dispatch")
	b.clicks("Dispatch")
	b.sees("✕ blocked", "CONSULTATION_MISSING", "artifacts: 1, until the gate opens", "gate pre-completion is closed")
	b.shot("gate")
	b.clicks("Have reviewer consulted")
	b.sees("● completed", "● approved recorded by reviewer", "How a quorum decides")
	b.shot("completed")

	b.clicks("Tasks")
	b.clicks("Dispatch a task")
	b.fills("Route", "skill")
	b.fills("Skill", "fetch_url")
	b.fills("Message", "Fetch "+q.DemoSite+"/slow?seconds=30")
	b.clicks("Dispatch")
	b.sees("◐ working")
	b.clicks("Cancel…")
	b.until("have the focus on what does nothing", `document.activeElement.innerText === "Leave it"`)
	b.clicks("Cancel it")
	b.sees("○ canceled")
	b.nothingWrong()
	b.clicks("Tasks")
	b.sees("○ canceled", "● completed")
	b.shot("tasks")
	b.clicks("blocked")
	b.sees("No task passes this filter.")
	b.fills("Filter", "blocked=perhaps")
	b.clicks("Show")
	b.sees("Reason:")
	b.until("find the filter as it was", `document.querySelector("#filter").value === "blocked=perhaps"`)
	b.nothingWrong()
}
