package legacy

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	old "github.com/a2aproject/a2a-go/a2a"
)

// repaired returns an agent's answer with what a2a-go's types cannot read in the form that 0.3 prescribes: objects without their kind, states and roles in
// the words of 1.0, statuses whose message is only a text, and times without a zone, which are dropped. Servers in use answer so, such as those of
// inference-gateway's ADK 0.26 and of Reactive Agents 0.9. What is no JSON stays.
func repaired(raw []byte) []byte {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var value any
	if d.Decode(&value) != nil {
		return raw
	}
	repair(value)
	fixed, err := json.Marshal(value)
	if err != nil {
		return raw
	}
	return fixed
}

func repair(value any) {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			repair(item)
		}
	case map[string]any:
		if _, ok := v["kind"]; !ok {
			if kind := kindOf(v); kind != "" {
				v["kind"] = kind
			}
		}
		if state, ok := v["state"].(string); ok {
			v["state"] = strings.ReplaceAll(strings.TrimPrefix(strings.ToLower(state), "task_state_"), "_", "-")
			if text, ok := v["message"].(string); ok {
				v["message"] = map[string]any{"role": "agent", "parts": []any{map[string]any{"text": text}}}
			}
		}
		if role, ok := v["role"].(string); ok {
			v["role"] = strings.TrimPrefix(strings.ToLower(role), "role_")
		}
		if at, ok := v["timestamp"]; ok && !isTime(at) {
			delete(v, "timestamp")
		}
		for key, item := range v {
			if key != "data" && key != "metadata" { // which may hold anything
				repair(item)
			}
		}
	}
}

// kindOf returns the kind of an event, a message or a part by what it has, or "".
func kindOf(v map[string]any) string {
	has := func(key string) bool { return v[key] != nil }
	switch {
	case has("status") && has("taskId"):
		return "status-update"
	case has("artifact"):
		return "artifact-update"
	case has("status") && has("id"):
		return "task"
	case has("parts") && has("role"):
		return "message"
	}
	for _, content := range []string{"text", "file", "data"} {
		if has(content) {
			return content
		}
	}
	return ""
}

func isTime(value any) bool {
	text, _ := value.(string)
	_, err := time.Parse(time.RFC3339, text)
	return err == nil
}

// isKnown reports whether 0.3 has the state or the role in an event.
func isKnown(e old.Event) bool {
	switch said := e.(type) {
	case *old.Task:
		return knownStates[said.Status.State]
	case *old.TaskStatusUpdateEvent:
		return knownStates[said.Status.State]
	case *old.Message:
		return said.Role == old.MessageRoleAgent || said.Role == old.MessageRoleUser
	}
	return true
}

var knownStates = map[old.TaskState]bool{
	old.TaskStateSubmitted: true, old.TaskStateWorking: true, old.TaskStateInputRequired: true, old.TaskStateAuthRequired: true, old.TaskStateCompleted: true,
	old.TaskStateCanceled: true, old.TaskStateFailed: true, old.TaskStateRejected: true, old.TaskStateUnknown: true, old.TaskStateUnspecified: true,
}
