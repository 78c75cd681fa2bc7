package a2aedge_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"

	"github.com/quorate/quorate/platform/bounded"
)

// legacyMessage is a message as A2A 0.3 writes it.
func legacyMessage(text, more string) string {
	return fmt.Sprintf(`{"kind":"message","messageId":%q,"role":"user","parts":[{"kind":"text","text":%q}]%s}`, "m "+text, text, more)
}

// legacy calls a method of A2A 0.3, whose clients name no version.
func (w *world) legacy(t *testing.T, path, method, params string) answer {
	t.Helper()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q,"params":%s}`, method, params)
	return w.call(t, "POST", path, body, map[string]string{"A2A-Version": ""})
}

func TestAClientOf03IsServedInItsForm(t *testing.T) {
	w := newWorld(t)
	word := `,"metadata":{"` + taskExtension + `":{"route":{"agent":"echo"}}}`
	for path, more := range map[string]string{"/a2a": word, "/agents/echo": ""} {
		got := w.legacy(t, path, "message/send", `{"message":`+legacyMessage("hello", more)+`}`)
		var sent struct {
			ID     int
			Result struct {
				Kind, ID, ContextID string
				Status              struct{ State string }
				Artifacts           []struct{ Parts []struct{ Kind, Text string } }
				History             []struct{ Kind, Role string }
			}
		}
		if err := json.Unmarshal([]byte(got.body), &sent); err != nil {
			t.Fatalf("message/send at %s = %d %s", path, got.code, got.body)
		}
		task := sent.Result
		const want = "7: a task, completed, [{[{text hello}]}], [{message user}]"
		if said := fmt.Sprintf("%d: a %s, %s, %v, %v", sent.ID, task.Kind, task.Status.State, task.Artifacts, task.History); said != want || task.ContextID == "" {
			t.Errorf("message/send at %s = %s, in short %s, want %s", path, got.body, said, want)
		}
		got = w.legacy(t, path, "tasks/get", fmt.Sprintf(`{"id":%q,"historyLength":0}`, task.ID))
		if !strings.Contains(got.body, `"kind":"task"`) || !strings.Contains(got.body, `"state":"completed"`) || strings.Contains(got.body, `"history"`) {
			t.Errorf("tasks/get at %s = %s, want the task without history", path, got.body)
		}
	}
}

func TestAClientOf03IsRefusedInItsForm(t *testing.T) {
	w := newWorld(t)
	deep := strings.Repeat(`{"a":`, 200) + "1" + strings.Repeat("}", 200)
	push := `,"configuration":{"pushNotificationConfig":{"url":"https://example.com/"}}`
	for name, test := range map[string]struct {
		method, params string
		code           int
	}{
		"a task that is not there":     {"tasks/get", `{"id":"x"}`, -32001},
		"cancel what is not there":     {"tasks/cancel", `{"id":"x"}`, -32001},
		"follow what is not there":     {"tasks/resubscribe", `{"id":"x"}`, -32001},
		"no message":                   {"message/send", `{}`, -32602},
		"a part of no kind":            {"message/send", `{"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"smell"}]}}`, -32602},
		"what is nested too deep":      {"message/send", `{"message":` + legacyMessage("x", `,"metadata":`+deep) + `}`, -32602},
		"params of another type":       {"tasks/get", `{"id":5}`, -32602},
		"a receiver of notifications":  {"message/send", `{"message":` + legacyMessage("x", "") + push + `}`, -32003},
		"one of a task":                {"tasks/pushNotificationConfig/set", `{"taskId":"x","pushNotificationConfig":{"url":"https://example.com/"}}`, -32003},
		"the extended card":            {"agent/getAuthenticatedExtendedCard", `{}`, -32004},
		"a method that is not there":   {"tasks/list", `{}`, -32601},
		"an agent in the wrong tenant": {"message/stream", `{"message":` + legacyMessage("x", `,"taskId":"nothing"`) + `}`, -32001},
	} {
		got := w.legacy(t, "/agents/echo", test.method, test.params)
		if !strings.Contains(got.body, fmt.Sprintf(`"code":%d`, test.code)) || got.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %s = %d %s, want %d as plain JSON", name, test.method, got.code, got.body, test.code)
		}
	}
	got := w.legacy(t, "/agents/echo", "tasks/pushNotificationConfig/get", `{"id":"x"}`)
	if !strings.Contains(got.body, "push notifications are not supported in A2A 0.3; name their receiver in A2A 1.0") {
		t.Errorf("tasks/pushNotificationConfig/get = %s, want an error that says what to do", got.body)
	}
	got = w.legacy(t, "/agents/echo", "tasks/get", `{"id":5}`)
	if !strings.Contains(got.body, `the params are not those of A2A 0.3: \"id\" is of type number, where a string is expected`) {
		t.Errorf("tasks/get of 5 = %s, want an error in words of JSON", got.body)
	}
	got = w.call(t, "POST", "/agents/echo", `{"jsonrpc":"2.0","id":1,"method":"message/send","params":{}}`, nil)
	if !strings.Contains(got.body, `"code":-32601`) {
		t.Errorf("message/send in version 1.0 = %s, want -32601: it is none of its methods", got.body)
	}
	got = w.call(t, "POST", "/agents/echo", `{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"x"}}`, map[string]string{"A2A-Version": "", "Authorization": ""})
	if got.code != http.StatusUnauthorized {
		t.Errorf("tasks/get without a token = %d %s, want 401", got.code, got.body)
	}
}

