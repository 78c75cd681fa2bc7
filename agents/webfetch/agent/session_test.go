package agent_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/quorate/quorate/agents/kit/kittest"
	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/agents/webfetch/agent"
	"github.com/quorate/quorate/platform/netguard"
)

func TestASessionBelongsToItsConversation(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		if c, err := r.Cookie("id"); err == nil {
			_, _ = io.WriteString(w, c.Value)
			return
		}
		http.SetCookie(w, &http.Cookie{Name: "id", Value: "known"})
		_, _ = io.WriteString(w, "nobody")
	}))
	defer site.Close()
	host := site.Listener.Addr().String()
	f, err := webfetch.New(webfetch.Options{Policy: &netguard.Policy{AllowOrigins: []string{host}}, AllowedHosts: []string{host}, IgnoreRobots: true})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c := kittest.Run(t, agent.NewConfig(f, agent.Options{}))
	ask := func(contextID string) (answer, conversation string) {
		t.Helper()
		message := says(a2a.NewDataPart(map[string]any{"url": site.URL, "session": "s"}))
		message.ContextID = contextID
		task, _ := send(t, c, message)
		if len(task.Artifacts) != 1 {
			t.Fatalf("task = %s: %s, want an artifact", task.Status.State, status(task))
		}
		return task.Artifacts[0].Parts[0].Text(), task.ContextID
	}
	first, conversation := ask("")
	if first != "nobody" {
		t.Errorf("the first message reads %q, want nobody", first)
	}
	if same, _ := ask(conversation); same != "known" {
		t.Errorf("a second message in the conversation reads %q, want known", same)
	}
	if other, _ := ask(""); other != "nobody" {
		t.Errorf("a message that begins another conversation reads %q, want nobody", other)
	}
}
