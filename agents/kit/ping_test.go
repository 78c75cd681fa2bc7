package kit_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/quorate/quorate/agents/kit"
	"github.com/quorate/quorate/platform/auth"
)

// The health check of Amazon Bedrock AgentCore's runtime shows no token.
func TestAPingSaysWhetherTheAgentIsAtWork(t *testing.T) {
	t.Parallel()
	before := time.Now().Unix()
	working, finish := make(chan struct{}), make(chan struct{})
	agent, _ := start(t, kit.Config{Handler: func(ctx context.Context, _ *kit.Task) error {
		close(working)
		select {
		case <-finish:
		case <-ctx.Done():
		}
		return nil
	}, Callers: func() auth.Secret { return callersToken }})
	ping := func(want string) {
		t.Helper()
		got := fetch(t, http.MethodGet, agent.URL()+"/ping", nil, nil)
		var health struct {
			Status string
			Since  int64 `json:"time_of_last_update"`
		}
		if err := json.Unmarshal([]byte(got.body), &health); err != nil || got.code != http.StatusOK || got.header.Get("Content-Type") != "application/json" {
			t.Fatalf("GET /ping = %d %v %s, want 200 with JSON", got.code, got.header, got.body)
		}
		if health.Status != want || health.Since < before || health.Since > time.Now().Unix() {
			t.Errorf("GET /ping = %+v, want %s since a time of this test", health, want)
		}
	}
	ping("Healthy")
	shown := http.Header{"Authorization": {"Bearer " + callersToken}, "Content-Type": {"application/json"}, "A2A-Version": {"1.0"}}
	send := func(method, params string) string {
		body := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`
		return fetch(t, http.MethodPost, agent.URL()+"/", shown, strings.NewReader(body)).body
	}
	var sent struct{ Result struct{ Task a2a.Task } }
	answer := send("SendMessage", `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]},"configuration":{"returnImmediately":true}}`)
	if err := json.Unmarshal([]byte(answer), &sent); err != nil {
		t.Fatalf("SendMessage = %s, want a task", answer)
	}
	<-working
	ping("HealthyBusy")
	close(finish)
	send("SubscribeToTask", `{"id":"`+string(sent.Result.Task.ID)+`"}`) // until it has ended
	ping("Healthy")
	for _, method := range []string{http.MethodPost, http.MethodDelete} {
		if got := fetch(t, method, agent.URL()+"/ping", nil, nil); got.code != http.StatusUnauthorized {
			t.Errorf("%s /ping without a token = %d, want 401", method, got.code)
		}
	}
}

func TestATaskThatAskedTwiceAtOnceIsAtWorkOnlyOnce(t *testing.T) {
	t.Parallel()
	refused := make(chan struct{})
	agent, _ := start(t, kit.Config{Handler: func(ctx context.Context, task *kit.Task) error {
		var asking sync.WaitGroup
		for range 2 {
			asking.Go(func() {
				if _, err := task.Ask(ctx, a2a.NewTextPart("which?")); err != nil {
					close(refused) // one of them is
				}
			})
		}
		asking.Wait()
		return nil
	}})
	c := client(t, agent, a2a.TransportProtocolJSONRPC)
	asked := send(t, c, say("x"))
	<-refused
	reply := say("this")
	reply.TaskID = asked.ID
	if got := send(t, c, reply); got.Status.State != a2a.TaskStateCompleted {
		t.Fatalf("SendMessage(reply) = %s, want %s", got.Status.State, a2a.TaskStateCompleted)
	}
	if got := fetch(t, http.MethodGet, agent.URL()+"/ping", nil, nil); !strings.Contains(got.body, `"Healthy"`) {
		t.Errorf("GET /ping = %s, want Healthy: nothing is at work", got.body)
	}
}
