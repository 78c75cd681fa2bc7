package engine_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/platform/netguard"
	"github.com/quorate/quorate/registry/agentcard"
)

func TestAnAgentThatWaitsWithoutAWordIsSeenToWait(t *testing.T) {
	w := newWorld(t, &actor{name: "asks", play: func(ctx context.Context, _ *a2apb.Message, say agentclient.Each) error {
		if err := say(snapshot("r1", a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, "")); err != nil {
			return err
		}
		<-ctx.Done()
		return ctx.Err()
	}})
	task := w.submit(engine.Submission{Route: orchestrator.Route{Agent: "asks"}})
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	seen := errors.New("seen")
	_, err := w.engine.Watch(ctx, orchestrator.Key{Tenant: tenant, ID: task.ID}, 0, true, func(e orchestrator.Event) error {
		if e.Type == orchestrator.EventState && e.State == a2apb.TaskState_TASK_STATE_INPUT_REQUIRED {
			return seen
		}
		return nil
	})
	if err != seen { //nolint:errorlint // the very value
		t.Errorf("Watch() = %v, want an event that says that the task waits", err)
	}
}

func TestTheWordsOfAGuardedFailureAreHeldBack(t *testing.T) {
	w := newWorld(t, &actor{name: "web", play: fails("the secret is xyzzy"), requirements: requirement("pre-completion")})
	task, log := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: sensitive}).ID)
	told := task.Error.Message + fmt.Sprint(log, task.Attempts[0].Error)
	if task.State != a2apb.TaskState_TASK_STATE_FAILED || strings.Contains(told, "xyzzy") || task.Released {
		t.Errorf("state %s, told %s, released %t, want it failed without the agent's words, and nothing released", task.State, told, task.Released)
	}
	if !slices.ContainsFunc(log, func(e orchestrator.Event) bool { return strings.Contains(e.Detail, "held back") }) {
		t.Errorf("log = %v, want it to say that words are held back", log)
	}
}

// answers makes an actor that is asked over JSON-RPC and answers with a status and a body, whatever it is asked.
func answers(t *testing.T, name, version string, status int, body string) *actor {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		if status == 0 { // not even HTTP
			conn, _, err := http.NewResponseController(rw).Hijack()
			if err == nil {
				_, _ = io.WriteString(conn, body)
				_ = conn.Close()
			}
			return
		}
		rw.Header().Set("Content-Type", "application/json")
		rw.WriteHeader(status)
		_, _ = io.WriteString(rw, body)
	}))
	t.Cleanup(server.Close)
	guard := &netguard.Policy{AllowLoopback: true}
	pool := agentclient.NewPool(guard.DialContext, guard.Client(netguard.ClientOptions{}), nil)
	t.Cleanup(pool.Close)
	client, _, err := pool.Connect(name, agentcard.Card{Interfaces: []agentcard.Interface{{URL: server.URL, Binding: agentcard.BindingJSONRPC, ProtocolVersion: version}}})
	if err != nil {
		t.Fatalf("Connect() = %v", err)
	}
	return &actor{name: name, requirements: requirement("pre-completion"), play: func(ctx context.Context, m *a2apb.Message, say agentclient.Each) error {
		return client.Send(ctx, m, false, say)
	}}
}

func TestTheWordsOfAnAgentThatRefusesAreHeldBackFromAGuardedTask(t *testing.T) {
	for name, tt := range map[string]struct {
		version     string
		status      int
		body        string
		reason, how string
	}{
		"an error":            {"1.0", http.StatusOK, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"the secret is xyzzy"}}`, "AGENT_REFUSED", "error -32603"},
		"a page":              {"1.0", http.StatusForbidden, "the secret is xyzzy", "AGENT_DENIED", "HTTP 403 (Quorate showed it no credential)"},
		"being away":          {"1.0", http.StatusServiceUnavailable, "the secret is xyzzy", "AGENT_UNREACHABLE", "HTTP 503"},
		"what is not A2A":     {"1.0", http.StatusOK, `{"jsonrpc":"2.0","id":1,"result":{"task":{"status":{"timestamp":"the secret is xyzzy"}}}}`, "AGENT_ANSWER_INVALID", "what is not A2A"},
		"what is no JSON-RPC": {"1.0", http.StatusOK, `{"the secret is xyzzy":1`, "", ""},
		"what is not HTTP":    {"1.0", 0, "xyzzy\r\n\r\n", "AGENT_UNREACHABLE", "could not be reached"},
		"an error of 0.3":     {"0.3.0", http.StatusOK, `{"jsonrpc":"2.0","id":"1","error":{"code":-32603,"message":"the secret is xyzzy"}}`, "AGENT_REFUSED", "error -32603"},
		"an odd error of 0.3": {"0.3.0", http.StatusOK, `{"jsonrpc":"2.0","id":"1","error":{"code":-5,"message":"the secret is xyzzy"}}`, "AGENT_REFUSED", "error -5"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, answers(t, "web", tt.version, tt.status, tt.body))
			for _, guarded := range []bool{true, false} {
				attributes := sensitive
				if !guarded {
					attributes = nil
				}
				task, log := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: attributes}).ID)
				told := task.Error.Message + fmt.Sprint(log, task.Attempts[0].Error, task.Decision)
				if task.State != a2apb.TaskState_TASK_STATE_FAILED || tt.reason != "" && task.Error.Reason != tt.reason || !strings.Contains(told, tt.how) {
					t.Errorf("state %s, error %+v, want it failed with %s and told of %q", task.State, task.Error, tt.reason, tt.how)
				}
				if strings.Contains(told, "xyzzy") && guarded {
					t.Errorf("told %s, want it without the agent's words", told)
				}
				if !strings.Contains(told, "xyzzy") && !guarded && tt.how != "" {
					t.Errorf("told %s of a task without a review, want the agent's words", told)
				}
			}
		})
	}
}
