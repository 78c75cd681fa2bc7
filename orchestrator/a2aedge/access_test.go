package a2aedge_test

import (
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"

	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
)

// TestWhatACallerMayNotSeeDoesNotExist looks at the admin's tasks with the credential of an agent.
func TestWhatACallerMayNotSeeDoesNotExist(t *testing.T) {
	w := newWorld(t)
	issued, err := registryv1.NewRegistryServiceClient(w.conn).IssueAgentToken(w.ctx, &registryv1.IssueAgentTokenRequest{Name: "echo"})
	if err != nil {
		t.Fatalf("IssueAgentToken() = %v", err)
	}
	as := map[string]string{"Authorization": "Bearer " + issued.GetToken()}
	c := w.client(t, "/agents/careful", a2a.TransportProtocolGRPC)
	foreign := string(send(t, w, c, &a2a.SendMessageRequest{Message: text("x", nil)}).ID)
	own := string(send(t, w, w.client(t, "/agents/echo", a2a.TransportProtocolGRPC), &a2a.SendMessageRequest{Message: text("y", nil)}).ID)

	for _, path := range []string{"/a2a/tasks/" + foreign, "/a2a/tasks/" + foreign + ":subscribe"} {
		hidden, absent := w.call(t, "GET", path, "", as), w.call(t, "GET", strings.Replace(path, foreign, "absent", 1), "", as)
		if hidden.code != 404 || strings.ReplaceAll(hidden.body, foreign, "absent") != absent.body {
			t.Errorf("GET %s = %d %s, want just what an absent task gets: %s", path, hidden.code, hidden.body, absent.body)
		}
	}
	if got := w.call(t, "GET", "/a2a/tasks/"+own, "", as); got.code != 200 {
		t.Errorf("the task that it executes: %d %s, want 200", got.code, got.body)
	}
	list := w.call(t, "GET", "/a2a/tasks", "", as)
	if strings.Contains(list.body, foreign) || !strings.Contains(list.body, `"totalSize":1`) {
		t.Errorf("the list = %s, want its own task only", list.body)
	}
	body := `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}`
	if got := w.call(t, "POST", "/agents/careful/message:send", body, as); got.code != 403 || !strings.Contains(got.body, "ROLE_MISSING") {
		t.Errorf("a message from an agent: %d %s, want 403", got.code, got.body)
	}
	stream := w.call(t, "POST", "/agents/careful", `{"jsonrpc":"2.0","id":1,"method":"SendStreamingMessage","params":`+body+`}`, as)
	if stream.code != 403 || stream.header.Get("Content-Type") != "application/json" || !strings.Contains(stream.body, `"code":-31403`) {
		t.Errorf("a stream for an agent: %d %s %s, want 403 as plain JSON", stream.code, stream.header.Get("Content-Type"), stream.body)
	}
}

// TestAnAgentDoesNotGetItsMessageBeforeTheReview reads tasks with the credential of their agent: while one waits for its reviewer, when it was
// canceled there, and when the reviewer has approved.
func TestAnAgentDoesNotGetItsMessageBeforeTheReview(t *testing.T) {
	w := newWorld(t)
	w.addEcho(t, "screened", &registryv1.AgentMetadata{ConsultationRequirements: []*registryv1.ConsultationRequirement{{
		Id: "review", TargetAgent: "reviewer", Phase: "pre-execution", Mandatory: new(true),
	}}})
	issued, err := registryv1.NewRegistryServiceClient(w.conn).IssueAgentToken(w.ctx, &registryv1.IssueAgentTokenRequest{Name: "screened"})
	if err != nil {
		t.Fatalf("IssueAgentToken() = %v", err)
	}
	c, agent := w.client(t, "/agents/screened", a2a.TransportProtocolGRPC), map[string]string{"Authorization": "Bearer " + issued.GetToken()}
	const secret = "nothing to object to"
	held := string(send(t, w, c, &a2a.SendMessageRequest{Message: text(secret, nil)}).ID)
	want := func(id string, headers map[string]string, shown bool) {
		t.Helper()
		for _, path := range []string{"/a2a/tasks/" + id, "/a2a/tasks?contextId=" + id, "/v1/tasks/" + id, "/v1/tasks/" + id + ":watch"} {
			got := w.call(t, "GET", path, "", headers)
			if !strings.Contains(got.body, id) || strings.Contains(got.body, secret) != shown {
				t.Errorf("GET %s = %d %s, want the task, with its message: %t", path, got.code, got.body, shown)
			}
		}
	}
	want(held, nil, true)
	want(held, agent, false)
	if got := w.call(t, "POST", "/a2a/tasks/"+held+":cancel", "", nil); got.code != 200 {
		t.Fatalf("CancelTask() = %d %s", got.code, got.body)
	}
	want(held, agent, false)

	approved := send(t, w, c, &a2a.SendMessageRequest{Message: text(secret, nil)}).ID
	w.consult(t, approved)
	w.call(t, "GET", "/v1/tasks/"+string(approved)+":watch?throughGates=true", "", nil)
	want(string(approved), agent, true)
}