// TestParamsOf03AreBoundedBeforeTheyAreRead sends more values than memory is good for.
func TestParamsOf03AreBoundedBeforeTheyAreRead(t *testing.T) {
	w := newWorld(t)
	many := `,"metadata":{"a":[` + strings.Repeat("0,", bounded.MaxValues) + `0]}`
	got := w.legacy(t, "/agents/echo", "message/send", `{"message":`+legacyMessage("x", many)+`}`)
	if !strings.Contains(got.body, "the params are not those of A2A 0.3: it has more than") {
		t.Errorf("message/send with many values = %d %.300s, want them refused", got.code, got.body)
	}
}

// TestDataThatIsNoObjectPassesBetweenVersions sends a list in one version and reads it back in both.
func TestDataThatIsNoObjectPassesBetweenVersions(t *testing.T) {
	w := newWorld(t)
	const legacyPart, part = `{"data":{"value":[1,"two"]},"kind":"data","metadata":{"data_part_compat":true}}`, `{"data":[1,"two"]}`
	sent := map[string]answer{
		"0.3": w.legacy(t, "/agents/echo", "message/send", `{"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":"x"},`+legacyPart+`]}}`),
		"1.0": w.call(t, "POST", "/agents/echo/message:send", `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"},`+part+`]}}`, nil),
	}
	for version, got := range sent {
		_, id, _ := strings.Cut(strings.ReplaceAll(got.body, " ", ""), `"id":"`)
		id, _, _ = strings.Cut(id, `"`)
		modern := w.call(t, "GET", "/agents/echo/tasks/"+id, "", nil)
		if !strings.Contains(strings.ReplaceAll(modern.body, " ", ""), part) {
			t.Errorf("sent in %s and read in 1.0 = %d %s, want the part %s", version, modern.code, modern.body, part)
		}
		old := w.legacy(t, "/agents/echo", "tasks/get", fmt.Sprintf(`{"id":%q}`, id))
		if !strings.Contains(old.body, `"data":{"value":[1,"two"]}`) || !strings.Contains(old.body, `"data_part_compat":true`) {
			t.Errorf("sent in %s and read in 0.3 = %d %s, want the part %s", version, old.code, old.body, legacyPart)
		}
	}
}

// legacyCard is what a card says in the words of A2A 0.3.
type legacyCard struct{ URL, ProtocolVersion, PreferredTransport string }

