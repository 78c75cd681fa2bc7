package serve_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestReceiversAreNotAtAddressesOfAgents has somebody who may submit tasks choose what Quorate posts to.
func TestReceiversAreNotAtAddressesOfAgents(t *testing.T) {
	t.Parallel()
	c, admin := config(t)
	c.Agents.AllowLoopback, c.Agents.AllowOrigins = true, []string{"10.0.0.1:9000"}
	c.Push.AllowOrigins = []string{"127.0.0.1:8"}
	p := start(t, c)
	if status, body := call(t, new(http.Client), http.MethodPost, "http://"+p.addr+"/v1/agents:register", admin,
		`{"card":`+fmt.Sprintf(cardOfTalker, "talker", "http://127.0.0.1:2")+`}`); status != http.StatusOK {
		t.Fatalf("register talker = %d %s, want 200", status, body)
	}
	for receiver, want := range map[string]string{
		"http://127.0.0.1:4/stop": "ADDRESS_BLOCKED",
		"http://localhost:4":      "ADDRESS_BLOCKED",
		"http://10.0.0.1:9000":    "ADDRESS_BLOCKED",
		"http://127.0.0.1:8/hook": "",
	} {
		status, body := call(t, new(http.Client), http.MethodPost, "http://"+p.addr+"/agents/talker/message:send?A2A-Version=1.0", admin,
			`{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hello"}]},"configuration":{"returnImmediately":true,"taskPushNotificationConfig":{"url":"`+receiver+`"}}}`)
		if (status == http.StatusOK) != (want == "") || !strings.Contains(body, want) {
			t.Errorf("message:send with the receiver %s = %d %s, want %q", receiver, status, body, want)
		}
	}
}
