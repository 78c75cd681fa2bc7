package console_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
)

// markup would run a script wherever it is taken for markup.
const markup = `"'><img src=x onerror=owned()><script>owned()</script><svg onload=owned()>`

// hostileCard has markup in every text, and addresses that run a script when they are followed.
func hostileCard(t *testing.T) string {
	t.Helper()
	b, err := json.Marshal(map[string]any{
		"name": "hostile", "description": markup, "version": "1.0.0",
		"documentationUrl": "javascript:owned()", "iconUrl": "javascript:owned()",
		"provider":            map[string]any{"organization": markup, "url": "javascript:owned()"},
		"capabilities":        map[string]any{},
		"securitySchemes":     map[string]any{markup: map[string]any{"httpAuthSecurityScheme": map[string]any{"scheme": "bearer", "description": markup}}},
		"supportedInterfaces": []any{map[string]any{"url": "http://127.0.0.1:1/" + markup, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}},
		"defaultInputModes":   []any{"text/plain"}, "defaultOutputModes": []any{"text/plain"},
		"skills": []any{map[string]any{"id": markup, "name": markup, "description": markup, "tags": []any{markup}, "examples": []any{markup}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// metadata has markup in every text that a rule of the API does not bind.
func metadata(t *testing.T) string {
	t.Helper()
	b, err := json.Marshal(map[string]any{
		"inputSchemas": []any{map[string]any{
			"name": markup, "semanticType": "reference", "description": markup,
			"validationRules": []any{map[string]any{"type": "enum", "value": []any{markup}, "message": markup}},
		}},
		"outputSchemas": []any{map[string]any{"name": markup, "semanticType": "document", "description": markup}},
		"consultationRequirements": []any{map[string]any{
			"id": "r", "targetAgent": "reviewer", "phase": "pre-execution", "mandatory": true,
			"condition": map[string]any{"attribute": markup, "operator": "equals", "value": markup},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestWhatStrangersWriteIsText registers an agent whose card is markup and scripts, has it say more of that, and looks at it in every view.
func TestWhatStrangersWriteIsText(t *testing.T) {
	q := start(t, t.TempDir())
	b := open(t, q.HTTP+"/#/register", 1280, 800)
	b.signIn(q.token)
	b.fills("or the card", hostileCard(t))
	b.fills("Inputs, outputs and rules", metadata(t))
	b.clicks("Only check")
	b.sees("Nothing is written.", markup)
	b.clicks("Register")
	b.sees("Registered: hostile")
	b.nothingWrong()
	q.post(t, "/v1/agents/hostile:heartbeat", map[string]any{"status": "error", "errorMessage": markup})
	task := q.post(t, "/v1/tasks", map[string]any{
		"message": map[string]any{"parts": []any{map[string]any{"text": markup}, map[string]any{"data": map[string]any{markup: markup}}, map[string]any{"url": "javascript:owned()"}}},
		"route":   map[string]any{"agent": "reviewer"}, "attributes": map[string]any{markup: markup},
	})
	for place, sees := range map[string]string{
		"agents": markup, "agents/hostile": markup, "skills": markup, "tasks": "reviewer", "dispatch": "Message", "domains": "Allowed domains",
		"skills?" + url.Values{"skill": {markup}}.Encode(): "hostile", "agents?" + url.Values{"filter": {markup}}.Encode(): "Reason:",
		"tasks/" + task: markup, "tasks/" + url.PathEscape(markup): markup, "agents/" + url.PathEscape(markup): markup,
	} {
		b.goes(place)
		b.sees(sees)
		b.nothingWrong()
		if n := eval[int](b, `document.querySelectorAll("main img, main script, main svg, [href^=javascript]").length`); n > 0 {
			t.Errorf("%d elements came out of texts at %s", n, place)
		}
	}
}

// TestWhatConcealsIsSeen has texts that a browser would show in another order than programs read them, or not at all.
func TestWhatConcealsIsSeen(t *testing.T) {
	q := start(t, t.TempDir())
	const turned, unseen = "invoice\u202egpj.exe", "fine\U000e0041\x00"
	task := q.post(t, "/v1/tasks", map[string]any{
		"message":    map[string]any{"parts": []any{map[string]any{"text": unseen, "filename": turned}, map[string]any{"data": map[string]any{"a": turned}}}},
		"route":      map[string]any{"agent": "reviewer"},
		"attributes": map[string]any{"a": turned},
	})
	b := open(t, q.HTTP+"/#/tasks/"+task, 1280, 800)
	b.signIn(q.token)
	b.sees(`a="invoice\u202egpj.exe"`, `"a": "invoice\u202egpj.exe"`, `fine\u{e0041}\u0000`)
	if text := b.text(); strings.ContainsAny(text, "\u202e\U000e0041\x00") {
		t.Errorf("the page has characters that conceal: %q", text)
	}
	b.nothingWrong()
}