func (w *world) legacyCard(t *testing.T, path string, header map[string]string) (card legacyCard) {
	t.Helper()
	got := w.call(t, "GET", path, "", header)
	if err := json.Unmarshal([]byte(got.body), &card); err != nil || got.header.Values("Vary") == nil {
		t.Fatalf("GET %s = %d %s, %v, want a card that varies with its client's version", path, got.code, got.body, got.header)
	}
	return card
}

func TestACardHasTheWordsOf03ForThoseWhoAskInIt(t *testing.T) {
	w := newWorld(t)
	const path = "/.well-known/agent-card.json"
	for _, version := range []string{"", "1.0"} {
		if card := w.legacyCard(t, path, map[string]string{"A2A-Version": version}); card != (legacyCard{}) {
			t.Errorf("the card in version %q has %+v, want nothing but what A2A 1.0 knows", version, card)
		}
	}
	want := w.legacyCard(t, "/.well-known/agent.json", nil)
	if got := w.legacyCard(t, path, map[string]string{"A2A-Version": "0.3"}); got != want || got.URL != w.http+"/a2a" {
		t.Errorf("the card in version 0.3 has %+v and at the older path %+v, want both to say where", got, want)
	}
	for path, promised := range map[string]bool{path: true, "/.well-known/agent.json": false} { // receivers cannot be named in 0.3
		got := w.call(t, "GET", path, "", nil)
		capabilities, _ := got.object(t)["capabilities"].(map[string]any)
		if capabilities["pushNotifications"] != promised {
			t.Errorf("the card at %s has the capabilities %v, want pushNotifications %t", path, capabilities, promised)
		}
	}
}

// TestTheSDKsClientOf03 drives the door with a2a-go's own client of 0.3, as its card says.
func TestTheSDKsClientOf03(t *testing.T) {
	w := newWorld(t)
	card := w.legacyCard(t, "/agents/echo/.well-known/agent.json", nil)
	if card.URL != w.http+"/agents/echo" || card.ProtocolVersion != "0.3.0" || card.PreferredTransport != "JSONRPC" {
		t.Fatalf("the card says %+v to a client of 0.3, want JSONRPC at /agents/echo", card)
	}
	c := a2av0.NewJSONRPCTransport(a2av0.JSONRPCTransportConfig{URL: card.URL, Client: &http.Client{Transport: carrier{w.token}}})
	events := collect(t, c.SendStreamingMessage(w.ctx, nil, &a2a.SendMessageRequest{Message: text("sleep 60ms hello", nil)}))
	wantStream(t, events, a2a.TaskStateCompleted, "hello")
	sent, err := c.SendMessage(w.ctx, nil, &a2a.SendMessageRequest{Message: text("sleep 10m x", nil), Config: &a2a.SendMessageConfig{ReturnImmediately: true}})
	if err != nil {
		t.Fatalf("SendMessage() = %v", err)
	}
	id := sent.TaskInfo().TaskID
	next, stop := iter.Pull2(c.SubscribeToTask(w.ctx, nil, &a2a.SubscribeToTaskRequest{ID: id}))
	defer stop()
	if first, err, _ := next(); err != nil || first.TaskInfo().TaskID != id {
		t.Fatalf("SubscribeToTask() = %+v, %v, want task %s", first, err, id)
	}
	canceled, err := c.CancelTask(w.ctx, nil, &a2a.CancelTaskRequest{ID: id})
	if err != nil || canceled.Status.State != a2a.TaskStateCanceled {
		t.Errorf("CancelTask() = %+v, %v, want canceled", canceled, err)
	}
	if _, err := c.GetTask(w.ctx, nil, &a2a.GetTaskRequest{ID: "none"}); !errors.Is(err, a2a.ErrTaskNotFound) {
		t.Errorf("GetTask(none) = %v, want ErrTaskNotFound", err)
	}
}

// carrier puts a token into requests.
type carrier struct{ token string }

func (c carrier) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+c.token)
	return http.DefaultTransport.RoundTrip(r)
}