// TestARetryGetsTheFirstTask sends the same request id twice, then with other words.
func TestARetryGetsTheFirstTask(t *testing.T) {
	w := newWorld(t)
	c := w.client(t, "/agents/echo", a2a.TransportProtocolHTTPJSON)
	m := text("once", map[string]any{"requestId": "r-1"})
	first, again := send(t, w, c, &a2a.SendMessageRequest{Message: m}), send(t, w, c, &a2a.SendMessageRequest{Message: m})
	if first.ID != again.ID {
		t.Errorf("the retry made task %s, want %s", again.ID, first.ID)
	}
	events := collect(t, c.SendStreamingMessage(w.ctx, &a2a.SendMessageRequest{Message: m}))
	if task, ok := events[0].(*a2a.Task); !ok || len(events) != 1 || task.ID != first.ID {
		t.Errorf("the retry as a stream = %v, want the ended task alone", events)
	}
	if _, err := c.SendMessage(w.ctx, &a2a.SendMessageRequest{Message: text("other", map[string]any{"requestId": "r-1"})}); err == nil || !strings.Contains(err.Error(), "r-1") {
		t.Errorf("other words under the same id = %v, want an error that names the id", err)
	}
}

// TestTheMessagesMetadataSaysWhereItGoes names a skill and wants one of the agents that have it.
func TestTheMessagesMetadataSaysWhereItGoes(t *testing.T) {
	w := newWorld(t)
	c := w.client(t, "", a2a.TransportProtocolJSONRPC)
	got := send(t, w, c, &a2a.SendMessageRequest{Message: text("hello", map[string]any{"route": map[string]any{"skill": "echo"}})})
	word, _ := got.Metadata[taskExtension].(map[string]any)
	if agent := word["agent"]; agent != "echo" && agent != "careful" || word["skill"] != "echo" {
		t.Errorf("metadata = %v, want echo or careful, by the skill echo", word)
	}
}

// TestAVersionCountsBehindAnAgentsDoor has the metadata say more of the agent that the tenant names.
func TestAVersionCountsBehindAnAgentsDoor(t *testing.T) {
	w := newWorld(t)
	c := w.client(t, "/agents/echo", a2a.TransportProtocolJSONRPC)
	route := func(version string) *a2a.SendMessageRequest {
		return &a2a.SendMessageRequest{Message: text("hello", map[string]any{"route": map[string]any{"agent": "echo", "version": version}})}
	}
	send(t, w, c, route(">=0"))
	if got, err := c.SendMessage(w.ctx, route(">=99")); err == nil || !strings.Contains(err.Error(), "99") {
		t.Errorf("SendMessage(to another version of echo) = %v, %v, want a refusal that names the range", got, err)
	}
}

// TestAMessageWithoutARouteFindsItsAgentByItsWords leaves it to the router.
func TestAMessageWithoutARouteFindsItsAgentByItsWords(t *testing.T) {
	w := newWorld(t)
	c := w.client(t, "", a2a.TransportProtocolHTTPJSON)
	got := send(t, w, c, &a2a.SendMessageRequest{Message: text("Answer the text back as an artifact", nil)})
	if word, _ := got.Metadata[taskExtension].(map[string]any); word["agent"] != "echo" && word["agent"] != "careful" {
		t.Errorf("the message went to %v, want echo or careful", word["agent"])
	}
}