// TestAnEmptyFileOf03IsTaken has a client of A2A 0.3 send a file without content beside its text.
func TestAnEmptyFileOf03IsTaken(t *testing.T) {
	w := newWorld(t)
	const file = `{"kind":"file","file":{"name":"__init__.py","bytes":""}}`
	got := w.legacy(t, "/agents/echo", "message/send", `{"message":`+strings.Replace(legacyMessage("hello", ""), `"parts":[`, `"parts":[`+file+`,`, 1)+`}`)
	if !strings.Contains(got.body, `"state":"completed"`) || !strings.Contains(got.body, `"name":"__init__.py","bytes":""`) {
		t.Errorf("message/send of an empty file = %d %s, want it completed, with the file in the history", got.code, got.body)
	}
}

// TestOnlyTheUpdateThatEndsAStreamOf03IsFinal takes a stream up before and behind the wait of a task that has ended since: clients hang up after a final
// update.
func TestOnlyTheUpdateThatEndsAStreamOf03IsFinal(t *testing.T) {
	w := newWorld(t)
	word, err := json.Marshal(map[string]any{taskExtension: sensitive})
	if err != nil {
		t.Fatal(err)
	}
	first := w.legacy(t, "/agents/careful", "message/stream", `{"message":`+legacyMessage("hello", `,"metadata":`+string(word))+`}`)
	events := parse(t, first.body)
	wantOneFinal(t, events, "input-required")
	id, _ := events[0].result["id"].(string)
	waits := events[len(events)-1].id
	w.consult(t, a2a.TaskID(id))
	w.legacy(t, "/agents/careful", "tasks/resubscribe", fmt.Sprintf(`{"id":%q}`, id)) // until it has ended
	for _, after := range []string{events[0].id, waits} {
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":"tasks/resubscribe","params":{"id":%q}}`, id)
		again := w.call(t, "POST", "/agents/careful", body, map[string]string{"A2A-Version": "", "Last-Event-ID": after})
		wantOneFinal(t, parse(t, again.body), "completed")
	}
}

// wantOneFinal wants a final update in this state at the end of a stream, and no other.
func wantOneFinal(t *testing.T, events []event, state string) {
	t.Helper()
	for i, e := range events {
		status, _ := e.result["status"].(map[string]any)
		final, last := e.result["final"] == true, i == len(events)-1
		if final != last || last && status["state"] != state {
			t.Errorf("event %d of %d is %v, want the last one to be final and %s", i+1, len(events), e.result, state)
		}
	}
}

// TestAWrongRoleIsNamedInTheWordsOfEachVersion has clients take the role of the other version, which is not known in theirs.
func TestAWrongRoleIsNamedInTheWordsOfEachVersion(t *testing.T) {
	w := newWorld(t)
	for name, got := range map[string]answer{
		"user in 1.0":      w.call(t, "POST", "/agents/echo/message:send", `{"message":{"messageId":"m","role":"user","parts":[{"text":"x"}]}}`, nil),
		"ROLE_USER in 0.3": w.legacy(t, "/agents/echo", "message/send", `{"message":`+strings.Replace(legacyMessage("x", ""), `"user"`, `"ROLE_USER"`, 1)+`}`),
	} {
		if !strings.Contains(got.body, "ROLE_INVALID") || !strings.Contains(got.body, "has the role ROLE_USER, or user in A2A 0.3") {
			t.Errorf("%s: %d %s, want the role that a message has in each version", name, got.code, got.body)
		}
	}
}

// TestAStreamThatPassedIsFinalWhenItsAgentAsks has a call of 0.3 pass to an agent that asks something, which says nothing of Quorate in its stream.
func TestAStreamThatPassedIsFinalWhenItsAgentAsks(t *testing.T) {
	w := newWorld(t, passAll)
	w.addAsker(t, "asker", nil)
	got := w.legacy(t, "/agents/asker", "message/stream", `{"message":`+legacyMessage("a shirt", "")+`}`)
	wantOneFinal(t, parse(t, got.body), "input-required")
	if strings.Contains(got.body, taskExtension) {
		t.Errorf("message/stream = %d %s, want the agent's own updates", got.code, got.body)
	}
}
